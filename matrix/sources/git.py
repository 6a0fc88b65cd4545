"""What an engine's git repository tells: whole hashes, the release a commit follows, the newest commit of a day."""

import os
import re
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from matrix.core.cell import digest
from matrix.core.errors import ConfigError, InfraError

_LIMIT_S = 600
_LOGIN = re.compile(r"://[^/\s]*@")
_BRANCHES = ("origin/main", "origin/master", "main", "master", "HEAD")


@dataclass(frozen=True, slots=True)
class Repository:
    """A repository's `folder` on this host; `url` is where it is fetched from, empty for a folder of the user's own."""

    folder: Path
    url: str = ""


def repository(clone: str, cache_dir: Path) -> Repository:
    """The repository at `clone`, a folder or a URL; of a URL the history alone (no files) is kept in the cache.

    Raises ConfigError for what is no repository, InfraError where it cannot be fetched.
    """
    if is_url(clone):
        mirror = Repository(cache_dir / "repositories" / digest(clone)[:24], clone)
        if not (mirror.folder / "HEAD").is_file():
            _mirror(mirror)
        return mirror
    if _run(Path(clone), "rev-parse", "--git-dir") is None:
        raise ConfigError(f"`{clone}` is no git repository", hint="give a clone of the engine's repository or its URL")
    return Repository(Path(clone))


def is_url(clone: str) -> bool:
    """True for an address, `user@host:path` included; a folder otherwise."""
    return "://" in clone or ("@" in clone.partition(":")[0] and ":" in clone)


def whole_hash(repo: Repository, commit: str) -> str:
    """The 40 digits of a commit. Raises ConfigError for one that the repository lacks, or that means several."""
    found = _run(repo.folder, "rev-parse", "--verify", "--quiet", f"{commit}^{{commit}}")
    if found is None and repo.url:
        _refresh(repo)
        found = _run(repo.folder, "rev-parse", "--verify", "--quiet", f"{commit}^{{commit}}")
    if found is None:
        step = "give more digits" if repo.url else f"{_fetch(repo)}, or give more digits"
        raise ConfigError(f"{_name(repo)} holds no single commit `{commit}`", hint=step)
    return found


def nearest_release(repo: Repository, commit: str) -> tuple[str, int]:
    """The release whose tag is the commit's nearest ancestor, without its `v`, and how many commits lie between.

    Raises ConfigError where no tag is one.
    """
    words = ("--tags", "--long", "--abbrev=40", "--match", "v[0-9]*", "--exclude", "*rc*")
    found = _run(repo.folder, "describe", *words, commit)
    if found is None:
        hint = "fetch its tags and whole history (`git fetch --tags --unshallow`)"
        raise ConfigError(f"no release tag of {_name(repo)} is an ancestor of {commit}", hint=hint)
    tag, distance, _ = found.rsplit("-", 2)
    return tag.removeprefix("v"), int(distance)


def commit_of_day(repo: Repository, day: str) -> str:
    """The last commit of the main branch up to the end of `day` (YYYY-MM-DD, UTC). Raises ConfigError without one."""
    if repo.url:
        _refresh(repo)
    branch = _main(repo)
    found = branch and _run(repo.folder, "rev-list", "-1", "--first-parent", f"--before={day}T23:59:59Z", branch)
    if found:
        return found
    raise ConfigError(f"{_name(repo)} has no commit on or before {day}", hint="check the day, or fetch its history")


def main_branch(repo: Repository) -> str:
    """The name of the main branch, fetched anew where the repository is kept for a URL. ConfigError where none is."""
    if repo.url:
        _refresh(repo)
    if branch := _main(repo):
        return branch
    raise ConfigError(f"{_name(repo)} has no commit", hint="give a clone of the engine's repository")


def shallow(repo: Repository) -> bool:
    """True for a clone whose history was cut off (`git clone --depth`)."""
    return _run(repo.folder, "rev-parse", "--is-shallow-repository") == "true"


def uncommitted(repo: Repository) -> bool:
    """True for a user's own clone with changes that no commit holds; such files are no part of what is tested."""
    return not repo.url and bool(_run(repo.folder, "status", "--porcelain", "--untracked-files=no"))


def said(repo: Repository, *words: str) -> str | None:
    """What git prints in `repo`, stripped; None where it refuses."""
    return _run(repo.folder, *words)


def must_say(repo: Repository, *words: str) -> str:
    """What git prints in `repo`, as it is. Raises ConfigError with git's own first complaint where it refuses."""
    done = _git(repo.folder, *words)
    if done.returncode != 0:
        raise ConfigError(f"git {words[0]} failed in {_name(repo)}: {_complaint(done.stderr)}", hint=_fetch(repo))
    return done.stdout


def feed(repo: Repository, lines: Iterable[str], *words: str) -> list[str]:
    """The lines that git prints for `lines` of input."""
    return _git(repo.folder, *words, text="".join(f"{line}\n" for line in lines)).stdout.splitlines()


def _main(repo: Repository) -> str | None:
    return next((b for b in _BRANCHES if _run(repo.folder, "rev-parse", "--verify", "--quiet", b) is not None), None)


def _mirror(repo: Repository) -> None:
    repo.folder.parent.mkdir(parents=True, exist_ok=True)
    part = repo.folder.with_suffix(f".{os.getpid()}")
    _must(repo, part.parent, "clone", "--quiet", "--bare", "--filter=tree:0", repo.url, str(part))
    if not (repo.folder / "HEAD").is_file():
        part.replace(repo.folder)


def _refresh(repo: Repository) -> None:
    refs = ("+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*")
    _must(repo, repo.folder, "fetch", "--quiet", "--filter=tree:0", repo.url, *refs)


def _must(repo: Repository, folder: Path, *words: str) -> None:
    done = _git(folder, *words)
    if done.returncode != 0:
        hint = "check the address and the network, or `clone`"
        raise InfraError(f"cannot fetch {_name(repo)}: {_complaint(done.stderr)}", hint=hint)


def _run(folder: Path, *words: str) -> str | None:
    """What git prints, None where it refuses."""
    done = _git(folder, *words)
    return done.stdout.strip() if done.returncode == 0 else None


def _git(folder: Path, *words: str, text: str | None = None) -> subprocess.CompletedProcess[str]:
    environ = {k: v for k, v in os.environ.items() if not k.startswith("GIT_")} | {"GIT_TERMINAL_PROMPT": "0"}
    settings = ("-c", "core.quotepath=off", "-c", f"core.hooksPath={os.devnull}")
    command = ["git", "-C", str(folder), *settings, *words]
    try:
        return subprocess.run(
            command,
            input=text,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=_LIMIT_S,
            check=False,
            env=environ | {"LC_ALL": "C"},
        )
    except FileNotFoundError:
        raise InfraError("git is not installed", hint="install it: commits are found by it") from None
    except subprocess.TimeoutExpired:
        raise InfraError(f"git {words[0]} took longer than {_LIMIT_S} s", hint="check the network") from None


def _complaint(stderr: str) -> str:
    """The first error that git names, which the ones after it follow from."""
    lines = stderr.strip().splitlines() or ["git said nothing"]
    return next((line for line in lines if line.startswith(("error:", "fatal:"))), lines[-1])


def _fetch(repo: Repository) -> str:
    return "fetch its whole history (`git fetch --unshallow`)" if shallow(repo) else "fetch it (`git fetch`)"


def _name(repo: Repository) -> str:
    """The repository as a message may name it: an address without its user and password."""
    return _LOGIN.sub("://", repo.url) or str(repo.folder)
