"""Pasted text cut into shell words: what chats, web pages and manifests did to a launch line is undone first."""

import re
import shlex
from collections.abc import Iterator

_QUOTES = str.maketrans("“”„‘’\xa0", '"""\'\' ')
_DASH = re.compile(r"(?<!\S)[–—](?=[A-Za-z])")
_COMMENT = re.compile(r"(?m)^\s*#[^\n]*$|\s+\\?[ \t]*#(?!\S)[^\n\"']*$")
_CONTINUED = re.compile(r"\\[ \t]*(?:\r?\n|\Z)")
_MANIFEST = re.compile(r"(?m)^\s*(?:-\s+)?(?:args|command|entrypoint)\s*:(?:\s|$)")
_KEY = re.compile(r"[A-Za-z][\w.-]*:")
_LAUNCH = ("image", "entrypoint", "command", "args")
_BLOCK = re.compile(r"-|[|>][+-]?")
_SHELL = re.compile(r"-[leix]*c")


def shell_words(text: str) -> list[str]:
    """The words of a command, or of a Kubernetes or Compose manifest's one: its environment, image and arguments.

    The script of a `bash -c` stands in its place, word by word. Raises ValueError for quotes that do not close.
    """
    text = _DASH.sub("--", text.strip().strip("`").translate(_QUOTES))
    text = _CONTINUED.sub(" ", _COMMENT.sub("\n", text))
    words = shlex.split(text)
    if _MANIFEST.search(text):
        words = _of_manifest(words)
    return list(_scripts(words))


def _of_manifest(words: list[str]) -> list[str]:
    """Variables as assignments, then the image, the command and its arguments, in the order in which they are run."""
    parts: dict[str, list[str]] = {}
    key = name = ""
    env: list[str] = []
    for word in words:
        if _KEY.fullmatch(word):
            key = word[:-1]
        elif key == "environment" and "=" in word:
            env.append(word)
        elif key == "name":
            name = word
        elif key == "value" and name:
            env.append(f"{name}={word}")
            name = ""
        elif not _BLOCK.fullmatch(word):
            parts.setdefault(key, []).append(word)
    return env + [word for part in _LAUNCH for word in _items(parts.get(part, []))]


def _items(words: list[str]) -> list[str]:
    """The items of a list in brackets; those of any other as they are."""
    if not words or not words[0].startswith("[") or not words[-1].endswith("]"):
        return words
    words = [words[0][1:], *words[1:]]
    words[-1] = words[-1][:-1]
    return [word.removesuffix(",") for word in words if word not in ("", ",")]


def _scripts(words: list[str]) -> Iterator[str]:
    """The words, each shell's script as words of its own."""
    rest = iter(words)
    for word in rest:
        if not _SHELL.fullmatch(word):
            yield word
            continue
        script = next(rest, "")
        if " " in script and ("vllm" in script or "sglang" in script):
            yield from shlex.split(_CONTINUED.sub(" ", script))
        else:
            yield from (word, script)
