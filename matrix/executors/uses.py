"""Which artifact was used when, and for which database: a file for each, whose time is that of the last use."""

import hashlib
import json
import os
import re
from collections import defaultdict
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

ENVIRONMENT, IMAGE = "environment", "image"


@dataclass(frozen=True, slots=True)
class Use:
    """The last use of one artifact (Unix seconds, None: never noted), and the other state folders that it served."""

    at: float | None = None
    others: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Uses:
    """Notes of use under `cache`, written for the database whose state folder is `state`."""

    cache: Path
    state: Path

    def note(self, kind: str, ref: str) -> None:
        """The artifact is used now. Quiet when it cannot be written: then the artifact only looks older than it is."""
        path = self._folder / f"{kind}-{_plain(ref)}.{_name(self.state)}.json"
        with suppress(OSError):
            if not path.exists():
                path.parent.mkdir(parents=True, exist_ok=True)
                part = path.with_suffix(".part")
                part.write_text(json.dumps({"state": str(self.state)}))
                part.replace(path)
            os.utime(path)

    def forget(self, kind: str, ref: str) -> None:
        """The artifact is gone."""
        for path in self._folder.glob(f"{kind}-{_plain(ref)}.*.json"):
            path.unlink(missing_ok=True)

    def all(self, kind: str) -> dict[str, Use]:
        """By reference. A database whose state folder is gone uses nothing any more."""
        times: dict[str, float] = {}
        others: dict[str, set[str]] = defaultdict(set)
        for path in self._folder.glob(f"{kind}-*.json"):
            ref = path.name.removeprefix(f"{kind}-").split(".")[0]
            with suppress(OSError, ValueError, KeyError):
                state = Path(json.loads(path.read_text())["state"])
                times[ref] = max(times.get(ref, 0.0), path.stat().st_mtime)
                if state != self.state and state.is_dir():
                    others[ref].add(str(state))
        return {ref: Use(at, tuple(sorted(others[ref]))) for ref, at in times.items()}

    @property
    def _folder(self) -> Path:
        return self.cache / "used"


def _plain(ref: str) -> str:
    return re.sub(r"[^0-9A-Za-z-]", "-", ref.removeprefix("sha256:"))


def _name(state: Path) -> str:
    return hashlib.sha256(str(state).encode()).hexdigest()[:12]
