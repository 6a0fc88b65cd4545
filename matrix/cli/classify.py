"""`matrix classify`: what a log tells, whoever wrote it."""

import gc
import json
import sys
from contextlib import AbstractContextManager, nullcontext
from io import BufferedReader, RawIOBase
from pathlib import Path
from typing import cast

import click

from matrix.core.errors import ConfigError, NotFoundError, Where
from matrix.engines.classify import classify_log
from matrix.engines.logreport import as_dict, as_text
from matrix.engines.signatures.table import markdown

_PACKED = {
    b"\x1f\x8b\x08": "zcat",
    b"\x28\xb5\x2f\xfd": "zstdcat",
    b"\xfd7zXZ\x00": "xzcat",
    b"BZh": "bzcat",
    b"PK\x03\x04": "unzip -p",
}
"""What compressed files begin with, and the program that prints their text."""


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
    gc.disable()  # nothing that is made here refers to itself, and millions of small objects are made
    with _open(log) as stream:
        _check_plain(stream, log)
        report = classify_log(stream, None if engine == "auto" else engine)
    click.echo(json.dumps(as_dict(report), ensure_ascii=False, allow_nan=False) if as_json else as_text(report))


def _check_plain(stream: BufferedReader, log: str) -> None:
    """Raises ConfigError for a compressed log, in which nothing would be found."""
    start = stream.peek(8)
    for magic, program in _PACKED.items():
        if start.startswith(magic):
            hint = f"`{program} FILE | matrix classify -`"
            raise ConfigError("is compressed, and would read as a log that tells nothing", hint=hint, where=Where(log))


def _open(log: str) -> AbstractContextManager[BufferedReader]:
    if log == "-":
        return nullcontext(BufferedReader(cast(RawIOBase, sys.stdin.buffer)))
    path = Path(log)
    if path.is_dir():
        raise click.UsageError(f"{log} is a folder, not a log")
    try:
        return path.open("rb")
    except FileNotFoundError:
        raise NotFoundError(f"there is no file {log}", hint="give a log's path, or - for standard input") from None
