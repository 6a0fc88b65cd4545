"""The files of one commit of a git repository, without a checkout."""

import hashlib
import os
import re
import tarfile
import tempfile
from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from filelock import FileLock

from matrix.core.errors import BuildError, EnvironmentMismatchError, InfraError, MatrixError
from matrix.core.recipe import Overlay
from matrix.executors.git_pick import Picking, aside, picked
from matrix.executors.venv_shell import Finished, Shell

_NETWORK = re.compile(
    r"Could not resolve host|Connection refused|Connection timed out|Network is unreachable|unable to access"
    r"|early EOF|remote end hung up|Authentication failed|could not read Username|Permission denied"
    r"|No space left on device"
)


@dataclass(frozen=True, slots=True)
class Repository:
    """Reads trees of commits. A remote one is fetched commit by commit into a bare repository below `cache`.

    Raises BuildError when the repository, the commit or the folder is not there, InfraError when it cannot be reached.
    """

    cache: Path
    shell: Shell

    def tree(self, overlay: Overlay) -> str:
        """The git hash of the overlay's folder at its commit: equal for equal files. Fetches what is missing."""
        source = self._source(overlay)
        if self._ours(source):
            self.cache.mkdir(parents=True, exist_ok=True)
        found = self._git(source, "rev-parse", "--verify", "--quiet", f"{overlay.commit}^{{commit}}")
        if found.code != 0:
            with FileLock(self.cache / f"{source.stem}.lock") if self._ours(source) else nullcontext():
                self._fetch(source, overlay)
        self._fetch_picks(source, overlay)
        files = picked(self._picking(source, overlay), overlay)
        tree = self._git(source, "rev-parse", "--verify", f"{files}:{overlay.folder.strip('/')}", overlay=overlay)
        if tree.code != 0:
            cause = f"{overlay.url} has no folder {overlay.folder!r} at commit {overlay.commit}"
            raise BuildError(cause, hint="check the folder: the package may lie elsewhere at that commit")
        return tree.text.split()[-1]

    def archive(self, overlay: Overlay, out: Path) -> None:
        """Write the folder's files as a tar to `out`, with paths relative to the folder."""
        source = self._source(overlay)
        what = f"{picked(self._picking(source, overlay), overlay)}:{overlay.folder.strip('/')}"
        done = self._git(source, "archive", "--format=tar", f"--output={out}", what, overlay=overlay)
        if done.code != 0:
            raise self._failure(overlay, done)

    def read(self, overlay: Overlay, name: str) -> str | None:
        """The text of the file `name` beside the overlay's folder at its commit, None where there is none."""
        path = PurePosixPath(overlay.folder.strip("/")).with_name(name)
        # Through a file: of what a command prints only the last lines are kept.
        with tempfile.TemporaryDirectory() as folder:
            archive = Path(folder) / "file.tar"
            done = self._git(
                self._source(overlay), "archive", f"--output={archive}", overlay.commit, "--", f":(literal){path}"
            )
            if done.code != 0:
                return None
            with tarfile.open(archive) as tar:
                file = tar.extractfile(str(path))
                return file.read().decode(errors="replace") if file else None

    def _source(self, overlay: Overlay) -> Path:
        """A clone on this machine is read where it lies; nothing is written to it."""
        if "://" not in overlay.url and Path(overlay.url).expanduser().is_dir():
            return Path(overlay.url).expanduser()
        return self.cache / f"{hashlib.sha256(overlay.url.encode()).hexdigest()[:16]}.git"

    def _ours(self, source: Path) -> bool:
        return source.is_relative_to(self.cache)

    def _fetch(self, source: Path, overlay: Overlay) -> None:
        if not self._ours(source):
            raise _no_commit(overlay, f"run `git -C {source} fetch --all` to bring it, or check the commit")
        if not (source / "HEAD").exists():
            self._run("init", "--quiet", "--bare", str(source))
        (source / "shallow.lock").unlink(missing_ok=True)  # a killed fetch leaves it, and no other runs now
        # A ref for each commit: the next fetch offers them, so that only what differs is sent.
        target = f"+{overlay.commit}:refs/overlays/{overlay.commit}"
        done = self._git(source, "fetch", "--quiet", "--depth=1", "--no-tags", overlay.url, target)
        if done.code != 0:
            raise self._failure(overlay, done)

    def _fetch_picks(self, source: Path, overlay: Overlay) -> None:
        """Have each picked commit and its parent there."""
        for pick in overlay.picks:
            if self._git(source, "rev-parse", "--verify", "--quiet", f"{pick}^").code == 0:
                continue
            if not self._ours(source):
                raise BuildError(f"{overlay.url} has no commit {pick} with a parent", hint="fetch it (`git fetch`)")
            target = f"+{pick}:refs/overlays/{pick}"
            done = self._git(source, "fetch", "--quiet", "--depth=2", "--no-tags", overlay.url, target)
            if done.code != 0:
                raise self._failure(replace(overlay, commit=pick), done)

    def _picking(self, source: Path, overlay: Overlay) -> Picking:
        return Picking(lambda *words: self._git(source, *words, overlay=overlay), self._aside(overlay))

    def _aside(self, overlay: Overlay) -> Path:
        """Where objects and the index of a picked tree are kept, so that the source is only read."""
        return self.cache / "picks" / hashlib.sha256(f"{overlay.url} {overlay.text}".encode()).hexdigest()[:16]

    def _failure(self, overlay: Overlay, done: Finished) -> MatrixError:
        said = " ".join(done.text.split())[-300:]
        if _NETWORK.search(done.text):
            cause = f"cannot get commit {overlay.commit} of {self.shell.redact(overlay.url)}: {said}"
            return InfraError(cause, hint="check the network and your git credentials, then run again")
        return _no_commit(overlay, f"check the commit and that the repository still has it; git said: {said}")

    def _git(self, source: Path, *args: str, overlay: Overlay | None = None) -> Finished:
        """Run git in `source`; with an overlay that has picks, new objects go aside."""
        extra = aside(self._aside(overlay), self._objects(source)) if overlay and overlay.picks else {}
        return self._run("-C", str(source), *args, extra=extra)

    def _objects(self, source: Path) -> Path:
        said = self._run("-C", str(source), "rev-parse", "--git-path", "objects").text.split("\n")[0]
        return (source / said).resolve()

    def _run(self, *args: str, extra: Mapping[str, str] | None = None) -> Finished:
        try:
            return self.shell.run(["git", *args], {**_QUIET, **(extra or {})})
        except FileNotFoundError as exc:
            raise EnvironmentMismatchError("no git on this host, which a commit needs", hint="install git") from exc


_QUIET: Mapping[str, str] = {"GIT_TERMINAL_PROMPT": "0", "GIT_SSH_COMMAND": "ssh -o BatchMode=yes", "LC_ALL": "C"}


def _no_commit(overlay: Overlay, hint: str) -> BuildError:
    return BuildError(f"{overlay.url} has no commit {overlay.commit}", hint=hint)


def git_environ() -> dict[str, str]:
    """The environment of git, without variables that would point it at another repository."""
    return {k: v for k, v in os.environ.items() if k not in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE")}
