"""Stored bisections as pages and the command line show them."""

from dataclasses import replace

import pytest

from matrix.app.bisect.markdown import headline, markdown
from matrix.app.bisect.points import Point, in_a_row
from matrix.app.bisect.report import Report, Seen, Suspect
from matrix.app.bisect.request import Regress, Request
from matrix.app.bisect.show import asked_by, covering, items, log_text, view
from matrix.app.bisect.standing import standing
from matrix.core.errors import NotFoundError
from matrix.executors import owner
from matrix.store import Store
from tests.app.stored import cell, judged, served
from tests.databases import on_both

OLD, BAD = "0.5.4", "0.5.5.post3"
DEAD = owner.me().rpartition(":")[0] + ":long-ago"
REQUEST = Request(
    config="matrix.toml", engine="sglang", good=OLD, bad=BAD, regress=Regress.ACCEPT, target="Qwen2.5-VL-7B", draft="qwen-eagle3"
)  # fmt: skip
BETWEEN = [f"{OLD}.post{n}" for n in range(1, 4)]


def begun(store: Store, who: str = "", request: Request = REQUEST, parent: int | None = None) -> int:
    line = in_a_row(Point(OLD, OLD), [Point(v, v) for v in (*BETWEEN, BAD)])
    return store.bisections.begin(
        engine="sglang", level="release", question=request.regress.value, request=request.to_json(), config="",
        history=line.to_json(), owner=who or owner.me(), parent_id=parent,
    )  # fmt: skip


def fallen(store: Store) -> None:
    served(store, cell(OLD), 2.2, at=1000)
    served(store, cell(BAD), 1.0, at=2000)
    judged(store)


def answered(store: Store, number: int) -> None:
    for point, said, phase in ((OLD, "good", "ends"), (BAD, "bad", "ends"), (BETWEEN[1], "good", "search")):
        store.bisections.answer(number, point, said, phase=phase)


@on_both
def test_an_open_one_is_running_while_its_process_lives_and_interrupted_after(stored: Store) -> None:
    begun(stored, DEAD)
    begun(stored)
    assert [(b.bisection, b.status) for b in items(stored)] == [(2, "running"), (1, "interrupted")]
    assert items(stored)[1].resume.startswith(f"matrix bisect run --engine sglang --good {OLD} --bad {BAD}")


def test_a_command_that_goes_on_asks_in_the_same_words(stored: Store) -> None:
    asked = replace(
        REQUEST, most_runs=7, confidence=0.99, verify=2, tolerate=True, executor="venv", parallel=3, ahead=False
    )
    number = begun(stored, DEAD, asked)
    resume = view(stored, number).item.resume
    for words in ("--most-runs 7", "--confidence 0.99", "--verify 2", "--flaky", "--executor venv"):
        assert words in resume
    assert "--parallel 3" in resume
    assert "--no-ahead" in resume
    by_command = replace(REQUEST, command=("./ask", "a b"), clone="/c", samples=4, most_runs=9, verify=3)
    assert view(stored, begun(stored, DEAD, by_command)).item.resume == (
        f"matrix bisect run --clone /c --good {OLD} --bad {BAD} --samples 4 --verify 3 --most-runs 9 -- ./ask 'a b'"
    )


def test_before_the_ends_nothing_is_suspected_and_both_ends_are_next(stored: Store) -> None:
    found = view(stored, begun(stored))
    assert (found.phase, found.suspects, found.likely) == ("ends", [], [])
    assert found.next == [OLD, BAD] and found.runs_left >= 2
    assert [p.end for p in found.points] == ["good", "bad"]


