"""A working tree of our own beside a repository: the user's checkout is never touched."""

import shutil
from dataclasses import dataclass
from pathlib import Path

from matrix.sources.git import Repository, must_say, said


@dataclass(frozen=True, slots=True)
class Worktree:
    """The folder of a working tree that belongs to `repo`; made at the first `check_out`."""

    repo: Repository
    folder: Path

    def check_out(self, commit: str) -> None:
        """Have exactly the files of `commit` there: nothing that an earlier commit or command left stays.

        Raises ConfigError with git's own words where the repository lacks them.
        """
        here = Repository(self.folder)
        if not self._ours() or said(here, "checkout", "--quiet", "--detach", "--force", commit) is None:
            self.remove()
            self.folder.parent.mkdir(parents=True, exist_ok=True)
            must_say(self.repo, "worktree", "add", "--quiet", "--detach", "--force", str(self.folder), commit)
        must_say(here, "clean", "--quiet", "-ffdx")

    def remove(self) -> None:
        """Remove the folder and the repository's note of it."""
        shutil.rmtree(self.folder, ignore_errors=True)
        said(self.repo, "worktree", "prune")

    def _ours(self) -> bool:
        """False for a folder that is not there or lost its note: git would find another repository above it."""
        top = said(Repository(self.folder), "rev-parse", "--show-toplevel") if self.folder.is_dir() else None
        return top is not None and Path(top).resolve() == self.folder.resolve()
