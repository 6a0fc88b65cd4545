"""What a plan says of published images: the digest of each tag, what has none, and what could not be asked."""

from pathlib import Path

import pytest

from matrix.app.planning import make_plan
from matrix.app.published import Published, look_up
from matrix.app.source import Source
from matrix.core.errors import InfraError
from matrix.core.recipe import Recipe
from matrix.sources import hardware, registry
from tests.app.build import FakeExecutor
from tests.engines.cells import H200
from tests.fakes.image_registry import image_registry, put_image

DIGEST = "sha256:" + "a" * 64


class Empty(FakeExecutor):
    """A docker executor that has pulled nothing."""

    name = "docker"

    def built(self, recipe: Recipe) -> bool:
        return "here" in recipe.image


def test_each_image_that_would_be_pulled_is_asked_for_once(tmp_path: Path) -> None:
    with image_registry(tmp_path / "registry") as host:
        put = put_image(host, "vllm/vllm-openai", "v1")
        images = [f"{host}/vllm/vllm-openai:{tag}" for tag in ("v1", "v1", "v2", "here")]
        found = look_up([Recipe("image", (), image=image) for image in [*images, ""]], Empty())
    assert [(i.digest, i.absent) for i in found] == [(put, False), (None, True)]
    assert str(found[0]) == f"{images[0]} is {put}"
    assert "no such tag" in str(found[1])


def test_a_registry_that_does_not_answer_is_said_and_asked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def digest(image: str) -> str:
        asked.append(image)
        raise InfraError("the registry cannot be reached", hint="check the network")

    monkeypatch.setattr(registry, "digest", digest)
    found = look_up([Recipe("image", (), image=f"vllm/vllm-openai:v{n}") for n in range(3)], Empty())
    assert asked == ["vllm/vllm-openai:v0"]
    reason = "not resolved: the registry cannot be reached (check the network)"
    assert found == tuple(Published(f"vllm/vllm-openai:v{n}", None, reason) for n in range(3))


def test_a_release_without_its_image_is_not_applicable_and_the_others_are_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hardware, "detect", lambda: H200)
    monkeypatch.setattr(registry, "digest", lambda image: DIGEST if image.endswith("v0.11.0") else None)
    (tmp_path / "models" / "t").mkdir(parents=True)
    (tmp_path / "models" / "t" / "config.json").write_text("{}")
    file = tmp_path / "matrix.toml"
    file.write_text(
        'executor = "docker"\n[engines.vllm]\ninstall = "image"\nversions = ["0.11.0", "0.11.1"]\n'
        '[targets.t]\npath = "models/t"\n'
    )
    plan = make_plan(Source(file), Empty(), None)
    assert [(p.cell.revision.version, p.unsupported is None) for p in plan.cells] == [
        ("0.11.0", True),
        ("0.11.1", False),
    ]
    assert "vllm/vllm-openai:v0.11.1: its registry has no such tag" in str(plan.cells[1].unsupported)
    assert [i.digest for i in plan.images] == [DIGEST, None]
