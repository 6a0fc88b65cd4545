"""Values of a server's secret variables: known where it is started, and kept nowhere."""

import os
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain

from matrix.app.source import Source
from matrix.core.errors import ConfigError, InfraError, MatrixError
from matrix.core.secret import fits, is_marked, is_secret, marked
from matrix.plan.config import Config
from matrix.store import hide

_LEAST = 8
"""Characters. Shorter values are words that any log may hold."""

_STRING = r"""(?:\"{3}[\s\S]*?\"{3}|'{3}[\s\S]*?'{3}|"(?:\\.|[^"\\\n])*"|'[^'\n]*')"""


@dataclass(frozen=True, slots=True)
class Secrets:
    """`known` are values by the name of their variable, the likeliest first."""

    known: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def filled(self, env: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
        """The variables with values in place of marks; InfraError where one is not known here.

        A value with another hash than the mark's serves as well: tokens are renewed, and what is measured stays.
        """
        return tuple((name, self._value(name, value) if is_marked(value) else value) for name, value in env)

    def hidden(self, text: str) -> str:
        """`text` without any of the values."""
        return hide(text, self.values)

    @property
    def values(self) -> tuple[str, ...]:
        """Values to be taken out of whatever is stored, longest first."""
        found = {value for each in self.known.values() for value in each if len(value) >= _LEAST}
        return tuple(sorted(found, key=lambda value: (-len(value), value)))

    def _value(self, name: str, mark: str) -> str:
        values = self.known.get(name, ())
        if not values:
            hint = f"export {name} where the sweep or worker is started, or write it into its config"
            raise InfraError(f"the value of {name} is not known here: it is stored nowhere", hint=hint)
        return next((value for value in values if fits(value, mark)), values[0])


def secrets_of(source: Source, environ: Mapping[str, str] | None = None) -> Secrets:
    """What the config says, then its file where that text was stored without them, then this process's environment."""
    environ = os.environ if environ is None else environ
    known: dict[str, list[str]] = defaultdict(list)
    for name, value in chain(*map(_written, _configs(source))):
        known[name].append(value)
    passed = {name for table in source.config.engines.values() for name in table.env_from}
    for name, value in environ.items():
        if value and (name in passed or is_secret(name, value)):
            known[name].append(value)
    return Secrets({name: tuple(dict.fromkeys(values)) for name, values in known.items()})


def passed(source: Source, engine: str, environ: Mapping[str, str] | None = None) -> dict[str, str]:
    """Marks of the variables that an engine's `env_from` names; ConfigError where one is not set here."""
    environ = os.environ if environ is None else environ
    names = source.config.engines[engine].env_from
    for name in names:
        if not environ.get(name):
            hint = "export it before the start, or take it out of `env_from`"
            where = source.where("engines", engine, "env_from")
            raise ConfigError(f"`{name}` is not set in this environment", hint=hint, where=where)
    return {name: marked(environ[name]) for name in names}


def kept_text(source: Source) -> str:
    """The config's text as it may be stored: marks in place of secret values."""
    text = source.text
    for name, value in _written(source.config):
        assigned = re.compile(rf"""(?P<name>(?<![\w-])["']?{re.escape(name)}["']?[ \t]*=[ \t]*){_STRING}""")
        text = assigned.sub(rf'\g<name>"{marked(value)}"', text)
    return text


def _configs(source: Source) -> Iterator[Config]:
    yield source.config
    if any(is_marked(value) for table in source.config.engines.values() for value in table.env.values()):
        try:
            yield Source(source.path).config
        except MatrixError:
            return  # not on this machine


def _written(config: Config) -> Iterator[tuple[str, str]]:
    for table in config.engines.values():
        yield from ((name, value) for name, value in table.env.items() if is_secret(name, value))
