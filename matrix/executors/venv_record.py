"""What is noted on disk about a running server, so that a later process can clean up after a killed one."""

import json
import shutil
from dataclasses import asdict, dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Record:
    """The note about one server on disk, written before it starts, removed when nothing of it is left."""

    run_id: str
    owner: str
    scratch: str
    pid: int | None = None
    starttime: str | None = None

    def write(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        part = folder / f"{self.run_id}.part"
        try:
            part.write_text(json.dumps(asdict(self)))
            part.replace(folder / f"{self.run_id}.json")
        except OSError as error:
            part.unlink(missing_ok=True)
            raise OSError(error.errno, error.strerror, str(part)) from None  # a full disk's own error names no file

    def remove(self, folder: Path) -> None:
        """The scratch folder first, so that a kill in between leaves a record to find it by."""
        if Path(self.scratch).name == scratch_name(self.run_id):
            shutil.rmtree(self.scratch, ignore_errors=True)
        (folder / f"{self.run_id}.json").unlink(missing_ok=True)


def scratch_name(run_id: str) -> str:
    """What a run's scratch folder is called; no folder of another name is ever removed."""
    return f"specmatrix-{run_id}"


def read(path: Path) -> Record | None:
    """The record, or None when the file is not one."""
    try:
        return Record(**json.loads(path.read_text()))
    except (OSError, ValueError, TypeError):
        return None
