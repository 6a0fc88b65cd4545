"""Prompts from JSON lines, with errors that name file, line and key."""

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

from matrix.core.errors import ConfigError, Where
from matrix.core.workload import IMAGE, TEXT, Prompt, Workload
from matrix.probes.workloads.images import ReadImage, data_uri

RESERVED = "pooled"  # the name of the pseudo-sample of several requests in flight
# File, prompts, tokens generated for each, kind.
_SETS = {
    "standard": ("standard.jsonl", 64, 128, TEXT),
    "demo": ("standard.jsonl", 16, 64, TEXT),
    "standard-images": ("standard-images.jsonl", 16, 128, IMAGE),
}
_KEYS: dict[str, type] = {"id": str, "kind": str, "text": str, "chat": bool, "image": str, "sha256": str}


def workload_names() -> list[str]:
    """Names that `load_workload` knows."""
    return list(_SETS)


def load_workload(
    name: str, *, limit: int | None = None, max_tokens: int | None = None, concurrency: int = 1, repetitions: int = 1
) -> Workload:
    """One of our workloads: `standard` (64 prompts, 128 tokens each), `demo` (its first 16, 64 tokens each) or
    `standard-images` (16 prompts that each show an image, 128 tokens each).

    `limit` takes only the first so many prompts. Kinds alternate, so each beginning holds all of them.
    """
    if name not in _SETS:
        raise ConfigError(f"unknown workload {name!r}", hint=f"known: {', '.join(_SETS)}; or give a file of prompts")
    file, count, tokens, kind = _SETS[name]
    folder = files("matrix.probes.workloads")
    text = folder.joinpath(file).read_text("utf-8")
    prompts = parse_prompts(text, file, lambda image: folder.joinpath(image).read_bytes())[:count]
    return Workload(
        name=name,
        prompts=prompts[:limit],
        max_tokens=max_tokens or tokens,
        concurrency=concurrency,
        repetitions=repetitions,
        kind=kind,
    )


def load_prompts_file(path: str | Path) -> tuple[Prompt, ...]:
    """A user's own prompts: JSON lines with `text` and, if wanted, `id`, `kind`, `chat`, `image` and `sha256`.

    `image` is a path beside the file. Raises `ConfigError`.
    """
    where = Where(file=str(path))
    try:
        text = Path(path).read_text("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ConfigError("is not UTF-8 text", where=where) from error
    except OSError as error:
        raise ConfigError(f"cannot be read: {error.strerror}", hint="give the path of a file", where=where) from error
    return parse_prompts(text, str(path), lambda image: (Path(path).parent / image).read_bytes())


def by_kind(name: str, prompts: tuple[Prompt, ...]) -> list[tuple[str, str, tuple[Prompt, ...]]]:
    """Workload name, kind and prompts of each kind that is there; those with images get a name of their own beside
    those without, so that the two are never pooled."""
    texts = tuple(p for p in prompts if not p.image)
    images = tuple(p for p in prompts if p.image)
    rows = [(name, TEXT, texts), (f"{name}+images" if texts else name, IMAGE, images)]
    return [row for row in rows if row[2]]


def parse_prompts(text: str, file: str, read: ReadImage) -> tuple[Prompt, ...]:
    """Prompts in order, blank lines skipped. Without an `id` the line's number is taken, without a `kind` `custom`."""
    prompts: dict[str, Prompt] = {}
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        prompt = _prompt(line, file, number, read)
        if prompt.id in prompts or prompt.id == RESERVED:
            cause = f"{prompt.id!r} is {'reserved' if prompt.id == RESERVED else 'taken by an earlier line'}"
            raise ConfigError(cause, hint="give each prompt an id of its own", where=Where(file, number, "id"))
        prompts[prompt.id] = prompt
    if not prompts:
        raise ConfigError("holds no prompt", hint='write lines like {"text": "def main("}', where=Where(file))
    return tuple(prompts.values())


def _prompt(line: str, file: str, number: int, read: ReadImage) -> Prompt:
    body = _object(line, file, number)
    for key, value in body.items():
        _check(key, value, Where(file, number, key))
    if not body.get("text"):
        raise ConfigError("is missing or empty", hint="the prompt itself", where=Where(file, number, "text"))
    image = _image(body, file, number, read)
    chat = body.get("chat", bool(image))
    return Prompt(body.get("id", f"line-{number}"), body.get("kind", "custom"), body["text"], chat, image)


def _object(line: str, file: str, number: int) -> dict[str, Any]:
    try:
        body = json.loads(line)
    except (ValueError, RecursionError) as error:
        detail = f"{error.msg} at column {error.colno}" if isinstance(error, json.JSONDecodeError) else str(error)
        raise ConfigError(f"is no JSON: {detail}", hint="one object a line", where=Where(file, number)) from error
    if not isinstance(body, dict):
        raise ConfigError(f"is a JSON {type(body).__name__}, not an object", where=Where(file, number))
    return body


def _image(body: dict[str, Any], file: str, number: int, read: ReadImage) -> str:
    """The image's data URI, empty for a prompt without one."""
    if "image" not in body:
        if "sha256" in body:
            raise ConfigError("belongs to an `image`", where=Where(file, number, "sha256"))
        return ""
    if body.get("chat") is False:
        hint = "leave `chat` out: only the model's template says where an image stands"
        raise ConfigError("an image needs the chat template", hint=hint, where=Where(file, number, "chat"))
    return data_uri(body["image"], body.get("sha256"), read, Where(file, number, "image"))


def _check(key: str, value: Any, where: Where) -> None:
    wanted = _KEYS.get(key)
    if wanted is None:
        raise ConfigError("unknown key", hint=f"known: {', '.join(_KEYS)}", where=where)
    if not isinstance(value, wanted):
        expected = "true or false" if wanted is bool else "a text"
        raise ConfigError(f"expected {expected}, found {json.dumps(value)[:60]}", where=where)
    text = str(value)
    if any("\ud800" <= c <= "\udfff" for c in text):
        raise ConfigError("holds half of a surrogate pair", hint="write the character itself", where=where)
    if key == "id" and not text.strip():
        raise ConfigError("is empty", where=where)
