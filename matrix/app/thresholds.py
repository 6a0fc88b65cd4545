"""The judge's thresholds of each series: kept from the config as a sweep begins, read back by whoever judges."""

from collections.abc import Iterable, Mapping
from dataclasses import fields, replace

from matrix.app.source import Source
from matrix.core.cell import Cell
from matrix.core.errors import ConfigError
from matrix.plan.config import Config
from matrix.plan.expand import Inputs, expand
from matrix.stats.settings import DEFAULTS, JudgeSettings
from matrix.store import Store

_KNOWN = {field.name for field in fields(JudgeSettings)}


def keep_thresholds(store: Store, config: Config, cells: Iterable[Cell]) -> None:
    """Store what the config says for the series of these cells, so that the database alone is enough to judge them."""
    series = {cell.series_key: cell for cell in cells}
    store.judged.keep_thresholds(
        {key: ((c.revision.engine, c.hardware.label), config.judge.of(c)) for key, c in series.items()}
    )


def check_wildcards(source: Source, inputs: Inputs) -> None:
    """Raises ConfigError for a wildcard of `[judge.series]` that fits no series of the file."""
    lost = source.config.judge.unmatched(expand(source.config, inputs).cells) if source.config.judge.series else None
    if lost is not None:
        where = source.where("judge", "series", lost)
        hint = "it is matched against `engine/target/spec/workload`, without the version"
        raise ConfigError(f"`{lost}` fits no series of this file", hint=hint, where=where)


def settings_of(thresholds: Mapping[str, float]) -> JudgeSettings:
    """The judge's own settings with these thresholds in their place; names that it does not know change nothing."""
    known = {name: value for name, value in thresholds.items() if name in _KNOWN}
    return replace(DEFAULTS, **known) if known else DEFAULTS  # type: ignore[arg-type]
