"""Whose fault a flip is: what differs is named, the most telling first, and the engine is blamed last."""

from dataclasses import replace

import pytest

from matrix.core.state import Metric, State
from matrix.stats.fault import FaultKind, Neighbour, Side, fault
from matrix.stats.sides import Life

BEFORE = Side(
    run_id="r1",
    engine="sglang",
    revision="0.5.4",
    target="Qwen2.5-VL-7B",
    draft="head",
    method="eagle3",
    spec="eagle3-k8",
    workload="standard",
    target_content="t" * 64,
    draft_content="d" * 64,
    workload_content="w" * 64,
    k=8,
    hardware="gpu H200 x1",
    executor="venv",
    resolved={"k": 8, "attention_backend": "fa3", "version": "0.5.4"},
    lock={"sglang": "0.5.4", "torch": "2.8.0"},
    artifact="a1",
    probe_version="1",
    accept_length=2.2,
)
AFTER = replace(BEFORE, run_id="r2", revision="0.5.5", artifact="a2", accept_length=1.0)


def told(after: Side, *, before: Side | None = BEFORE, metric: Metric = Metric.ACCEPT_LENGTH, **more: object) -> str:
    return fault(metric, State.COLLAPSED, before, after, **more).text  # type: ignore[arg-type]


def beside(target: str = "Qwen2.5-VL-7B", *, fell: bool = False, **more: object) -> Neighbour:
    state = State.COLLAPSED if fell else State.HEALTHY
    given = {"draft": "head", "method": "eagle3", "spec": "eagle3-k8", "launch": "", "state": state, "fell": fell}
    return Neighbour("key", "sglang", "0.5.5", target, workload="standard", **(given | more))  # type: ignore[arg-type]


VLLM = replace(beside(), engine="vllm", revision="0.11.0", accept_length=2.3)


@pytest.mark.parametrize(
    ("changed", "kind", "text"),
    [
        ({"draft_content": "e" * 64}, "draft", "draft file changed (dddddddddddd -> eeeeeeeeeeee)"),
        ({"target_content": "u" * 64}, "target", "target file changed (tttttttttttt -> uuuuuuuuuuuu)"),
        ({"workload_content": "x" * 64}, "workload", "workload: the workload's prompts or lengths changed"),
        ({"probe_version": "2"}, "probe", "probe: the probe changed, version 1 -> 2"),
        ({"hardware": "gpu H100 x1"}, "hardware", "hardware: other hardware, gpu H200 x1 -> gpu H100 x1"),
        ({"launch": "--x"}, "settings", "settings: launch options changed from `none` to `--x`"),
        ({"resolved": {"k": 4}}, "settings", "settings: k fell from 8 to 4"),
        ({"resolved": {"k": 12}}, "settings", "settings: k rose from 8 to 12"),
        (
            {"resolved": {"k": 8, "attention_backend": "triton"}},
            "settings",
            "settings: attention_backend changed from fa3 to triton",
        ),
    ],
)
def test_what_differs_is_named_before_the_engine(changed: dict[str, object], kind: str, text: str) -> None:
    found = fault(Metric.ACCEPT_LENGTH, State.COLLAPSED, BEFORE, replace(AFTER, **changed))  # type: ignore[arg-type]
    assert (found.kind, found.text) == (FaultKind(kind), f"{text}; engine: SGLang 0.5.4 -> 0.5.5")


def test_all_that_differs_is_named_the_most_telling_first() -> None:
    after = replace(AFTER, draft_content="e" * 64, resolved={"k": 4, "attention_backend": "triton"})
    assert told(after) == (
        "draft file changed (dddddddddddd -> eeeeeeeeeeee); settings: k fell from 8 to 4; "
        "attention_backend changed from fa3 to triton; engine: SGLang 0.5.4 -> 0.5.5"
    )


def test_a_release_alone_is_the_engines_fault() -> None:
    found = fault(Metric.ACCEPT_LENGTH, State.COLLAPSED, BEFORE, AFTER)
    assert (found.kind, found.text) == (FaultKind.ENGINE, "engine: SGLang 0.5.4 -> 0.5.5 is all that differs")


