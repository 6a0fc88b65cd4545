"""What is gathered from a launch line before it is written."""

from dataclasses import dataclass, field
from typing import Any

from matrix.engines.launchflags import Effect
from matrix.engines.launchread import Given


@dataclass(frozen=True, slots=True)
class Item:
    """One flag, key or variable of the line: what it became, and which releases do otherwise."""

    name: str
    value: str
    became: str
    effects: tuple[Effect, ...] = ()

    def at(self, version: str) -> str:
        """What release `version` makes of it as given: `refused`, `ignored`, `changed` or `taken`."""
        return next((row.effect for row in self.effects if row.holds(version)), "taken")


@dataclass(slots=True)
class Draft:
    """A config in the making. `specs` maps a spec's name to its keys, `batches` are the workloads' concurrencies.

    `install` is how the engine is installed, `site` the folder of one that is there already.
    With `dp_attention` SGLang's data-parallel ranks share the tensor-parallel GPUs.
    """

    engine: str
    install: str = "pip"
    site: str = ""
    versions: list[str] = field(default_factory=list)
    target: str = ""
    draft: str = ""
    dtype: str = ""
    max_model_len: int = 0
    gpus: int = 1
    dp_attention: bool = False
    flags: list[str] = field(default_factory=list)
    env: dict[str, str] = field(default_factory=dict)
    specs: dict[str, dict[str, Any]] = field(default_factory=dict)
    batches: list[int] = field(default_factory=list)
    speculative: list[Given] = field(default_factory=list)
    items: list[Item] = field(default_factory=list)

    def say(self, name: str, value: str, became: str, effects: tuple[Effect, ...] = ()) -> None:
        """One line of the report."""
        self.items.append(Item(name, value, became, effects))
