"""Which adapter speaks for which engine."""

from matrix.core.errors import ConfigError
from matrix.core.ports import Adapter
from matrix.engines.sglang import SglangAdapter
from matrix.engines.vllm import VllmAdapter

_ADAPTERS: dict[str, Adapter] = {"sglang": SglangAdapter(), "vllm": VllmAdapter()}


def adapter_for(engine: str) -> Adapter:
    """The adapter of `engine`. Raises ConfigError for one that is not known."""
    try:
        return _ADAPTERS[engine]
    except KeyError:
        raise ConfigError(f"no adapter for engine `{engine}`", hint=f"known: {', '.join(sorted(_ADAPTERS))}") from None
