"""`matrix compat`: which release works for a model and a draft."""

import click

from matrix.app.answered import Answer
from matrix.app.compat import answer
from matrix.app.compat_command import holding_in, method_of_folder, question_of
from matrix.cli.compat_text import lines
from matrix.cli.options import db_option, echo_json, json_option
from matrix.cli.plain import plain
from matrix.core.answer import Question
from matrix.core.errors import NotFoundError
from matrix.store import Store, open_store


@click.command("compat")
@click.argument("model", required=False)
@click.option("--draft", "-d", metavar="D", help="The draft: its name, hub id, content hash or folder.")
@click.option("--engine", "-e", metavar="E", help="sglang or vllm; both without it.")
@click.option("--method", "-m", metavar="M", help="eagle3, mtp, draft_model, ngram, ...")
@click.option("--gpu", metavar="G", help="Only this hardware: part of its name, for example H200.")
@click.option("--from-command", "line", metavar="LINE", help="Ask about a launch line of SGLang or vLLM instead.")
@click.option(
    "--contains", metavar="REF", help="Where a commit or pull request (`#123`) is in; needs --clone, no MODEL."
)
@click.option("--clone", metavar="DIR", help="A clone of the engine's repository, or its URL.")
@db_option
@json_option
def command(
    model: str | None,
    draft: str | None,
    engine: str | None,
    method: str | None,
    gpu: str | None,
    line: str | None,
    contains: str | None,
    clone: str | None,
    db: str,
    as_json: bool,
) -> None:
    """Say which release works for MODEL (a name, hub id or content hash), from what is measured, reported and known.

    Exit code 3 when nothing at all is known of the model.
    """
    if contains or clone:
        _say_where(contains, clone, model or line or draft or engine or method or gpu, as_json)
        return
    if (model is None) == (line is None):
        raise click.UsageError("give a MODEL, or a launch line with --from-command")
    if line is not None and (draft or engine or method):
        raise click.UsageError("--draft, --engine and --method are taken from the launch line")
    if draft and not method:
        method = method_of_folder(draft)
    question, runs = question_of(line, gpu) if line else (Question(model or "", draft, engine, method, gpu), None)
    store = _open(db)
    try:
        found = answer(store, question)
    finally:
        store.close()
    _show(found, runs, as_json)


def _say_where(ref: str | None, clone: str | None, other: str | None, as_json: bool) -> None:
    """The first release and nightly that hold a change."""
    if not ref or not clone or other:
        raise click.UsageError("--contains REF and --clone DIR go together, and with nothing else than --json")
    found = holding_in(clone, ref)
    if as_json:
        echo_json(found)
        return
    click.echo(plain(f"{found.commit[:12]} {found.subject}"))
    click.echo(f"  first release  {plain(found.release or 'none yet')}")
    nightly = f"nightly:{found.nightly}" if found.nightly else "none: it is not on the main branch"
    click.echo(f"  first nightly  {nightly}")


def _open(db: str) -> Store:
    try:
        return open_store(db, must_exist=True)
    except NotFoundError as error:
        hint = "`matrix import --field` makes it with what others published, `matrix sweep` by measuring"
        raise NotFoundError(error.cause, hint=hint, where=error.where) from None


def _show(found: Answer, runs: str | None, as_json: bool) -> None:
    if as_json:
        echo_json(found)
        return
    for text in lines(found, runs):
        click.echo(text)
