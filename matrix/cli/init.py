"""`matrix init`: a matrix.toml to start from, or the JSON Schema of one."""

import json
import os
from pathlib import Path

import click

from matrix.core.errors import ConfigError, InfraError, Where
from matrix.plan.config import json_schema
from matrix.plan.example import EXAMPLE


@click.command("init")
@click.argument("file", default="matrix.toml")
@click.option("--schema", is_flag=True, help="Print the JSON Schema instead.")
@click.option("--force", is_flag=True, help="Overwrite the file.")
def command(file: str, schema: bool, force: bool) -> None:
    """Write a commented matrix.toml."""
    if schema:
        click.echo(json.dumps(json_schema(), indent=2))
        return
    path = Path(file)
    if path.is_dir():
        raise ConfigError("it is a folder", hint="name the file to write", where=Where(file))
    if path.exists() and not force:
        raise ConfigError("it exists already", hint="`--force` overwrites it", where=Where(file))
    if not path.parent.is_dir():
        raise ConfigError(f"the folder `{path.parent}` does not exist", hint="make it first", where=Where(file))
    _write(path)
    click.echo(f"wrote {path}; next: edit it, then `matrix plan`")


def _write(path: Path) -> None:
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        temporary.write_text(EXAMPLE, encoding="utf-8")
        temporary.replace(path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        where = Where(str(path))
        raise InfraError(f"cannot write it: {error.strerror}", hint="name another place", where=where) from None
