"""Revisions and configs of a stored history side by side."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from matrix.app.compare import compare
from matrix.app.compared import Compared
from matrix.cli.main import cli
from matrix.core.errors import ConfigError, NotFoundError
from matrix.core.outcome import Outcome
from matrix.core.spec import Method
from matrix.store import Store, open_store
from tests.app.stored import cell, ended, judged, served

QWEN, LLAMA, VL = "Qwen2.5-VL-7B", "Llama-3.1-8B", "Qwen3-VL-2B"


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """Three releases: Qwen collapses in the second, VL crashes in the third, Llama stays; a new target comes last."""
    folder = tmp_path_factory.mktemp("compare")
    opened = open_store(f"sqlite:///{folder}/matrix.db")
    for n, (version, qwen) in enumerate((("0.5.4", 2.195), ("0.5.5.post3", 1.02), ("0.5.6", 2.2))):
        at = 1000.0 * (n + 1)
        served(opened, cell(version), qwen, at=at, resolved={"k": 4, "attention_backend": f"fa{n}"})
        served(opened, cell(version, target=LLAMA, draft="llama"), 2.3, at=at + 1)
        if n < 2:
            served(opened, cell(version, target=VL, draft="vl"), 2.1, at=at + 2)
        else:
            ended(opened, cell(version, target=VL, draft="vl"), Outcome.LOAD_CRASH, at=at + 2)
            served(opened, cell(version, target="new"), 2.0, at=at + 3)
        served(opened, cell(version, draft=None, method=Method.NONE), 1.0, at=at + 4)
    judged(opened)
    yield opened
    opened.close()


def words(found: Compared) -> dict[str, list[str]]:
    return {cell.names["target"] + "/" + cell.names["method"]: cell.words for cell in found.cells if cell.words}


def test_words_are_the_fixed_ones_and_the_largest_multiple_comes_first(store: Store) -> None:
    found = compare(store, "0.5.4", "0.5.5.post3")
    assert words(found)[f"{QWEN}/eagle3"][0] == "regression" and LLAMA not in " ".join(words(found))
    multiples = [cell.multiple for cell in found.cells]
    assert multiples == sorted(multiples, reverse=True) and multiples[0] > 20
    assert found.cells[0].names["target"] == QWEN
    assert "fixed" in words(compare(store, "0.5.5.post3", "0.5.6"))[f"{QWEN}/eagle3"]
    assert words(compare(store, "0.5.4", "0.5.6")) == {f"{VL}/eagle3": ["regression"], "new/eagle3": ["appeared"]}
    assert words(compare(store, "0.5.6", "0.5.4"))["new/eagle3"] == ["disappeared"]


def test_a_crash_has_no_figure_and_says_so(store: Store) -> None:
    found = compare(store, "0.5.4", "0.5.6", f"target={VL}")
    (row,) = [m for m in found.cells[0].metrics if m.metric == "accept-length"]
    assert (row.before, row.after, row.change, row.multiple) == (pytest.approx(2.1, abs=0.01), None, None, None)
    assert row.why == "not measured after" and row.state_after == "broken"


def test_prompts_are_paired_and_what_else_differs_is_counted(store: Store) -> None:
    found = compare(store, "0.5.4", "0.5.5.post3", f"target={QWEN} method=eagle3")
    (row,) = [m for m in found.cells[0].metrics if m.metric == "accept-length"]
    assert len(row.prompts) == row.pairs == 16
    assert all(p.before and p.after and p.change and p.change < -0.5 for p in row.prompts)
    assert row.q is not None and row.clear
    assert [(d.text, d.cells) for d in found.differences if "attention" in d.text] == [
        ("attention_backend changed from fa0 to fa1", 1)
    ]


def test_a_baseline_has_speed_and_no_accept_length(store: Store) -> None:
    found = compare(store, "0.5.4", "0.5.5.post3", "method=none")
    assert [m.metric for cell in found.cells for m in cell.metrics] == ["speed"]


def test_targets_and_configs_can_be_set_against_each_other(store: Store) -> None:
    found = compare(store, f"target={QWEN}", f"target={LLAMA}", "revision=0.5.4 method=eagle3")
    (pair,) = found.cells
    assert pair.before and pair.after and found.varying == ["target", "draft"]
    assert (pair.before.names["draft"], pair.after.names["draft"]) == ("qwen-eagle3", "llama")
    assert pair.words == [], "a word is for a change between revisions"


def test_what_cannot_be_answered_says_why(store: Store) -> None:
    with pytest.raises(NotFoundError, match="no run fits"):
        compare(store, "1", "2")
    with pytest.raises(ConfigError, match="both sides"):
        compare(store, "1", "1")


def test_no_other_revision_is_read(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(type(store.series), "points", lambda *_: pytest.fail("read a whole series"))
    assert compare(store, "0.5.4", "0.5.6").cells


def test_the_verb_prints_what_changed_and_all_as_json(tmp_path: Path, store: Store) -> None:
    db = ["--db", f"sqlite:///{store.place}"]
    text = CliRunner().invoke(cli, ["compare", "0.5.4", "0.5.5.post3", *db]).output
    assert "regression" in text and QWEN in text and "without a clear change; --all shows them" in text
    assert "attention_backend changed from fa0 to fa1 (1 of 4 cells)" in text
    assert LLAMA not in text
    assert LLAMA in CliRunner().invoke(cli, ["compare", "0.5.4", "0.5.5.post3", "--all", *db]).output
    body = json.loads(CliRunner().invoke(cli, ["compare", "0.5.4", "0.5.6", "--json", *db]).output)
    assert body["varying"] == ["revision"] and len(body["cells"]) == 5
