"""A gathered launch line written as TOML."""

import json
import re
from typing import Any

from matrix.engines.launchdraft import Draft
from matrix.engines.recipes import IMAGE, VLLM_CPU

_HUB = re.compile(r"[A-Za-z0-9][\w.-]*/[\w.-]+")


def as_toml(draft: Draft) -> str:
    """The text of a `matrix.toml`."""
    executor = "docker" if draft.install == IMAGE else "venv"
    parts = [
        "# Written from a launch line; `matrix plan` shows the cells that it makes.",
        f'executor = "{executor}"',
        "",
    ]
    parts += _table(f"engines.{draft.engine}", _engine(draft))
    parts += _table("targets.target", _model(draft.target))
    if draft.draft:
        parts += _table("drafts.draft", _model(draft.draft))
    for name, spec in draft.specs.items():
        parts += _table(f"specs.{name}", spec)
    for batch in draft.batches:
        parts += _table(f"workloads.batch-{batch}", {"prompts": "standard", "concurrency": batch})
    return "\n".join(parts)


def _engine(draft: Draft) -> dict[str, Any]:
    keys: dict[str, Any] = {"install": draft.install, "site": draft.site}
    keys |= {"versions": draft.versions, "dtype": draft.dtype, "max_model_len": draft.max_model_len}
    gpus = 0 if draft.install == VLLM_CPU else draft.gpus
    keys |= {"gpus": gpus, "flags": draft.flags, "env": draft.env}
    return {key: value for key, value in keys.items() if value}


def _model(name: str) -> dict[str, Any]:
    local = name.startswith(("/", ".", "~", "$")) or not _HUB.fullmatch(name)
    return {"path": name} if local else {"hub": name}


def _table(name: str, keys: dict[str, Any]) -> list[str]:
    return [f"[{name}]", *(f"{key} = {_value(value)}" for key, value in keys.items()), ""]


def _value(value: Any) -> str:
    """A TOML value; JSON spells texts, numbers and lists the same way."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{_key(key)} = {_value(entry)}" for key, entry in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(_value(entry) for entry in value) + "]"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _key(key: str) -> str:
    return key if re.fullmatch(r"[\w-]+", key, re.ASCII) else json.dumps(key)
