"""Whatever bytes come: no exception, no impossible value, and the same answer wherever the stream breaks."""

import io

from hypothesis import given, settings
from hypothesis import strategies as st

from matrix.engines.classify import Report, classify, classify_log
from matrix.engines.logreport import as_dict, as_text
from tests.engines.signature_examples import EXAMPLES

LINES = (
    "[2026-02-03 04:05:06 DP0 TP0] Decode batch, #running-req: 2, #token: 9, token usage: 0.01, accept len: 2.41, "
    "accept rate: 0.47, cuda graph: True, gen throughput (token/s): 88.10, #queue-req: 0",
    "(APIServer pid=9) INFO 02-03 04:05:06 [metrics.py:101] SpecDecoding metrics: Mean acceptance length: 2.50, "
    "Accepted throughput: 7.00 tokens/s, Drafted throughput: 12.00 tokens/s, Accepted: 90 tokens, "
    "Drafted: 180 tokens, Per-position acceptance rate: 0.700, 0.500, 0.300, Avg Draft acceptance rate: 50.0%",
    "INFO 02-03 04:05:06 metrics.py:471] Speculative metrics: Draft acceptance rate: 0.500, System efficiency: 0.600, "
    "Number of speculative tokens: 4, Number of accepted tokens: 80, Number of draft tokens: 160, "
    "Number of emitted tokens: 120.",
    '{"meta_info":{"spec_verify_ct":20,"completion_tokens":51,"spec_accept_length":2.55}}',
    'sglang:spec_verify_calls_total{m="a"} 20.0',
    'vllm:spec_decode_num_drafts_total{m="a"} 20.0',
    "| dataset | Acc Length |",
    "| one | 2.40 |",
    "Per-position acceptance (%):",
    "  Position 0:   80.00",
    "Traceback (most recent call last):",
    '  File "/a.py", line 3, in load_model',
    "OddError: no luck",
    "Accept length: 99999999999999999999999999",
    "",
    *(line for hit, _ in EXAMPLES.values() for line in hit.splitlines()),
)

line = st.sampled_from(LINES)
colour = st.sampled_from(["\x1b[36m", "^[[36m", "[0m", "\x1b[", "\x1b]0;", "\r", "\t", "\x00", "é", "\u2028", "│"])


@st.composite
def mangled(draw: st.DrawFn) -> bytes:
    """A line that is cut, coloured in the middle, or glued to the next one."""
    text = draw(line)
    place = draw(st.integers(0, len(text)))
    cut, put = draw(st.booleans()), draw(st.one_of(st.just(""), colour))
    text = text[:place] + put + ("" if cut else text[place:])
    return (text + draw(st.sampled_from(["\n", "\r\n", "", "\n\n"]))).encode()


logs = st.lists(st.one_of(mangled(), line.map(lambda text: text.encode() + b"\n"), st.binary(max_size=80)), max_size=30)
bytes_of_logs = st.one_of(
    st.binary(max_size=400),
    logs.map(b"".join),
    logs.map(lambda parts: b"".join(parts).decode("latin-1").encode("utf-16")),
)


class Dribble(io.BytesIO):
    """A stream that gives a few bytes at a time."""

    def read(self, size: int | None = -1, /) -> bytes:
        return super().read(61)


def sound(report: Report) -> bool:
    values = [o.accept_length for o in report.observations] + [report.accept_length]
    return bool(as_dict(report) and as_text(report)) and all(v is None or 1 <= v < 1e9 for v in values)


@given(data=bytes_of_logs)
@settings(max_examples=150, deadline=None)
def test_any_bytes_are_read(data: bytes) -> None:
    assert sound(classify_log(io.BytesIO(data)))
    assert classify(data.decode("latin-1"), served=False, exit_=None).signature


@given(parts=logs)
@settings(max_examples=60, deadline=None)
def test_where_the_stream_breaks_changes_no_value(parts: list[bytes]) -> None:
    data = b"".join(parts)
    whole, dribbled = classify_log(io.BytesIO(data)), classify_log(Dribble(data))
    assert dribbled.outcome is whole.outcome and dribbled.signature == whole.signature


@given(parts=logs, word=st.binary(min_size=1, max_size=60))
@settings(max_examples=10, deadline=None)
def test_a_log_among_thousands_of_unlike_lines_is_read(parts: list[bytes], word: bytes) -> None:
    noise = b"".join(b"%s %x zq\n" % (bytes(103 + int(c) for c in str(i)), i) for i in range(4000))
    assert sound(classify_log(io.BytesIO(noise + word + b"\n" + b"".join(parts) + noise)))


def test_junk_before_a_cause_on_one_line_is_judged_with_the_whole_line() -> None:
    junk = b"\x00\x01" + bytes(range(1, 9)) * 7
    cause = b"nvidia-container-cli: requirement error: unsatisfied condition: cuda>=13.1, please update your driver\n"
    data = junk + b"x" * 300 + cause
    assert classify_log(Dribble(data)).signature == classify_log(io.BytesIO(data)).signature
