"""Entry point: finds the verb, turns expected errors into one line and an exit code."""

import importlib
import keyword
import sys

import click

from matrix import __version__
from matrix.cli.plain import plain
from matrix.cli.signals import heed_signals, ignore_signals, interrupt
from matrix.cli.streams import outlive_readers
from matrix.core.errors import ConfigError, Exit, MatrixError

VERBS = {
    "init": "Write a matrix.toml to start from.",
    "plan": "List the cells a sweep would run, and what it would cost.",
    "sweep": "Build, serve, probe and judge the cells of a matrix.toml.",
    "serve": "Serve the dashboard, and keep nightly sweeps.",
    "worker": "Run cells of nightly sweeps beside `serve`.",
    "status": "Show the running or last sweep.",
    "results": "List runs.",
    "regressions": "List standing regressions; exit 1 when there are any.",
    "ack": "Say that a regression is known, for a while.",
    "judge": "Judge all series again from what is stored.",
    "compare": "Set two revisions, spec configs or drafts side by side.",
    "compat": "Say which version works for a model and a draft.",
    "import": "Store what others report: figures, benchmark results, logs, dumps.",
    "export": "Write the dashboard as a static site, or the database as a dump.",
    "restore": "Fill an empty database from a dump.",
    "bisect": "Find the release or commit that broke it.",
    "probe": "Measure the accept length of a server that already runs; a bar makes it a gate.",
    "classify": "Name the failure and the accept lengths that a log tells of.",
    "token": "Make, list and revoke tokens for requests that change something.",
    "notify": "List messages about a night's news, and send a test.",
    "doctor": "Check this machine: daemon, GPU, disk, index, database, clock.",
    "clean": "Make room on the disk: what was not used for longest goes, what is needed stays.",
    "demo": "Sweep two real vLLM releases on the CPU and show them.",
}


class _Verbs(click.Group):
    """Imports a verb's module only when it is used, so that `--help` and errors are quick."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in VERBS:
            return None
        with interrupt.held():
            module = f"{cmd_name}_" if keyword.iskeyword(cmd_name) else cmd_name
            command = importlib.import_module(f"matrix.cli.{module}").command
        assert isinstance(command, click.Command)  # noqa: S101
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Verbs"):
            formatter.write_dl(list(VERBS.items()))


@click.group(cls=_Verbs, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="matrix")
def cli() -> None:
    """Which SGLang or vLLM release works with which model and speculative draft."""


def main(argv: list[str] | None = None) -> int:
    """Run one verb; returns the process exit code (see `matrix.core.errors.Exit`; `bisect step` speaks git's)."""
    words = sys.argv[1:] if argv is None else argv
    code = _run(words)
    if words[:2] != ["bisect", "step"]:
        return code
    from matrix.cli.bisect.step import git_code

    return git_code(code)


def _run(argv: list[str]) -> int:
    outlive_readers()
    heed_signals()
    try:
        code = cli.main(args=argv, prog_name="matrix", standalone_mode=False)
        return int(code or 0)
    except (KeyboardInterrupt, click.exceptions.Abort):  # click turns the one into the other
        ignore_signals()
        _say("interrupted")
        return Exit.INTERRUPTED
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message(), err=True)
        return Exit.USAGE
    except click.ClickException as error:
        _say(error.format_message())
        return Exit.USAGE
    except MatrixError as error:
        return _fail(error)
    except OSError as error:
        _say(f"{error.strerror or error}{f': {error.filename}' if error.filename else ''}")
        return Exit.INFRA


def _fail(error: MatrixError) -> int:
    _say(str(error))
    for other in error.others if isinstance(error, ConfigError) else ():
        _say(str(other))
    return error.exit_code


def _say(line: str) -> None:
    click.echo(f"matrix: {plain(line)}", err=True)
