"""From which release and nightly on a change is in, by a clone of the engine's repository."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime

from packaging.version import Version

from matrix.core.errors import ConfigError
from matrix.sources.commits import release_tags
from matrix.sources.git import Repository, main_branch, must_say, said, shallow, whole_hash

_NUMBER = re.compile(r"#\d{1,9}")
_PART = "\x1f"


@dataclass(frozen=True, slots=True)
class Holding:
    """`release` is the first that holds the commit, None for none yet; `nightly` the first day (YYYY-MM-DD, UTC) whose
    nightly does, None for what is not on the main branch.
    """

    asked: str
    commit: str
    subject: str
    release: str | None
    nightly: str | None


def holding(repo: Repository, asked: str) -> Holding:
    """Where the commit (a hash or its beginning) or the pull request (`#123`) that is asked for can be found.

    A pull request is known by the number that its merge or squashed commit on the main branch names. Raises ConfigError
    where the repository holds none.
    """
    main = main_branch(repo)
    commit = _merged(repo, main, asked) if _NUMBER.fullmatch(asked) else whole_hash(repo, asked)
    return Holding(
        asked=asked,
        commit=commit,
        subject=must_say(repo, "show", "--no-patch", "--format=%s", commit).strip(),
        release=_first_release(repo, commit),
        nightly=_first_day(repo, main, commit),
    )


def _merged(repo: Repository, main: str, number: str) -> str:
    text = must_say(repo, "log", "--fixed-strings", f"--grep={number}", f"--format=%H{_PART}%s", main)
    named = re.compile(rf"\({number}\)$|^Merge pull request {number}\b")
    found = [line.partition(_PART)[0] for line in text.splitlines() if named.search(line.partition(_PART)[2])]
    if not found:
        hint = "fetch its whole history (`git fetch --unshallow`)" if shallow(repo) else "fetch it, or give the commit"
        raise ConfigError(f"no commit on {main} names {number} as its pull request", hint=hint)
    return found[-1]


def _first_release(repo: Repository, commit: str) -> str | None:
    holds = set(must_say(repo, "tag", "--contains", commit).split())
    return min((tag for tag in release_tags(repo).values() if f"v{tag}" in holds), key=Version, default=None)


def _first_day(repo: Repository, main: str, commit: str) -> str | None:
    """The day on which the main branch took the commit in, itself or by a merge."""
    if said(repo, "merge-base", "--is-ancestor", commit, main) is None:
        return None
    line = must_say(repo, "rev-list", "--first-parent", main, f"^{commit}^@").split()
    # Git looks along first parents alone where it is asked for both at once, and then sees no merge.
    descends = {commit, *must_say(repo, "rev-list", "--ancestry-path", f"{commit}..{main}").split()}
    taken = next(c for c in reversed(line) if c in descends)
    seconds = int(must_say(repo, "show", "--no-patch", "--format=%ct", taken))
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d}"
