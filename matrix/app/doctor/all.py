"""All checks, in the order in which a person would look."""

from collections.abc import Callable, Iterator

from matrix.app.doctor.asks import Asks
from matrix.app.doctor.database import database
from matrix.app.doctor.devices import devices
from matrix.app.doctor.finding import Finding, fail, ok, warn
from matrix.app.doctor.places import folders, index, room
from matrix.core.errors import MatrixError
from matrix.stats.words import count


def examine(db: str, asks: Asks | None = None) -> Iterator[Finding]:
    """One finding after the other, as they are made; nothing is changed, and no check stops the next."""
    asked = asks or Asks()
    checks: tuple[tuple[str, Callable[[], Iterator[Finding]]], ...] = (
        ("docker", lambda: docker(asked)),
        ("gpu", lambda: devices(asked)),
        ("folders", lambda: folders(asked, db)),
        ("package index", lambda: index(asked)),
        ("database", lambda: database(asked, db)),
        ("left running", lambda: servers(asked)),
    )
    for name, check in checks:
        try:
            yield from check()
        except MatrixError as error:
            yield fail(name, error.cause, error.hint or "mend that, then run `matrix doctor` again")
        except OSError as error:
            yield fail(
                name,
                f"{error.filename or name}: {error.strerror or error}",
                "mend that, then run `matrix doctor` again",
            )


def docker(asks: Asks) -> Iterator[Finding]:
    """The daemon, whether it passes GPUs on, its disk, and containers that nobody owns any more."""
    try:
        found = asks.daemon()
    except MatrixError as error:
        yield warn("docker", error.cause, f'{error.hint}; the executor "venv" needs no daemon')
        return
    yield ok("docker", f"the daemon answers, version {found.version}")
    if asks.gpus().devices and not found.gpus:
        fix = "install the NVIDIA Container Toolkit and run `nvidia-ctk runtime configure --runtime=docker`"
        yield warn("docker and GPUs", "the daemon knows no NVIDIA runtime: containers get no GPU", fix)
    if found.root.exists():
        yield room(asks, "disk of docker", found.root, "`docker image prune`, or move its data-root")
    else:
        yield ok("disk of docker", f"{found.root} is not on this host")
    yield _left("containers", found.left)


def servers(asks: Asks) -> Iterator[Finding]:
    yield _left("servers", asks.servers_left())


def _left(what: str, names: list[str]) -> Finding:
    check = f"left {what}"
    if not names:
        return ok(check, "none of ended processes")
    listed = ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
    text = f"{count(len(names), what.removesuffix('s'))} of ended processes: {listed}"
    return warn(check, text, "the next `matrix sweep`, `matrix worker` or `matrix serve -c` removes them")
