"""Whether a model can be shown images, read from its config.json."""

import json
from pathlib import Path
from typing import Any

_NAMES = frozenset({"img_processor", "mm_vision_tower", "visual", "image_token_id", "image_token_index"})
_DEPTH = 3


def sees_images(folder: Path) -> bool | None:
    """True when the config names an image encoder (`vision_config` and what older families call it).

    None where there is no config that could be read: nothing is known then.
    """
    try:
        config = json.loads((folder / "config.json").read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    return _names_encoder(config, _DEPTH) if isinstance(config, dict) else None


def _names_encoder(config: dict[str, Any], depth: int) -> bool:
    """Looks into nested configs too: some families wrap their language model and its encoders once more."""
    for name, value in config.items():
        if (name.startswith("vision_") or name in _NAMES) and value is not None:
            return True
        if depth > 1 and isinstance(value, dict) and _names_encoder(value, depth - 1):
            return True
    return False
