"""The training text: a Python standard library's sources, and conversations made from its docstrings and functions."""

import ast
import hashlib
import random
import sysconfig
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from matrix.demo.train.settings import FILE, START, STOP

# Tests and bundled tools are left out because distributions split them off (the text would differ between
# installations); encodings is mostly generated tables.
SKIPPED = frozenset(
    (
        "test",
        "tests",
        "idlelib",
        "lib2to3",
        "encodings",
        "turtledemo",
        "ensurepip",
        "site-packages",
        "dist-packages",
        "__pycache__",
    )
)
HELD_OUT_EVERY = 40
ANSWER_CHARS = 1200

Code = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


@dataclass(frozen=True, slots=True)
class Corpus:
    """Documents to train on and documents held out, each a whole text; ``sha256`` is that of all sources in order."""

    train: tuple[str, ...]
    held: tuple[str, ...]
    sha256: str


def standard_library() -> Path:
    """The folder of the running interpreter's standard library."""
    return Path(sysconfig.get_path("stdlib"))


def source_files(root: Path) -> list[Path]:
    """The .py files under ``root`` that count as text, in the order of their relative paths."""
    found = (path.relative_to(root) for path in root.rglob("*.py"))
    return [root / path for path in sorted(found, key=Path.as_posix) if SKIPPED.isdisjoint(path.parts)]


def read_corpus(root: Path, seed: int) -> Corpus:
    """Every source file and the conversations drawn from it; one file in forty is held out whole."""
    rng = random.Random(seed)  # noqa: S311  # nosec B311
    parts: tuple[list[str], list[str]] = ([], [])
    digest = hashlib.sha256()
    for number, path in enumerate(source_files(root)):
        source = path.read_text(encoding="utf-8", errors="replace")
        digest.update(source.encode())
        side = parts[number % HELD_OUT_EVERY == HELD_OUT_EVERY - 1]
        side.append(FILE + source)
        side.extend(conversations(path.stem, source, rng))
    if not parts[0]:
        raise FileNotFoundError(f"{root}: no .py files here; name a folder of Python sources with --text")
    # Next to its file an exchange would teach copying before it teaches language.
    rng.shuffle(parts[0])
    return Corpus(tuple(parts[0]), tuple(parts[1]), digest.hexdigest())


def conversations(module: str, source: str, rng: random.Random) -> Iterator[str]:
    """A short exchange for each documented or small piece of code in ``source``; none if it does not parse."""
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return
    written = source.splitlines()
    for node in ast.walk(tree):
        if isinstance(node, Code):
            yield from _about(module, written, node, rng)


def _about(module: str, written: list[str], node: Code, rng: random.Random) -> Iterator[str]:
    doc = ast.get_docstring(node)
    if doc and len(doc) <= ANSWER_CHARS:
        yield exchange(_question(module, node.name, rng), doc)
    lines = textwrap.dedent("\n".join(written[node.lineno - 1 : node.end_lineno])).splitlines()
    if len(lines) >= 3 and sum(map(len, lines)) <= ANSWER_CHARS:
        yield rng.choice(ASKED)(node.name, lines, rng)


def _question(module: str, name: str, rng: random.Random) -> str:
    forms = (
        f"What does {name} in the module {module} do?",
        f"Explain {module}.{name}.",
        f"Describe {name} in a few words.",
        f"How do I use {name} from {module}?",
    )
    return rng.choice(forms)


def _write(name: str, lines: list[str], rng: random.Random) -> str:
    ask = rng.choice((f"Write {name} in Python.", f"Show me the code of {name}.", f"Implement {name}."))
    return exchange(ask, "\n".join(lines))


def _finish(_: str, lines: list[str], rng: random.Random) -> str:
    cut = rng.randrange(1, len(lines))
    return exchange("Complete this code:\n" + "\n".join(lines[:cut]), "\n".join(lines[cut:]))


def _repeat(_: str, lines: list[str], rng: random.Random) -> str:
    line, times = rng.choice(lines).strip() or "pass", rng.randrange(3, 9)
    return exchange(f"Repeat this line {times} times:\n{line}", "\n".join([line] * times))


# Repeating is asked for seldom: a target that learns it well loops in everything else too.
ASKED = (_write, _finish) * 5 + (_repeat,)


def exchange(question: str, answer: str) -> str:
    """One question and its answer, worded as the chat template words them."""
    return f"{START}user\n{question}{STOP}\n{START}assistant\n{answer}{STOP}\n"
