"""Text of a `matrix.toml` to `Config`, with errors that name file, line, key and what was expected."""

import tomllib
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from matrix.core.errors import ConfigError, Where
from matrix.plan.config import Config
from matrix.plan.locate import line_of

_EXPECTED = {
    "missing": "this key is missing",
    "too_short": "expected at least one entry",
    "extra_forbidden": "unknown key",
    "string_type": "expected text in quotes",
    "int_type": "expected a whole number",
    "float_type": "expected a number",
    "bool_type": "expected true or false",
    "list_type": "expected a list in [ ]",
    "dict_type": "expected a table",
    "model_type": "expected a table",
    "model_attributes_type": "expected a table",
}


_MOST_FAULTS = 20
"""Faults of one file that are explained; a file of thousands of them has one cause."""


def parse_config(text: str, file: str) -> Config:
    """The checked config. Raises ConfigError; `error.others` holds the further ones, up to 20 in all."""
    raw = _loaded(text, file)
    try:
        return Config.model_validate(raw)
    except ValidationError as error:
        errors = [_explain(e, text, file) for e in error.errors()[:_MOST_FAULTS]]
        if error.error_count() > _MOST_FAULTS:
            errors.append(ConfigError(f"{error.error_count() - _MOST_FAULTS} further faults", where=Where(file)))
        errors[0].others = tuple(errors[1:])
        raise errors[0] from None


def _loaded(text: str, file: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise _syntax(error, text, file) from None
    except RecursionError:
        raise ConfigError("lists or tables are nested too deep", where=Where(file)) from None
    except ValueError:  # Python reads no whole number of more than 4300 digits
        raise ConfigError(
            "a whole number has too many digits", hint="look for a long number", where=Where(file)
        ) from None


def _syntax(error: tomllib.TOMLDecodeError, text: str, file: str) -> ConfigError:
    message = str(error)
    line: int | None = None
    if "at line " in message:
        line = int(message.split("at line ")[1].split(",", maxsplit=1)[0])
    elif "at end of document" in message:
        line = len(text.splitlines())
    return ConfigError(f"not valid TOML: {message}", hint="see https://toml.io", where=Where(file, line))


def _explain(detail: ErrorDetails, text: str, file: str) -> ConfigError:
    path = _real_path(detail)
    cause = _EXPECTED.get(detail["type"], detail["msg"].removeprefix("Value error, "))
    if not path and ": " in cause and cause.split(":")[0].count("."):
        dotted, cause = cause.split(": ", 1)
        path = tuple(dotted.split("."))
    key = ".".join(str(p) for p in path) or None
    given = _given(detail)
    return ConfigError(cause + given, hint=_hint(detail, path), where=Where(file, line_of(text, path), key))


def _real_path(detail: ErrorDetails) -> tuple[str | int, ...]:
    """pydantic adds steps of its own (`[key]`, union branches); only steps that exist in the file are kept."""
    return tuple(p for p in detail["loc"] if p != "[key]" and not (isinstance(p, str) and p.startswith("function-")))


def _given(detail: ErrorDetails) -> str:
    if detail["type"] in ("missing", "extra_forbidden", "value_error", "too_short"):
        return ""
    return f", not {_short(detail['input'])}"


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _hint(detail: ErrorDetails, path: tuple[str | int, ...]) -> str:
    if detail["type"] == "extra_forbidden":
        return f"keys allowed here: {', '.join(_allowed(path[:-1]))}"
    if detail["type"] == "missing":
        return "`matrix init --schema` prints every key"
    return ""


def _allowed(path: tuple[str | int, ...]) -> list[str]:
    """Field names of the table at `path`, found by walking the model's annotations."""
    schema = Config.model_json_schema()
    node: dict[str, Any] = schema
    for step in path:
        node = _child(node, step)
        if "$ref" in node:
            node = schema["$defs"][node["$ref"].rsplit("/", 1)[-1]]
    return sorted(node.get("properties", {}))


def _child(node: dict[str, Any], step: str | int) -> dict[str, Any]:
    if isinstance(step, int):
        child = node.get("items", {})
    else:
        child = node.get("properties", {}).get(step) or node.get("additionalProperties") or _pattern(node)
    return child if isinstance(child, dict) else {}


def _pattern(node: dict[str, Any]) -> dict[str, Any]:
    patterns = node.get("patternProperties", {})
    return next(iter(patterns.values()), {})
