"""A git history of a real vLLM release's own Python: harmless edits, a merge, broken imports, and one fault."""

import os
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

RUNNER = "vllm/v1/worker/gpu_model_runner.py"
SAMPLER = "vllm/v1/sample/rejection_sampler.py"
SERVER = "vllm/entrypoints/openai/api_server.py"

Edit = Callable[[Path], None]


def replaced(path: str, old: str, new: str) -> Edit:
    """Replaces a text that occurs exactly once."""

    def edit(folder: Path) -> None:
        text = (folder / path).read_text()
        assert text.count(old) == 1, f"{path} of this release holds {old!r} {text.count(old)} times"
        (folder / path).write_text(text.replace(old, new))

    return edit


LAST_STATE_THRICE = replaced(
    RUNNER,
    "                hidden_states, aux_hidden_states = model_output\n",
    "                hidden_states, aux_hidden_states = model_output\n"
    "                aux_hidden_states = [hidden_states] * len(aux_hidden_states)\n",
)
"""The head is fed the last layer three times instead of three layers: it serves, the text stays, acceptance falls."""

ACCEPTS_ALL = replaced(
    SAMPLER,
    "        target_argmax = target_logits.argmax(dim=-1)\n        _rejection_greedy_sample(",
    "        target_argmax = draft_token_ids.clone()\n        _rejection_greedy_sample(",
)
"""Every draft is taken for the target's own token: accept length k + 1, and the text is the draft's."""


@dataclass
class VllmHistory:
    """A repository at `folder`. `commits` are the whole hashes after the release, in the order they were made."""

    folder: Path
    version: str
    commits: list[str] = field(default_factory=list)

    def git(self, *words: str) -> str:
        who = {
            f"GIT_{role}_{key}": v for role in ("AUTHOR", "COMMITTER") for key, v in (("NAME", "t"), ("EMAIL", "t@t"))
        }
        env = os.environ | who | {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
        done = subprocess.run(
            ["git", "-C", str(self.folder), *words], env=env, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def commit(self, message: str, edit: Edit | None = None) -> str:
        """One commit: `edit`, or a harmless comment at the end of some module."""
        if edit is None:
            place = self.folder / _HARMLESS[len(self.commits) % len(_HARMLESS)]
            place.write_text(place.read_text() + f"\n# note {len(self.commits)}\n")
        else:
            edit(self.folder)
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", message)
        self.commits.append(self.git("rev-parse", "HEAD"))
        return self.commits[-1]


_HARMLESS = ("vllm/logger.py", "vllm/envs.py", "vllm/v1/metrics/stats.py", "vllm/utils/__init__.py", "vllm/version.py")
_COMMITS, _FAULT, _BROKEN, _MERGE = 64, 40, (22, 23, 47), 30


def vllm_history(package: Path, folder: Path, version: str, fault: Edit) -> tuple[VllmHistory, str]:
    """64 commits over the Python of `package` (an installed `vllm`), tagged as the release; and the faulty commit.

    Three commits cannot be imported, each mended by the next; six commits come by a merge.
    """
    folder.mkdir(parents=True)
    shutil.copytree(package, folder / "vllm", ignore=shutil.ignore_patterns("*.so", "*.so.*", "__pycache__", "*.pyc"))
    made = VllmHistory(folder, version)
    made.git("init", "--quiet", "--initial-branch=main")
    made.git("add", "--all", "--force")
    made.git("commit", "--quiet", "--message", f"release {version}")
    made.git("tag", f"v{version}")
    faulty = ""
    while len(made.commits) < _COMMITS:
        number = len(made.commits) + 1
        if number == _FAULT:
            faulty = made.commit("Tidy the speculative path", fault)
        elif number in _BROKEN:
            made.commit("Move the server", _breaking)
            made.git("revert", "--no-edit", "HEAD")
            made.commits.append(made.git("rev-parse", "HEAD"))
        elif number == _MERGE:
            _merge(made)
        else:
            made.commit(f"Note {number}")
    return made, faulty


def _breaking(folder: Path) -> None:
    path = folder / SERVER
    path.write_text("import vllm.not_moved_yet\n" + path.read_text())


def _merge(made: VllmHistory) -> None:
    made.git("checkout", "--quiet", "-b", "side", "HEAD~3")
    for i in range(5):
        made.commit(f"Side {i}", lambda folder, i=i: _touch(folder, i))  # type: ignore[misc]
    made.git("checkout", "--quiet", "main")
    made.git("merge", "--quiet", "--no-ff", "--no-edit", "side")
    made.commits.append(made.git("rev-parse", "HEAD"))


def _touch(folder: Path, number: int) -> None:
    path = folder / "vllm/connections.py"
    path.write_text(path.read_text() + f"\n# side {number}\n")
