"""A config file as it was read."""

from collections.abc import Callable
from pathlib import Path

from matrix.core.errors import ConfigError, InfraError, Where
from matrix.plan.config import Config
from matrix.plan.locate import line_of
from matrix.plan.parse import parse_config


class Source:
    """A config file: its text, its checked content, and the places of its keys.

    `say` is told what is waited for while the meaning of its names is looked up. With `text` the file itself, which
    may have been edited since, is not read.
    """

    def __init__(self, path: Path, say: Callable[[str], None] = lambda text: None, text: str | None = None) -> None:
        self.path = path
        self.say = say
        self.text = _read(path) if text is None else text
        self.config: Config = parse_config(self.text, str(path))

    def resolved(self, text: str, *key: str | int) -> Path:
        """The path that a key names, relative to the file and with `~` filled in; ConfigError for an unknown user."""
        try:
            return (self.path.resolve().parent / Path(text).expanduser()).resolve()
        except RuntimeError:
            hint = "write the whole path"
            raise ConfigError(f"`{text}` names an unknown user", hint=hint, where=self.where(*key)) from None

    def where(self, *key: str | int) -> Where:
        """File, line and dotted name of a key."""
        return Where(str(self.path), line_of(self.text, key), ".".join(str(part) for part in key))


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")  # some editors put a mark in front
    except FileNotFoundError:
        raise ConfigError(
            "no such file", hint="`matrix init` writes one to start from", where=Where(str(path))
        ) from None
    except UnicodeDecodeError as error:
        raise ConfigError(f"not UTF-8 text: {error}", hint="save it as UTF-8", where=Where(str(path))) from None
    except IsADirectoryError:
        raise ConfigError("it is a folder", hint="name the matrix.toml in it", where=Where(str(path))) from None
    except OSError as error:
        raise InfraError(f"cannot read it: {error.strerror}", where=Where(str(path))) from None
