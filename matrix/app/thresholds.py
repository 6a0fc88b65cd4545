"""The judge's thresholds of each series: kept from the config as a sweep begins, read back by whoever judges."""

from collections.abc import Iterable, Mapping
from dataclasses import fields, replace

from matrix.core.cell import Cell
from matrix.plan.config import Config
from matrix.stats.settings import DEFAULTS, JudgeSettings
from matrix.store import Store

_KNOWN = {field.name for field in fields(JudgeSettings)}


def keep_thresholds(store: Store, config: Config, cells: Iterable[Cell]) -> None:
    """Store what the config says for the series of these cells, so that the database alone is enough to judge them."""
    series = {cell.series_key: cell for cell in cells}
    store.judged.keep_thresholds(
        {key: ((c.revision.engine, c.hardware.label), config.judge.of(c)) for key, c in series.items()}
    )


def settings_of(thresholds: Mapping[str, float]) -> JudgeSettings:
    """The judge's own settings with these thresholds in their place; names that it does not know change nothing."""
    known = {name: value for name, value in thresholds.items() if name in _KNOWN}
    return replace(DEFAULTS, **known) if known else DEFAULTS  # type: ignore[arg-type]
