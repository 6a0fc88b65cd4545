"""`matrix classify`: what a log tells, whoever wrote it."""

import json
import sys
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import BinaryIO

import click

from matrix.core.errors import NotFoundError
from matrix.engines.classify import classify_log
from matrix.engines.logreport import as_dict, as_text
from matrix.engines.signatures.table import markdown


@click.command("classify")
@click.argument("log", metavar="LOG", required=False)
@click.option("--json", "as_json", is_flag=True, help="One JSON object with stable keys.")
@click.option("--engine", type=click.Choice(["auto", "vllm", "sglang"]), default="auto", show_default=True)
@click.option("--list", "as_table", is_flag=True, help="Print the table of failure signatures as Markdown.")
def command(log: str | None, as_json: bool, engine: str, as_table: bool) -> None:
    """Name the failure and the accept lengths that LOG (a file, or - for standard input) tells of."""
    if as_table:
        click.echo(markdown(), nl=False)
        return
    if log is None:
        raise click.UsageError("give a log's path, or - for standard input")
    with _open(log) as stream:
        report = classify_log(stream, None if engine == "auto" else engine)
    click.echo(json.dumps(as_dict(report), ensure_ascii=False, allow_nan=False) if as_json else as_text(report))


def _open(log: str) -> AbstractContextManager[BinaryIO]:
    if log == "-":
        return nullcontext(sys.stdin.buffer)
    path = Path(log)
    if path.is_dir():
        raise click.UsageError(f"{log} is a folder, not a log")
    try:
        return path.open("rb")
    except FileNotFoundError:
        raise NotFoundError(f"there is no file {log}", hint="give a log's path, or - for standard input") from None
