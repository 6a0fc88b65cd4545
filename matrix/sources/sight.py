"""What kind of model a folder holds, read from its config.json: its class, and whether it can be shown images."""

import json
from pathlib import Path
from typing import Any

_NAMES = frozenset({"img_processor", "mm_vision_tower", "visual", "image_token_id", "image_token_index"})
_DEPTH = 3


def sees_images(folder: Path) -> bool | None:
    """True when the config names an image encoder (`vision_config` and what older families call it).

    None where there is no config that could be read: nothing is known then.
    """
    config = _config(folder)
    return None if config is None else _names_encoder(config, _DEPTH)


def architecture(folder: Path) -> str:
    """The first class that the config names (`Qwen3ForCausalLM`); empty where nothing is known."""
    named = (_config(folder) or {}).get("architectures")
    return named[0] if isinstance(named, list) and named and isinstance(named[0], str) else ""


def _config(folder: Path) -> dict[str, Any] | None:
    try:
        config = json.loads((folder / "config.json").read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    return config if isinstance(config, dict) else None


def _names_encoder(config: dict[str, Any], depth: int) -> bool:
    """Looks into nested configs too: some families wrap their language model and its encoders once more."""
    for name, value in config.items():
        if (name.startswith("vision_") or name in _NAMES) and value is not None:
            return True
        if depth > 1 and isinstance(value, dict) and _names_encoder(value, depth - 1):
            return True
    return False
