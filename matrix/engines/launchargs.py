"""A server's argument list: ours and the user's, the user's winning, none of them twice."""

import re
from collections.abc import Mapping, Sequence
from math import prod

from matrix.core.errors import ConfigError, Where

Words = tuple[str, ...]
_WHOLE = re.compile(r"0*[1-9][0-9]{0,8}")


def joined(ours: Sequence[Words], flags: Sequence[str], reserved: Mapping[str, str]) -> list[str]:
    """Our flags that the user did not give another value, then the user's own as they are.

    `--no-x` and `--x` are one flag. Raises ConfigError for a flag of the user's that `reserved` names, with the reason
    that it gives.
    """
    given = {_stem(word) for word in flags if _is_flag(word)}
    for name, why in reserved.items():
        if _stem(name) in given:
            hint = f"take {name} out of `flags`"
            raise ConfigError(f"every run sets `{name}` itself: {why}", hint=hint, where=Where(key="flags"))
    kept = [words for words in ours if _stem(words[0]) not in given]
    return [word for words in kept for word in words] + list(flags)


def gpus(flags: Sequence[str], sizes: Sequence[frozenset[str]], asked: int) -> int:
    """GPUs that a server needs: the product of the parallel `sizes` (sets of one flag's names), or more if `asked`."""
    needed = prod(size(flags, names) for names in sizes)
    return max(asked, needed) if needed > 1 else asked


def has(flags: Sequence[str], name: str) -> bool:
    """True when the flag `name` is among the user's."""
    return _stem(name) in {_stem(word) for word in flags if _is_flag(word)}


def size(flags: Sequence[str], names: frozenset[str]) -> int:
    """The value of a flag that has these `names`, as a whole number; 1 where it is not given or is no such number."""
    found = 1
    for place, word in enumerate(flags):
        name, equals, value = word.partition("=")
        if name.replace("_", "-") in names:
            text = value if equals else (flags[place + 1] if place + 1 < len(flags) else "")
            found = int(text) if _WHOLE.fullmatch(text) else found
    return found


def _is_flag(word: str) -> bool:
    return word.startswith("--") or (word.startswith("-") and word[1:2].isalpha())


def _stem(word: str) -> str:
    """The flag's name; a dotted one (`--speculative-config.method`) is a key of the flag before the dot."""
    name = word.partition("=")[0].partition(".")[0].replace("_", "-")
    return name.replace("--no-", "--", 1) if name.startswith("--no-") else name
