"""Git repositories of our own making, for commits to be taken from."""

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path


class History:
    """A repository at `folder` whose commits replace all files; dates and names are fixed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True)
        self.git("init", "--quiet", "--initial-branch=main")

    def commit(self, files: Mapping[str, str], message: str = "change") -> str:
        """Commit exactly these files (path -> text); returns the commit's 40 hex digits."""
        if list(self.folder.glob("[!.]*")):
            self.git("rm", "-r", "--quiet", "--force", "--ignore-unmatch", ".")
        for name, text in files.items():
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        self.git("add", "--all", "--force")
        self.git("commit", "--quiet", "--allow-empty", "--message", message)
        return self.git("rev-parse", "HEAD").strip()

    def git(self, *args: str) -> str:
        who = {f"GIT_{role}_{key}": value for role in ("AUTHOR", "COMMITTER") for key, value in _WHO.items()}
        env = os.environ | who | {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
        done = subprocess.run(["git", *args], cwd=self.folder, env=env, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout


_WHO = {"NAME": "tester", "EMAIL": "tester@example.org", "DATE": "2026-01-02T03:04:05Z"}
