"""`matrix init`: a matrix.toml to start from, or the JSON Schema of one."""

import json
import os
from pathlib import Path

import click

from matrix.core.errors import ConfigError, Where
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
    if path.exists() and not force:
        raise ConfigError("it exists already", hint="`--force` overwrites it", where=Where(file))
    if not path.parent.is_dir():
        raise ConfigError(f"the folder `{path.parent}` does not exist", hint="make it first", where=Where(file))
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    temporary.write_text(EXAMPLE, encoding="utf-8")
    temporary.replace(path)
    click.echo(f"wrote {path}; next: edit it, then `matrix plan`")
