"""Options that several verbs share."""

import dataclasses
import json
import os
from collections.abc import Callable
from math import nan
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])

DEFAULT_DB = "sqlite:///matrix.db"
ROW_NUMBER = click.IntRange(1, 2**63 - 1)
"""The number of a sweep, a bisection or an acknowledgement: what a database's whole number holds."""


_LEAST, _MOST = 0.5, 0.9999


class _Confidence(click.FloatRange):
    """A probability that an answer can have: no percentage is taken for one, and nothing that is no number."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        try:
            found = float(value)
        except ValueError:
            found = nan
        if not _LEAST <= found <= _MOST:
            self.fail(f"`{value}` is no probability from {_LEAST} to {_MOST}, such as 0.95", param, ctx)
        return found


confidence_option = click.option(
    "--confidence",
    type=_Confidence(_LEAST, _MOST),
    default=0.95,
    show_default=True,
    help="How probable the answer must be.",
)
db_option = click.option(
    "--db",
    default=lambda: os.environ.get("MATRIX_DB", DEFAULT_DB),
    help="Database URL.",
    show_default=f"MATRIX_DB or {DEFAULT_DB}",
)
json_option = click.option("--json", "as_json", is_flag=True, help="One JSON object a line, stable keys.")
config_option = click.option(
    "--config", "-c", "config", default="matrix.toml", show_default=True, metavar="FILE", help="The matrix file."
)
select_argument = click.argument("select", nargs=-1, metavar="[SELECT]...")


def sweep_options(function: F) -> F:
    """Options of verbs that turn a config into cells."""
    for option in (
        config_option,
        click.option(
            "--executor", type=click.Choice(["auto", "venv", "docker", "ray"]), help="Overrides the file's executor."
        ),
        db_option,
        select_argument,
    ):
        function = option(function)
    return function


def waiting(text: str) -> None:
    """What is waited for, on standard error: a verb that is silent for seconds looks dead."""
    click.echo(text, err=True)


def echo_json(item: Any) -> None:
    """Print a dataclass or plain value as one line of JSON."""
    body = dataclasses.asdict(item) if dataclasses.is_dataclass(item) and not isinstance(item, type) else item
    click.echo(json.dumps(body, ensure_ascii=False, allow_nan=False))
