"""A cell's spec config and flags in the spelling of its SGLang release."""

from matrix.core.cell import Cell
from matrix.core.recipe import Placement
from matrix.core.spec import Method, SpecConfig
from matrix.engines.launchargs import Words, gpus, has, joined
from matrix.engines.quirks import find, releases, span, what
from matrix.engines.sglang_quirks import ALGORITHMS, FLAGS, LIMITS
from matrix.engines.sglang_targets import target_row

ALGORITHM = "algorithm"
"""The key of `extra` that names an algorithm of SGLang's own (DFLASH, DSPARK, UNO, FROZEN_KV_MTP)."""

_NEVER = {
    Method.SUFFIX: "SGLang has no suffix decoding; its nearest relative is `ngram`",
    Method.MEDUSA: "SGLang has no Medusa heads",
}

_DP_ATTENTION = "--enable-dp-attention"
_PARALLEL = (
    frozenset(("--tp-size", "--tensor-parallel-size", "--tp")),
    frozenset(("--pp-size", "--pipeline-parallel-size", "--pp")),
)
_DATA_PARALLEL = frozenset(("--dp-size", "--data-parallel-size", "--dp"))
_FIXED = "it is what makes a run that run"
_SPECS = "specs stand in [specs]"
_RESERVED = dict.fromkeys(("--model-path", "--model", "--served-model-name", "--host", "--port"), _FIXED) | {
    f"--speculative-{name}": _SPECS
    for name in (
        *("algorithm", "algo", "draft-model-path", "draft-model", "draft"),
        *("num-steps", "eagle-topk", "num-draft-tokens"),
    )
}


def algorithm(cell: Cell) -> str:
    """The value of `--speculative-algorithm` in this release; empty for a baseline and where it has none."""
    return "" if cell.spec.is_baseline else what(ALGORITHMS, _topic(cell.spec), cell.revision.version)


def unsupported(cell: Cell) -> str | None:
    """Why this release cannot speculate as the cell wants, or None; the installation is another question."""
    if cell.spec.is_baseline:
        return None
    return _no_algorithm(cell) or _no_target(cell) or _no_ranks(cell) or _no_sizes(cell.spec)


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


def arguments(cell: Cell, place: Placement) -> list[str]:
    """The whole argument list: ours, then the user's flags, which win over ours, then the speculative ones.

    Flags that this release spells otherwise are in its spelling. Raises ConfigError for one that a run must set itself.
    """
    launch = cell.launch
    ours: list[Words] = [("--model-path", place.target), ("--served-model-name", place.served_name)]
    ours += [("--host", place.host), ("--port", str(place.port)), ("--random-seed", "0")]
    ours += [("--disable-radix-cache",), ("--decode-log-interval", "1"), ("--enable-metrics",)]
    ours += [("--dtype", launch.dtype)] if launch.dtype else []
    ours += [("--context-length", str(launch.max_model_len))] if launch.max_model_len else []
    flags = [_renamed(flag, cell.revision.version) for flag in launch.flags]
    return joined(ours, flags, _RESERVED) + spec_args(cell, place)


def gpus_of(cell: Cell) -> int:
    """GPUs that the server needs: those asked for, or more where the parallel sizes among its flags say so.

    With data-parallel attention the ranks of both kinds share the same GPUs.
    """
    flags = cell.launch.flags
    sizes = _PARALLEL if has(flags, _DP_ATTENTION) else (*_PARALLEL, _DATA_PARALLEL)
    return gpus(flags, sizes, cell.launch.gpus)


def _no_algorithm(cell: Cell) -> str | None:
    topic = _topic(cell.spec)
    if cell.spec.method in _NEVER and topic == cell.spec.method:
        return _NEVER[cell.spec.method]
    if algorithm(cell):
        return None
    known = releases(ALGORITHMS, topic)
    named = f"SGLang knows no speculative algorithm `{topic}`"
    return f"SGLang has {_spelled(cell.spec)} {known}; this is {cell.revision.version}" if known else named


def _no_target(cell: Cell) -> str | None:
    row = target_row(cell.target.architecture)
    if cell.spec.method is not Method.EAGLE3 or row is None or row.holds(cell.revision.version):
        return None
    return f"SGLang drafts for {row.topic} with EAGLE-3 heads {span(row)}; this is {cell.revision.version}"


def _no_ranks(cell: Cell) -> str | None:
    row = find(LIMITS, f"no-dp-attention {_topic(cell.spec)}", cell.revision.version)
    return f"SGLang refuses to start: {row.reason}" if row and has(cell.launch.flags, _DP_ATTENTION) else None


def _no_sizes(spec: SpecConfig) -> str | None:
    if not _sized(spec):
        return None
    if spec.k is None and (spec.topk or spec.draft_tokens):
        return "SGLang wants steps, top-k and draft tokens together: give `k` too, or none of them"
    if (spec.topk or 1) > 1 and spec.draft_tokens is None:
        return f"a top-k of {spec.topk} grows a tree whose size SGLang must be told: give `draft_tokens`"
    return None


def _sizes(spec: SpecConfig) -> list[str]:
    draft_tokens = spec.draft_tokens or (None if spec.k is None else spec.k + 1)
    if draft_tokens is None:
        return []
    if not _sized(spec):
        return ["--speculative-num-draft-tokens", str(draft_tokens)]
    sizes = {"num-steps": spec.k, "eagle-topk": spec.topk or 1, "num-draft-tokens": draft_tokens}
    return [word for name, size in sizes.items() for word in (f"--speculative-{name}", str(size))]


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
