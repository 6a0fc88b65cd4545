"""Where a model's folder keeps its chat template."""

import json
from pathlib import Path
from typing import Any

from matrix.core.errors import ConfigError, Where

_DEFAULT = "default"


def template_source(folder: Path) -> tuple[str, Path] | None:
    """The template's text and its file, the first of chat_template.jinja, chat_template.json, tokenizer_config.json."""
    own = folder / "chat_template.jinja"
    if own.is_file():
        return read_text(own), own
    for file in (folder / "chat_template.json", folder / "tokenizer_config.json"):
        value = read_json(file).get("chat_template")
        if value is not None:
            return _pick(value, file), file
    return None


def _pick(value: Any, file: Path) -> str:
    """One text, or the one named `default` among named ones (the first where none is so named)."""
    if isinstance(value, str):
        return value
    named = value.items() if isinstance(value, dict) else [_pair(entry) for entry in value or []]
    texts = {name: text for name, text in named if isinstance(name, str) and isinstance(text, str)}
    if not texts:
        raise ConfigError("holds no template text", where=Where(str(file), key="chat_template"))
    return texts.get(_DEFAULT, next(iter(texts.values())))


def _pair(entry: Any) -> tuple[Any, Any]:
    return (entry.get("name"), entry.get("template")) if isinstance(entry, dict) else (None, None)


def read_json(file: Path) -> dict[str, Any]:
    """The object in `file`, empty when there is no such file. Raises `ConfigError` for anything else."""
    if not file.is_file():
        return {}
    try:
        body = json.loads(read_text(file))
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"is no JSON: {error}", where=Where(str(file))) from error
    if not isinstance(body, dict):
        raise ConfigError("is no JSON object", where=Where(str(file)))
    return body


def read_text(file: Path) -> str:
    try:
        return file.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"cannot be read: {error}", where=Where(str(file))) from error


def token_text(value: Any) -> str | None:
    """A special token's text: written as a string, or as an object with `content`."""
    content = value.get("content") if isinstance(value, dict) else value
    return content if isinstance(content, str) else None


def begin_token(folder: Path) -> str | None:
    """The begin mark that the model's tokenizer writes before every text by itself, None where it writes none.

    `add_bos_token` of tokenizer_config.json says so, else the post-processor of tokenizer.json by holding the mark.
    """
    config = read_json(folder / "special_tokens_map.json") | read_json(folder / "tokenizer_config.json")
    mark = token_text(config.get("bos_token"))
    if mark is None or config.get("add_bos_token") is False:
        return None
    adds = config.get("add_bos_token") is True
    return mark if adds or _holds(read_json(folder / "tokenizer.json").get("post_processor"), mark) else None


def _holds(value: Any, text: str) -> bool:
    """True when `text` is one of the strings, or names, anywhere in this JSON."""
    if isinstance(value, dict):
        return text in value or any(_holds(item, text) for item in value.values())
    return any(_holds(item, text) for item in value) if isinstance(value, list) else value == text
