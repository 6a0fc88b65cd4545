"""A vision model whose draft fails on images only, swept on both engines: text and images are two series, two states."""

import json
from typing import Any

import pytest

from tests.e2e.kit import Place, model
from tests.e2e.sites import SGLANG, VLLM, project, run_of, states, sweep

ENGINES = {"vllm": VLLM, "sglang": SGLANG, "sglang-old": ("sglang", "0.5.9")}
TEMPLATE = """\
{% for m in messages %}<|im_start|>{{ m.role }}
{% if m.content is string %}{{ m.content }}{% else %}{% for part in m.content %}{% if part.type == 'image' -%}
<|vision_start|><|image_pad|><|vision_end|>{% else %}{{ part.text }}{% endif %}{% endfor %}{% endif %}<|im_end|>
{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant
{% endif %}"""
REST = """
[targets.seeing]
path = "models/seeing"

[workloads.words]
limit = 6
max_tokens = 48

[workloads.pictures]
prompts = "standard-images"
limit = 6
max_tokens = 48
"""
SCRIPT = {"acceptance": [0.7, 0.45, 0.25], "image_acceptance": [0.0, 0.0, 0.0]}

Rows = dict[tuple[str, str, str, str], dict[str, Any]]


@pytest.fixture(scope="module")
def swept(tmp_path_factory: pytest.TempPathFactory) -> tuple[Place, Rows]:
    here = project(tmp_path_factory.mktemp("vision"), SCRIPT, REST, ENGINES)
    folder = model(here.folder / "models" / "seeing", b"seeing")
    (folder / "config.json").write_text(json.dumps({"vocab_size": 8, "vision_config": {"depth": 2}}))
    (folder / "chat_template.jinja").write_text(TEMPLATE)
    return here, sweep(here)


@pytest.mark.parametrize(("engine", "version"), ENGINES.values())
def test_a_draft_that_fails_on_images_only_shows_as_that(swept: tuple[Place, Rows], engine: str, version: str) -> None:
    here, rows = swept
    words, pictures = (rows[engine, version, "seeing", name] for name in ("words", "pictures"))
    assert (words["kind"], pictures["kind"]) == ("text", "image")
    assert words["series_key"] != pictures["series_key"]
    assert 1.5 < words["accept_length"] < 3.5
    assert (pictures["outcome"], pictures["accept_length"], pictures["per_position"]) == ("ok", 1.0, [0, 0, 0])
    assert "never-accepted" in pictures["flags"] and words["flags"] == []
    assert states(here, words)["accept-length"] == "healthy"
    assert states(here, pictures)["accept-length"] == "collapsed"


@pytest.mark.parametrize(("engine", "version"), ENGINES.values())
def test_the_output_on_images_is_compared_with_the_baselines(
    swept: tuple[Place, Rows], engine: str, version: str
) -> None:
    here, rows = swept
    view = run_of(here, rows[engine, version, "seeing", "pictures"])
    assert view.baseline_run is not None
    assert states(here, rows[engine, version, "seeing", "pictures"])["output"] == "healthy"
    assert len({s.text for s in view.samples}) == 6 and {s.kind for s in view.samples} == {"chart", "shapes", "page"}


@pytest.mark.parametrize(("engine", "version"), ENGINES.values())
def test_a_text_only_target_is_not_applicable(swept: tuple[Place, Rows], engine: str, version: str) -> None:
    here, rows = swept
    row = rows[engine, version, "tiny", "pictures"]
    assert (row["outcome"], row["accept_length"]) == ("unsupported", None)
    assert "takes text only" in row["reason"]
    assert set(states(here, row).values()) == {"not-applicable"}
    assert rows[engine, version, "tiny", "words"]["outcome"] == "ok"


def test_the_plan_says_so_before_anything_runs(swept: tuple[Place, Rows]) -> None:
    here, _ = swept
    lines = here.lines("plan", "--db", "sqlite:///none.db", "target=tiny", "workload=pictures")
    assert {line["status"] for line in lines} == {"not-applicable"}
    assert all("vision_config" in line["reason"] for line in lines)
