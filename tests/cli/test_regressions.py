"""`matrix regressions`, `matrix ack` and `matrix judge` over one stored history."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from matrix.app.attribute import regressions
from matrix.cli.main import main
from matrix.core.expectation import Bonus, Expectation
from matrix.core.outcome import Outcome
from matrix.store import Store, open_store
from tests.app.stored import cell, ended, judged, served

KEYS = [
    "flip_id",
    "series_key",
    "series",
    "engine",
    "target",
    "draft",
    "method",
    "spec",
    "metric",
    "change",
    "from_revision",
    "to_revision",
    "before",
    "after",
    "reason",
    "from_run",
    "to_run",
    "standing",
    "created_at",
    "acknowledged",
    "workload",
    "group",
    "status",
    "now",
    "fixed_in",
    "use",
    "value_before",
    "value_after",
    "numbers",
    "fault",
    "signature",
    "expectations",
    "ack",
    "ack_ended",
    "next",
]


@pytest.fixture
def url(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("MATRIX_HOME", str(tmp_path / "home"))
    return f"sqlite:///{tmp_path}/history.db"


@pytest.fixture
def history(url: str) -> Iterator[Store]:
    store = open_store(url)
    said = Expectation("qwen-eagle3", 2.2, Bonus.YES, "mt-bench", 4, "https://example.org/card")
    store.published.replace({"qwen-eagle3": [said]})
    served(store, cell("0.5.4"), 2.195, at=1000)
    served(store, cell("0.5.5.post3"), 1.6, at=2000)
    yield judged(store)
    store.close()


def run(url: str, *args: str) -> int:
    return main([*args, "--db", url])


def objects(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def test_each_regression_is_explained(url: str, history: Store, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(url, "regressions") == 1
    text = capsys.readouterr().out
    assert text.startswith("group 1: engine: SGLang 0.5.4 -> 0.5.5.post3 is all that differs\n")
    for words in (
        "  flip 1, new: sglang / Qwen2.5-VL-7B / eagle3-k4 / standard: accept-length healthy -> degraded\n",
        "    accept length: before 2.195, after 1.600, change -27 %, 95 % interval ",
        "pairs 16, ",
        f", series {cell('0').series_key}\n",
        "    use 0.5.4\n",
        "    measured 1.60, published 2.2 on mt-bench",
        "(https://example.org/card)\n",
        "    next: matrix ",
    ):
        assert words in text


def test_json_keys_are_stable(url: str, history: Store, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(url, "regressions", "--json") == 1
    (found,) = objects(capsys.readouterr().out)
    assert list(found) == KEYS
    assert set(found["fault"]) == {"kind", "text", "evidence"}
    assert {"before", "after", "change", "low", "high", "pairs"} <= found["numbers"].keys()


def test_an_acknowledged_one_no_longer_fails_the_check(
    url: str, history: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(url, "ack", "1", "--reason", "sglang#14063", "--until", "30d") == 0
    assert "sglang#14063" in capsys.readouterr().out
    assert run(url, "regressions") == 0
    text = capsys.readouterr().out
    assert "flip 1, acknowledged: " in text and "): sglang#14063" not in text
    assert "acknowledged (cell 1) until " in text and text.endswith("all that stand are acknowledged\n")
    assert run(url, "judge") == 0
    assert capsys.readouterr().out == "1 series judged, 1 regression stands (1 acknowledged)\n"
    assert run(url, "ack", "--list", "--json") == 0
    (ack,) = objects(capsys.readouterr().out)
    assert (ack["ack_id"], ack["scope"], ack["holds"], ack["state"]) == (1, "cell", True, "degraded")
    assert run(url, "ack", "--remove", "1") == 0
    assert run(url, "regressions") == 1


@pytest.mark.parametrize(
    ("args", "code", "says"),
    [
        ([], 2, "nothing to acknowledge"),
        (["1"], 2, "--reason: a reason is needed"),
        (["1", "--reason", " "], 2, "--reason: a reason is needed"),
        (["1", "--reason", "x", "--until", "soon"], 2, "--until: `soon` is no date and no span"),
        (["1", "--reason", "x", "--until", "9999-12-31"], 2, "--until: `9999-12-31` is no date and no span"),
        (["1", "7", "--reason", "x"], 3, "no standing regression has the number '7'"),
        (["--remove", "7"], 3, "there is no acknowledgement 7"),
        (["--remove", "9" * 30], 2, "'--remove'"),
        (["1", "--reason", "x", "--scope", "world"], 2, "'group'"),
    ],
)
def test_ack_refuses_by_name_and_stores_nothing(
    url: str, history: Store, capsys: pytest.CaptureFixture[str], args: list[str], code: int, says: str
) -> None:
    assert run(url, "ack", *args) == code
    assert says in capsys.readouterr().err
    assert history.acks.all() == []


def test_fixed_ones_are_shown_on_request(url: str, history: Store, capsys: pytest.CaptureFixture[str]) -> None:
    served(history, cell("0.5.6"), 2.195, at=3000)
    judged(history)
    assert run(url, "regressions") == 0
    assert capsys.readouterr().out == "no regression stands\n"
    assert run(url, "regressions", "--all") == 0
    text = capsys.readouterr().out
    assert (
        "flip 1, fixed: " in text and "    fixed in 0.5.6\n    use 0.5.4 or >= 0.5.6\n" in text and "next:" not in text
    )


def test_what_never_worked_is_named_though_nothing_fell(
    url: str, history: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    served(history, cell("0.5.6"), 2.195, at=3000)
    for version, at in (("0.5.5.post3", 3100), ("0.5.6", 3200)):
        ended(history, cell(version, draft="other"), Outcome.LOAD_CRASH, at=at)
    judged(history)
    assert run(url, "regressions") == 0
    last = "1 cell never healthy on any measured revision, which is no regression: `matrix regressions --all`"
    assert capsys.readouterr().out.splitlines() == ["no regression stands", last]
    assert run(url, "regressions", "--all") == 0
    assert ", still failing: sglang / Qwen2.5-VL-7B" in capsys.readouterr().out
    served(history, cell("0.5.7", draft="other"), 2.0, at=3300)
    judged(history)
    assert run(url, "regressions") == 0
    assert capsys.readouterr().out == "no regression stands\n"


def test_what_if_previews_and_stores_nothing(url: str, history: Store, capsys: pytest.CaptureFixture[str]) -> None:
    before = regressions(history)
    assert run(url, "judge", "--what-if", "relevant=0.5") == 0
    assert capsys.readouterr().out.startswith("would go: series ")
    assert run(url, "judge", "--what-if", "relevant=0.5", "--json") == 0
    (move,) = objects(capsys.readouterr().out)
    assert (move["move"], move["change"], move["after_revision"]) == ("go", "regression", "0.5.5.post3")
    assert run(url, "judge", "--what-if", "relevant=0.03") == 0
    assert capsys.readouterr().out == "no flip would come or go\n"
    assert run(url, "judge", "--what-if", "relevance=1") == 2
    assert regressions(history) == before


def test_results_say_why_on_request(url: str, history: Store, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(url, "results", "--verbose") == 0
    told = capsys.readouterr().out
    assert "  accept-length degraded: -27 % over 16 paired prompts" in told
    assert "  measured 1.60, published 2.2 on mt-bench" in told and "(https://example.org/card)" in told
    assert run(url, "results") == 0
    assert "paired prompts" not in capsys.readouterr().out


def test_judging_twice_gives_the_same_bytes(url: str, history: Store, capsys: pytest.CaptureFixture[str]) -> None:
    ended = []
    for _ in range(2):
        run(url, "judge", "--json")
        run(url, "regressions", "--json", "--all")
        ended.append((capsys.readouterr().out, dump(history)))
    assert ended[0] == ended[1] and "degraded" in ended[0][1]


def dump(store: Store) -> str:
    """Everything in the database as SQL."""
    with store._db.read() as conn:
        return "\n".join(conn.connection.driver_connection.iterdump())  # type: ignore[union-attr]


def test_a_hostile_name_does_not_steer_the_terminal(url: str, capsys: pytest.CaptureFixture[str]) -> None:
    store = open_store(url)
    for version, length, at in (("1.0", 2.5, 1000), ("1.1", 1.0, 2000)):
        served(store, cell(version, target="x\x1b[31m\u202e"), length, at=at)
    judged(store).close()
    run(url, "regressions")
    text = capsys.readouterr().out
    assert "\x1b" not in text and "\u202e" not in text