def test_the_reach_and_the_other_engine_are_told() -> None:
    on_release = [beside(fell=True), beside("Llama", draft="other")]
    assert told(AFTER, beside=on_release, elsewhere=[VLLM]) == (
        "engine: only Qwen2.5-VL-7B drafts on SGLang fell; vLLM runs the same file at 2.30 (0.11.0)"
    )


@pytest.mark.parametrize(
    ("others", "text"),
    [
        ([beside("Llama", fell=True)], "all 2 measured cells of SGLang 0.5.5 fell"),
        ([beside(method="ngram", draft=None)], "only eagle3 on SGLang fell"),
        (
            [beside(method="ngram", draft=None), beside("Llama")],
            "only Qwen2.5-VL-7B drafts with eagle3 on SGLang fell",
        ),
        ([beside("Llama", fell=True), beside(), beside("Llama")], "2 of 4 measured cells of SGLang 0.5.5 fell"),
        ([beside("Llama", state=State.UNKNOWN)], "SGLang 0.5.4 -> 0.5.5 is all that differs"),
        (
            [beside(method="none", draft=None, state=State.NOT_APPLICABLE, output=State.BROKEN)],
            "it fails without a draft too",
        ),
    ],
)
def test_how_far_it_reaches(others: list[Neighbour], text: str) -> None:
    assert told(AFTER, beside=[beside(fell=True), *others]) == f"engine: {text}"


def test_a_fall_of_another_kind_is_no_company() -> None:
    crashed = beside("Llama", fell=True, state=State.BROKEN)
    assert told(AFTER, beside=[beside(fell=True), crashed]) == "engine: SGLang 0.5.4 -> 0.5.5 is all that differs"


def test_a_baseline_is_not_its_own_witness() -> None:
    after = replace(AFTER, method="none", draft=None, draft_content=None)
    itself = beside(method="none", draft=None, state=State.NOT_APPLICABLE, output=State.BROKEN)
    found = fault(Metric.OUTPUT, State.BROKEN, replace(BEFORE, draft_content=None), after, [itself])
    assert found.text == "engine: SGLang 0.5.4 -> 0.5.5 is all that differs"


def test_settings_that_a_launch_option_turns_back_are_proved_by_it() -> None:
    after = replace(AFTER, resolved={"k": 8, "disable_overlap_schedule": False})
    old = beside(launch="SGLANG_ENABLE_SPEC_V2=0", accept_length=3.18)
    before = replace(BEFORE, resolved={"k": 8, "disable_overlap_schedule": True})
    found = fault(Metric.ACCEPT_LENGTH, State.DEGRADED, before, after, [beside(fell=True), old])
    assert found.kind is FaultKind.SETTINGS and found.text.startswith(
        "settings: disable_overlap_schedule changed from True to False"
    )
    assert found.evidence[0] == "SGLang 0.5.5 gives 3.18 with `SGLANG_ENABLE_SPEC_V2=0`"


def test_the_same_artifact_blames_nobody() -> None:
    found = fault(Metric.ACCEPT_LENGTH, State.COLLAPSED, BEFORE, replace(AFTER, artifact="a1"))
    assert found.kind is FaultKind.UNKNOWN and "the same artifact" in found.text


def test_packages_that_came_with_the_release_are_evidence_not_cause() -> None:
    packages = {f"p{i}": "2" for i in range(4)}
    after = replace(AFTER, lock={"sglang": "0.5.5", "torch": "2.9.0", **packages})
    found = fault(Metric.ACCEPT_LENGTH, State.COLLAPSED, BEFORE, after)
    assert found.kind is FaultKind.ENGINE
    words = "with the release came torch 2.8.0 -> 2.9.0, p0 absent -> 2, p1 absent -> 2 and 2 other packages"
    assert found.evidence == (words,)


def test_another_lock_of_the_same_revision_is_the_cause() -> None:
    after = replace(AFTER, revision="0.5.4", lock={"sglang": "0.5.4", "torch": "2.9.0"})
    found = fault(Metric.ACCEPT_LENGTH, State.COLLAPSED, BEFORE, after)
    assert (found.kind, found.text) == (FaultKind.LOCK, "lock: packages changed: torch 2.8.0 -> 2.9.0")


def test_settings_that_were_not_told_are_unknown_not_equal() -> None:
    found = fault(Metric.ACCEPT_LENGTH, State.BROKEN, BEFORE, replace(AFTER, resolved={}))
    assert found.evidence == ("settings of 0.5.5 were not told, so they are not compared",)


