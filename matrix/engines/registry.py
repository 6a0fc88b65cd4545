"""Which adapter speaks for which engine, and which releases its rules were read from."""

from matrix.core.errors import ConfigError
from matrix.core.ports import Adapter
from matrix.engines import sglang_rows, vllm_rows
from matrix.engines.quirks import within
from matrix.engines.sglang import SglangAdapter
from matrix.engines.vllm import VllmAdapter

_ADAPTERS: dict[str, Adapter] = {"sglang": SglangAdapter(), "vllm": VllmAdapter()}
_SPANS = {
    "sglang": (sglang_rows.OLDEST, sglang_rows.NEWEST),
    "vllm": (vllm_rows.OLDEST, vllm_rows.NEWEST),
}


def adapter_for(engine: str) -> Adapter:
    """The adapter of `engine`. Raises ConfigError for one that is not known."""
    try:
        return _ADAPTERS[engine]
    except KeyError:
        raise ConfigError(f"no adapter for engine `{engine}`", hint=f"known: {', '.join(sorted(_ADAPTERS))}") from None


def span_of(engine: str) -> tuple[str, str]:
    """The oldest and the newest release that the engine's rules were read from."""
    return _SPANS[engine]


def verified(engine: str, version: str) -> bool:
    """False where a release lies outside those that the rules were read from: the nearest ones are taken to hold."""
    return within(version, *span_of(engine))


def doubt(engine: str, version: str) -> str:
    """What to say of a release whose rules are not verified; empty for one whose rules are."""
    if verified(engine, version):
        return ""
    oldest, newest = span_of(engine)
    return f"{engine} {version} is none of the releases that were read ({oldest} to {newest}): its rules are unverified"
