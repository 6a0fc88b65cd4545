"""Reads what others published: a TOML of reports, SpecForge's benchmark results, whole logs, other instances' dumps."""

import re
import time
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from matrix.app.dump_reports import reports_of_dump
from matrix.app.log_report import report_of_log
from matrix.core.about import About
from matrix.core.errors import ConfigError, NotFoundError, Where
from matrix.core.report import Report
from matrix.plan.reports import parse_reports
from matrix.plan.specforge import is_specforge, parse_specforge
from matrix.store import Store, is_dump

_SQLITE = b"SQLite format 3\x00"
_KINDS = {"reports": "TOML", "specforge": "SpecForge results", "log": "log", "dump": "dump"}
_STAMP = re.compile(r"(?<!\d)(20\d\d)-?(\d\d)-?(\d\d)(?!\d)")
_FIELD = "field.toml"


@dataclass(frozen=True, slots=True)
class Imported:
    """`kind` is reports, specforge, log or dump; `new` of the `reports` were not stored before."""

    file: str
    kind: str
    reports: int
    new: int


def import_file(store: Store, path: Path, about: About | None = None) -> Imported:
    """Store what the file reports; once stored, a report is not stored again.

    NotFoundError for no file; ConfigError for one that cannot be read as any of the kinds.
    """
    kind, found = read_reports(path, about)
    return Imported(str(path), kind, len(found), store.reports.add(found, time.time()))


def read_reports(path: Path, about: About | None = None) -> tuple[str, list[Report]]:
    """(kind, reports) of the file, by its content. Without a link of its own a report links to the file's name."""
    if _is_dump(path):
        return "dump", reports_of_dump(path, _completed(about, path).link)
    data = _read(path)
    if data.startswith(_SQLITE):
        hint = "import its dump instead: `matrix export --dump FILE` where it is used"
        raise ConfigError("a database of another instance is not imported", hint=hint, where=Where(str(path)))
    if path.suffix.lower() == ".toml":
        return "reports", parse_reports(_text(data, path), str(path))
    said = _completed(about, path)
    text = data.decode("utf-8", "replace")
    if text.lstrip()[:1] == "{" and is_specforge(text):
        return "specforge", parse_specforge(text, str(path), said)
    return "log", [report_of_log(data, str(path), said)]


def field_file() -> Path:
    """The file of published figures that comes with the program."""
    package = Path(__file__).resolve().parent.parent
    for folder in (package / "_reports", package.parent / "reports"):
        if (folder / _FIELD).is_file():
            return folder / _FIELD
    raise NotFoundError("the published figures are not installed", hint="install specmatrix again")


def summary(done: Iterable[Imported]) -> list[str]:
    """A line for each file."""
    return [f"{d.file} ({_KINDS[d.kind]}): {d.reports} report{'s' * (d.reports != 1)}, {d.new} new" for d in done]


def _read(path: Path) -> bytes:
    if path.is_dir():
        raise ConfigError("it is a folder", hint="name a file", where=Where(str(path)))
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise NotFoundError("there is no such file", hint="check the path", where=Where(str(path))) from None


def _is_dump(path: Path) -> bool:
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return is_dump(file)


def _text(data: bytes, path: Path) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ConfigError(f"byte {error.start} is not UTF-8", hint="save it as UTF-8", where=Where(str(path))) from None


def _completed(about: About | None, path: Path) -> About:
    """The link and the date that nobody gave: the file's name, and the day in it or else that of its last change."""
    given = about or About("", "")
    values = {name: getattr(given, name) for name in About.__dataclass_fields__}
    return About(**values | {"link": given.link or f"file {path.name}", "date": given.date or _day(path)})


def _day(path: Path) -> str:
    stamp = _STAMP.search(path.name)
    try:
        if stamp:
            return str(datetime(*map(int, stamp.groups()), tzinfo=UTC).date())  # type: ignore[arg-type,misc]
    except ValueError:
        pass
    return str(datetime.fromtimestamp(path.stat().st_mtime, UTC).date())