@pytest.mark.parametrize(
    ("old", "new", "differ"),
    [
        ("Flash Attention", "FLASH_ATTN", False),
        ("FLASH_ATTN_VLLM_V1", "FLASH_ATTN", False),
        ("Triton", "TRITON_ATTN", False),
        ("FLASH_ATTN", "FLASHINFER", True),
        ("TORCH_SDPA", "Torch SDPA", False),
    ],
)
def test_another_spelling_is_no_other_setting(old: str, new: str, differ: bool) -> None:
    before = replace(BEFORE, resolved={"k": 8, "attention_backend": old, "dtype": "torch.bfloat16", "x": True})
    after = replace(AFTER, resolved={"k": 8, "attention_backend": new, "dtype": "bfloat16", "x": "True"})
    found = fault(Metric.ACCEPT_LENGTH, State.DEGRADED, before, after)
    assert found.kind is (FaultKind.SETTINGS if differ else FaultKind.ENGINE) and found.evidence == ()


def test_settings_that_say_nothing_about_acceptance_are_evidence() -> None:
    before = replace(BEFORE, resolved={"k": 8, "page_size": 1})
    found = fault(Metric.ACCEPT_LENGTH, State.BROKEN, before, replace(AFTER, resolved={"k": 8, "page_size": 64}))
    assert found.kind is FaultKind.ENGINE
    assert found.evidence == ("settings that changed too: page_size rose from 1 to 64",)


@pytest.mark.parametrize(
    ("new", "metric", "words"),
    [
        (70.0, Metric.SPEED, ("the baseline slowed too, 100.0 -> 70.0 tok/s",)),
        (99.0, Metric.SPEED, ("the baseline kept its speed, 100.0 -> 99.0 tok/s",)),
        (99.0, Metric.ACCEPT_LENGTH, ()),
    ],
)
def test_the_baselines_speed_is_told(new: float, metric: Metric, words: tuple[str, ...]) -> None:
    before, after = replace(BEFORE, baseline_tok_s=100.0), replace(AFTER, baseline_tok_s=new)
    assert fault(metric, State.SLOWER, before, after).evidence == words


def test_a_fall_with_uptime_is_told_from_a_fall_with_the_revision() -> None:
    before = replace(BEFORE, accept_length=3.07)
    after = replace(AFTER, accept_length=2.8, life=Life(10, 3.07, 2.8, True))
    found = fault(Metric.ACCEPT_LENGTH, State.DEGRADED, before, after)
    assert found.kind is FaultKind.UPTIME
    assert found.text.startswith(
        "uptime: accept length falls with uptime, 3.07 -> 2.80 within 10 minutes; a restart restores it"
    )


def test_a_server_that_was_low_from_the_start_is_not_excused_by_uptime() -> None:
    after = replace(AFTER, accept_length=2.0, life=Life(10, 2.0, 1.9, True))
    found = fault(Metric.ACCEPT_LENGTH, State.DEGRADED, BEFORE, after)
    assert found.kind is FaultKind.ENGINE
    assert found.evidence == ("accept length falls with uptime, 2.00 -> 1.90 within 10 minutes",)


@pytest.mark.parametrize(
    ("elsewhere", "kind", "text"),
    [
        ([], "unknown", "unknown: it fell in the first run, so there is nothing to compare with"),
        ([VLLM], "engine", "engine: vLLM runs the same file at 2.30 (0.11.0)"),
        (
            [replace(VLLM, state=State.COLLAPSED, accept_length=1.02)],
            "draft",
            "draft: no engine here accepts it; vLLM runs the same file at 1.02 (0.11.0, collapsed)",
        ),
    ],
)
def test_without_a_run_before_the_same_file_elsewhere_tells(elsewhere: list[Neighbour], kind: str, text: str) -> None:
    found = fault(Metric.ACCEPT_LENGTH, State.COLLAPSED, None, AFTER, elsewhere=elsewhere)
    assert (found.kind, found.text) == (FaultKind(kind), text)


def test_a_run_that_is_gone_is_said_to_be() -> None:
    assert fault(Metric.SPEED, State.SLOWER, BEFORE, None).kind is FaultKind.UNKNOWN
