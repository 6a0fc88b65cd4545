"""The cause of a failed run, read from logs of the shapes vLLM prints."""

from matrix.core.outcome import Outcome
from matrix.core.ports import ServerExit
from matrix.engines.logtext import clean
from matrix.engines.signature import normalise
from matrix.engines.vllm import VllmAdapter

CLASSIFY = VllmAdapter().classify

MAPPED = """\
(APIServer pid=81) INFO 03-04 05:06:07 [model.py:7] Resolved architecture: LlamaForCausalLM
\x1b[1;36m(EngineCore pid=82)\x1b[0;0m ERROR 03-04 05:06:09 [core.py:11] Traceback (most recent call last):
\x1b[1;36m(EngineCore pid=82)\x1b[0;0m ERROR 03-04 05:06:09 [core.py:11]   File "/x/y.py", line 4, in load
\x1b[1;36m(EngineCore pid=82)\x1b[0;0m ERROR 03-04 05:06:09 [core.py:11] ValueError: There is no module or parameter named 'some_map' in TinyForCausalLM. The available parameters are: a, b
(APIServer pid=81) Traceback (most recent call last):
(APIServer pid=81)   File "/x/z.py", line 9, in start
(APIServer pid=81) RuntimeError: Engine core initialization failed. See root cause above. Failed core proc(s): {'EngineCore': 1}
"""


def test_the_root_cause_is_named_not_its_wrapper() -> None:
    failure = CLASSIFY(MAPPED, served=False, exit_=ServerExit(1))
    assert failure.outcome is Outcome.LOAD_CRASH
    assert "'some_map' in TinyForCausalLM" in failure.reason
    assert failure.signature == "weights-without-parameter"
    assert "some_map" in failure.excerpt


def test_the_same_crash_after_a_generation_is_a_serve_crash() -> None:
    assert CLASSIFY(MAPPED, served=True, exit_=None).outcome is Outcome.SERVE_CRASH


def test_an_unknown_error_is_quoted_from_the_first_traceback() -> None:
    log = MAPPED.replace("There is no module or parameter named 'some_map' in TinyForCausalLM. The", "odd 0x7f12. The")
    failure = CLASSIFY(log, served=False, exit_=ServerExit(1))
    assert failure.reason.startswith("ValueError: odd 0x7f12.")
    assert "Engine core" not in failure.reason


def test_equal_failures_share_a_signature() -> None:
    one = "KeyError: '/data/run-17/model.safetensors at 0x7f00aa, 12.5 GiB'"
    two = "KeyError: '/tmp/x/model.safetensors at 0x1, 3 GiB'"
    assert normalise(one) == normalise(two)
    assert normalise(one) != normalise("KeyError: 'another text'")


def test_exit_zero_without_a_word_is_still_a_crash() -> None:
    failure = CLASSIFY("loading\n", served=False, exit_=ServerExit(0))
    assert failure.outcome is Outcome.LOAD_CRASH
    assert "exit status 0" in failure.reason and "loading" in failure.reason


def test_a_memory_kill_is_ambiguous_not_the_engines_fault() -> None:
    failure = CLASSIFY("loading\n", served=False, exit_=ServerExit(137, oom=True, detail="limit 2 GiB"))
    assert failure.outcome is Outcome.OOM
    assert "limit 2 GiB" in failure.reason


def test_refused_flags_are_the_configs_fault() -> None:
    failure = CLASSIFY("api_server.py: error: unrecognized arguments: --foo 3\n", served=False, exit_=ServerExit(2))
    assert (failure.outcome, failure.signature) == (Outcome.CONFIG_ERROR, "unknown-flag")
    assert "--foo 3" in failure.reason


def test_hostile_text_is_harmless() -> None:
    junk = "\x00\xff{braces} %s {0} {name}\x1b]0;title\x07 " + "A" * 200_000 + "\nTraceback (most recent call last):\n"
    failure = CLASSIFY(junk + "ValueError: {x} " + "B" * 100_000, served=False, exit_=None)
    assert failure.reason.startswith("ValueError: {x} BBB")
    assert len(failure.reason) <= 300
    assert len(failure.excerpt) < 10_000


def test_prefixes_and_colours_come_off() -> None:
    assert clean("\x1b[1;36m(Worker pid=9)\x1b[0;0m WARNING 01-02 03:04:05 [a/b.py:12] text [kept]") == "text [kept]"
    assert clean("^[[36m(A pid=1, ip=1.2.3.4) plain") == "plain"
