"""A cell's spec config and flags in the spelling of its SGLang release."""

from matrix.core.cell import Cell
from matrix.core.recipe import Placement
from matrix.core.spec import Method, SpecConfig
from matrix.engines.quirks import find, first, what
from matrix.engines.sglang_quirks import ALGORITHMS, FLAGS

ALGORITHM = "algorithm"
"""The key of `extra` that names an algorithm of SGLang's own (DFLASH, DSPARK, UNO, FROZEN_KV_MTP)."""

_NEVER = {
    Method.SUFFIX: "SGLang has no suffix decoding; its nearest relative is `ngram`",
    Method.MEDUSA: "SGLang has no Medusa heads",
}


def algorithm(cell: Cell) -> str:
    """The value of `--speculative-algorithm` in this release; empty for a baseline and where it has none."""
    return "" if cell.spec.is_baseline else what(ALGORITHMS, _topic(cell.spec), cell.revision.version)


def unsupported(cell: Cell) -> str | None:
    """Why this release cannot run this cell, or None."""
    spec, version = cell.spec, cell.revision.version
    if spec.is_baseline:
        return None
    if spec.method in _NEVER and _topic(spec) == spec.method:
        return _NEVER[spec.method]
    since = first(ALGORITHMS, _topic(spec))
    if not algorithm(cell):
        named = f"SGLang knows no speculative algorithm `{_topic(spec)}`"
        return f"SGLang has {_spelled(spec)} from {since} on; this is {version}" if since else named
    if (spec.topk or 1) > 1 and spec.draft_tokens is None and _sized(spec):
        return f"a top-k of {spec.topk} grows a tree whose size SGLang must be told: give `draft_tokens`"
    return None


def spec_args(cell: Cell, place: Placement) -> list[str]:
    """The speculative flags. SGLang wants its three sizes together: with some of them alone its releases crash.

    Without `topk` it is 1, a chain, and then the draft tokens are k + 1, since they count the root. A chain asked for
    with another number runs with k + 1 as well (every release adjusts it), so what was asked is passed on and what it
    became is read back.
    """
    spec = cell.spec
    if spec.is_baseline:
        return []
    args = ["--speculative-algorithm", algorithm(cell)]
    # Layers of the target's own draft for it: named as the draft too, since only some models default to it.
    draft = place.target if spec.method is Method.MTP else place.draft
    args += ["--speculative-draft-model-path", draft] if draft else []
    return args + _sizes(spec) + _extra(spec)


def user_flags(cell: Cell) -> list[str]:
    """The user's flags, those that this release spells otherwise in its spelling."""
    return [_renamed(flag, cell.revision.version) for flag in cell.launch.flags]


def _sizes(spec: SpecConfig) -> list[str]:
    if spec.k is None:
        return []
    draft_tokens = str(spec.draft_tokens or spec.k + 1)
    if not _sized(spec):
        return ["--speculative-num-draft-tokens", draft_tokens]
    sizes = {"num-steps": str(spec.k), "eagle-topk": str(spec.topk or 1), "num-draft-tokens": draft_tokens}
    return [word for name, size in sizes.items() for word in (f"--speculative-{name}", size)]


def _sized(spec: SpecConfig) -> bool:
    """N-gram lookup has no steps and no top-k; its tree is as large as its draft tokens."""
    return spec.method is not Method.NGRAM


def _extra(spec: SpecConfig) -> list[str]:
    """Further keys as flags: `ngram_capacity = 1000` is `--speculative-ngram-capacity 1000`; true is the bare flag."""
    words: list[str] = []
    for key, value in spec.extra:
        if key != ALGORITHM and value is not False:
            flag = f"--speculative-{key.replace('_', '-')}"
            words += [flag] if value is True else [flag, str(value)]
    return words


def _renamed(flag: str, version: str) -> str:
    name, equals, value = flag.partition("=")
    row = find(FLAGS, name, version)
    return f"{row.what}{equals}{value}" if row else flag


def _topic(spec: SpecConfig) -> str:
    return str(dict(spec.extra).get(ALGORITHM) or spec.method.value)


def _spelled(spec: SpecConfig) -> str:
    row = next(row for row in ALGORITHMS if row.topic == _topic(spec))
    return row.what
