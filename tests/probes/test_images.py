"""Image prompts: ours are drawn, hashed and never change; a user's own are read beside their file."""

import base64
import json
import struct
import zlib
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from matrix.core.errors import ConfigError
from matrix.core.workload import Prompt
from matrix.probes.workloads import by_kind, load_prompts_file, load_workload
from matrix.probes.workloads.drawing.__main__ import drawn
from matrix.probes.workloads.drawing.scenes import SCENES
from matrix.probes.workloads.images import LARGEST

CONTENT = "98e41cffd7a8cb9bec8b15001c441bad0fe51b53798c80a7d3d9e42230242297"
PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


def pixels_of(png: bytes) -> tuple[int, int, bytes]:
    """Width, height and unpacked rows of an eight-bit PNG."""
    width, height = struct.unpack(">II", png[16:24])
    size = struct.unpack(">I", png[33:37])[0]
    assert png[37:41] == b"IDAT"
    return width, height, zlib.decompress(png[41 : 41 + size])


def image_of(prompt: Prompt) -> bytes:
    return base64.b64decode(prompt.image.removeprefix("data:image/png;base64,"), validate=True)


def test_standard_images_are_sixteen_of_three_kinds() -> None:
    workload = load_workload("standard-images")
    assert (len(workload.prompts), workload.kind, workload.max_tokens) == (16, "image", 128)
    assert Counter(p.kind for p in workload.prompts) == {"chart": 6, "shapes": 5, "page": 5}
    assert all(p.chat and p.text for p in workload.prompts)
    assert len({p.image for p in workload.prompts}) == 16
    assert {p.kind for p in workload.prompts[:3]} == {"chart", "shapes", "page"}


def test_images_never_change_unnoticed() -> None:
    """As with the texts: a new hash orphans what is stored."""
    assert load_workload("standard-images").content == CONTENT


def test_the_files_are_what_the_script_draws() -> None:
    """Pixels are compared: another compressor packs them into other bytes."""
    prompts = {p.id: p for p in load_workload("standard-images").prompts}
    assert list(prompts) == [scene.id for scene in SCENES]
    for scene in SCENES:
        canvas = drawn(scene)
        assert pixels_of(image_of(prompts[scene.id])) == (*scene.size, canvas.pixels())
        assert pixels_of(canvas.png())[2] == canvas.pixels()


def test_each_picture_shows_something_of_its_own() -> None:
    seen = [drawn(scene).pixels() for scene in SCENES]
    assert len(set(seen)) == len(SCENES)
    assert all(len(set(zip(p[1::3], p[2::3], p[3::3], strict=False))) > 1 for p in seen)


def test_an_image_is_part_of_the_content_and_a_text_prompt_is_as_before() -> None:
    text = load_workload("standard")
    shown = replace(text, prompts=(replace(text.prompts[0], image="data:image/png;base64,AA=="), *text.prompts[1:]))
    other = replace(text, prompts=(replace(text.prompts[0], image="data:image/png;base64,AB=="), *text.prompts[1:]))
    assert len({text.content, shown.content, other.content}) == 3


def own(folder: Path, *lines: dict[str, object]) -> Path:
    (folder / "dot.png").write_bytes(PIXEL)
    (folder / "words.txt").write_text("no image")
    (folder / "huge.png").write_bytes(PIXEL + bytes(LARGEST))
    file = folder / "prompts.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return file


def test_own_images_lie_beside_their_file(tmp_path: Path) -> None:
    (prompt,) = load_prompts_file(own(tmp_path, {"text": "What is it?", "image": "dot.png"}))
    assert prompt.chat and image_of(prompt) == PIXEL


def test_a_mixed_file_is_two_workloads(tmp_path: Path) -> None:
    prompts = load_prompts_file(own(tmp_path, {"text": "a"}, {"text": "b", "image": "dot.png"}, {"text": "c"}))
    assert [(name, kind, [p.text for p in part]) for name, kind, part in by_kind("mine", prompts)] == [
        ("mine", "text", ["a", "c"]),
        ("mine+images", "image", ["b"]),
    ]
    assert [name for name, _, _ in by_kind("mine", prompts[1:2])] == ["mine"]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ({"image": "none.png"}, ":1: image: `none.png` cannot be read: No such file"),
        ({"image": "words.txt"}, ":1: image: `words.txt` is no PNG, JPEG, GIF or WebP file"),
        ({"image": "huge.png"}, ":1: image: `huge.png` is larger than 4 MiB"),
        ({"image": "dot.png", "sha256": "00"}, ":1: image: `dot.png` has the hash "),
        ({"image": "dot.png", "chat": False}, ":1: chat: an image needs the chat template"),
        ({"image": "a\0b"}, ":1: image: `a\0b` cannot be read"),
        ({"sha256": "00"}, ":1: sha256: belongs to an `image`"),
        ({"image": 5}, ":1: image: expected a text, found 5"),
    ],
)
def test_errors_name_file_line_and_key(tmp_path: Path, line: dict[str, object], said: str) -> None:
    file = own(tmp_path, {"text": "a", **line})
    with pytest.raises(ConfigError) as caught:
        load_prompts_file(file)
    where, cause = caught.value.where, caught.value.cause
    assert f"{where}: {cause}".startswith(f"{file}{said}")
