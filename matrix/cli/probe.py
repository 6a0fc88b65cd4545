"""`matrix probe`: the accept length of a server that already runs."""

import math
import os
import sys
from pathlib import Path
from typing import Any

import click

from matrix.app.probe_url import Probed, probe_url
from matrix.app.url_cell import Asked
from matrix.cli.options import echo_json, json_option
from matrix.cli.plain import plain
from matrix.cli.probe_text import as_text, bar_failed
from matrix.core.cell import Cell
from matrix.core.errors import ConfigError, Exit, Where
from matrix.core.outcome import Outcome
from matrix.core.spec import Method

KEY_VARIABLE = "SPECMATRIX_API_KEY"
_METHODS = [str(m) for m in Method if m not in (Method.NONE, Method.UNKNOWN)]
_COUNT = click.IntRange(min=1)


def _bar(ctx: click.Context, param: click.Parameter, value: float | None) -> float | None:
    """The bar; click's range lets NaN through, which every value would pass."""
    if value is not None and not math.isfinite(value):
        raise click.BadParameter(f"{value} is no bar", ctx, param)
    return value


@click.command("probe")
@click.option("--url", required=True, help="The server's address, http://HOST:PORT.")
@click.option("--engine", type=click.Choice(["auto", "vllm", "sglang"]), default="auto", show_default=True)
@click.option("--model", help="The served name, where there are several.")
@click.option("--tokenizer", type=click.Path(path_type=Path), metavar="DIR", help="Folder with the chat template.")
@click.option("--prompts", type=click.Path(path_type=Path), metavar="FILE", help="Your own prompts, JSON lines.")
@click.option("--workload", default="standard", show_default=True, help="Our prompts, where --prompts is not given.")
@click.option("--limit", type=_COUNT, help="Only the first so many prompts.")
@click.option("--max-tokens", type=_COUNT, help="Tokens generated for each prompt.")
@click.option("--concurrency", type=_COUNT, default=1, show_default=True, help="Requests in flight.")
@click.option("--k", type=_COUNT, help="Most drafts a step can accept, where the server does not tell.")
@click.option("--method", type=click.Choice(_METHODS), help="How it drafts, where the server does not tell.")
@click.option(
    "--min-accept-length",
    type=click.FloatRange(min=1),
    callback=_bar,
    metavar="X",
    help="Exit 1 below X or without a value.",
)
@click.option("--api-key-env", metavar="NAME", help=f"Variable that holds the API key.  [default: {KEY_VARIABLE}]")
@click.option("--db", help="Store the result in this database too.")
@json_option
def command(
    as_json: bool, min_accept_length: float | None, api_key_env: str | None, db: str | None, **options: Any
) -> int:
    """Measure the accept length of a server that already runs; --min-accept-length makes it a gate."""
    counter = _Counter()
    try:
        probed = probe_url(_asked(options, _key(api_key_env)), counter, db)
    finally:
        counter.clear()
    if as_json:
        echo_json(probed.row)
    else:
        click.echo(as_text(probed))
    return _code(probed, min_accept_length)


def _asked(options: dict[str, Any], key: str | None) -> Asked:
    engine, method = options.pop("engine"), options.pop("method")
    return Asked(
        **options, engine=None if engine == "auto" else engine, method=Method(method) if method else None, key=key
    )


def _key(variable: str | None) -> str | None:
    key = os.environ.get(variable or KEY_VARIABLE, "").strip()
    if variable and not key:
        raise ConfigError(f"the variable {variable} is empty or not set", where=Where(key="--api-key-env"))
    return key or None


def _code(probed: Probed, bar: float | None) -> int:
    if bar is not None:
        why = bar_failed(probed, bar)
        if why:
            click.echo(f"matrix: {plain(why)}", err=True)
        return Exit.REGRESSION if why else Exit.OK
    return Exit.OK if probed.finished else Exit.INFRA


class _Counter:
    """Prompts done so far, on one line of a terminal."""

    def phase(self, cell: Cell, phase: str, detail: str = "") -> None:
        self._show(plain(f"{phase} {detail}"))

    def done(self, cell: Cell, outcome: Outcome, reason: str) -> None:
        """One probe has no list of cells to tick off."""

    def clear(self) -> None:
        self._show("")

    def _show(self, text: str) -> None:
        if sys.stderr.isatty():
            sys.stderr.write(f"\r\x1b[2K{text}")
            sys.stderr.flush()