@on_both
def test_suspects_points_and_what_is_left(stored: Store) -> None:
    number = begun(stored)
    answered(stored, number)
    found = view(stored, number)
    assert {s.name for s in found.suspects[:2]} == {BETWEEN[2], BAD}
    assert found.next == [BETWEEN[2]] and found.runs_left > 0
    assert set(found.likely) == {BETWEEN[2], BAD}
    asked = {p.name: (p.good, p.bad, p.next) for p in found.points}
    assert asked[BETWEEN[1]] == (1, 0, False) and asked[BETWEEN[2]] == (0, 0, True)
    assert log_text(stored, number).startswith(f"git bisect start '{BAD}' '{OLD}'\n")


@on_both
def test_the_value_of_a_run_and_whether_it_was_known_before(stored: Store) -> None:
    fallen(stored)
    number = begun(stored)
    run = judged(stored).read.series(cell(OLD).series_key).points[0].run_id
    stored.bisections.answer(number, OLD, "good", run_id=run, phase="ends")
    (answer,) = view(stored, number).answers
    assert answer.value == pytest.approx(2.2, abs=0.01) and answer.known
    assert [b.bisection for b in asked_by(stored, run)] == [number]
    assert asked_by(stored, "another") == []


def test_a_regression_is_covered_by_bisections_of_its_cell_around_it(stored: Store) -> None:
    fallen(stored)
    mine = begun(stored)
    begun(stored, request=replace(REQUEST, draft="another"))
    begun(stored, parent=mine)
    flips = stored.read.regressions()
    assert [[b.bisection for b in covering(stored, flips)[f.flip_id]] for f in flips] == [[mine]]
    elsewhere = [replace(f, to_revision="9.9") for f in flips]
    assert covering(stored, elsewhere)[flips[0].flip_id] == []


@on_both
def test_levels_know_each_other(stored: Store) -> None:
    outer = begun(stored)
    inner = begun(stored, parent=outer)
    assert [c.bisection for c in view(stored, outer).children] == [inner]
    within = view(stored, inner).within
    assert within is not None and within.bisection == outer
    with pytest.raises(NotFoundError, match="no bisection 9"):
        view(stored, 9)


def test_the_line_after_an_answer(stored: Store) -> None:
    from matrix.app.bisect.hunt import state_of
    from matrix.app.bisect.points import Line

    number = begun(stored)
    row = stored.bisections.get(number)
    line = Line.from_json(row.history)
    assert standing(line, state_of(REQUEST, line, row)) == ""
    answered(stored, number)
    said = standing(line, state_of(REQUEST, line, stored.bisections.get(number)))
    assert said.startswith("suspects ") and said.count(" %") == 4 and f"90 % range {BETWEEN[2]} to {BAD}" in said
    assert said.endswith("runs left")


REPORT = Report(
    bisection=1, status="done", engine="sglang", question="accept", level="release", culprit=BAD, range=(OLD, BAD),
    suspects=[Suspect(BAD, 0.99)], confidence=0.99, runs=1, engine_starts=0, resume="matrix bisect run",
    answers=[Seen(OLD, "good", "accept length 2.20", "ends", "r1", known=True), Seen(BAD, "bad", "accept length 1.00", "ends", "r2")],
    before={"revision": OLD, "accept_length": 2.2, "tok_s": None, "run_id": "r1"}, after={"revision": BAD, "accept_length": 1.0, "tok_s": None, "run_id": "r2"},
)  # fmt: skip


def test_the_report_names_ends_known_runs_and_leaves_out_what_neither_side_has() -> None:
    text = markdown(REPORT)
    assert "- 2 runs: 2 at the ends; 1 of them was known before\n" in text
    assert f"- End {OLD} is good (ends, known before): accept length 2.20\n" in text
    assert f"- End {BAD} is bad (ends): accept length 1.00\n" in text
    assert "| accept length | 2.200 | 1.000 |" in text and "tok/s" not in text
    assert "Ask again with" in text and "Resume with" in markdown(replace(REPORT, status="stopped"))
    assert headline(REPORT).endswith("(99.0 % sure after 1 run)")


def test_a_report_comes_back_from_its_row() -> None:
    assert Report.from_json(REPORT.to_json()) == REPORT
