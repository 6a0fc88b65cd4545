"""Whether a model takes images, from the configs of different families."""

import json
from pathlib import Path
from typing import Any

import pytest

from matrix.sources.sight import sees_images


@pytest.mark.parametrize(
    ("config", "sees"),
    [
        ({"model_type": "llama", "vocab_size": 8}, False),
        ({"model_type": "qwen2_vl", "vision_config": {"depth": 2}}, True),
        ({"model_type": "mistral3", "vision_config": None, "text_config": {}}, False),
        ({"model_type": "omni", "thinker_config": {"vision_config": {}}}, True),
        ({"model_type": "qwen", "visual": {"layers": 2}}, True),
        ({"model_type": "phi3_v", "img_processor": {}}, True),
        ({"model_type": "llava", "mm_vision_tower": "clip"}, True),
    ],
)
def test_families(tmp_path: Path, config: dict[str, Any], sees: bool) -> None:
    (tmp_path / "config.json").write_text(json.dumps(config))
    assert sees_images(tmp_path) is sees


@pytest.mark.parametrize("text", [None, "no json", "[1]", "[" * 100_000])
def test_what_cannot_be_read_is_unknown(tmp_path: Path, text: str | None) -> None:
    if text is not None:
        (tmp_path / "config.json").write_text(text)
    assert sees_images(tmp_path) is None
