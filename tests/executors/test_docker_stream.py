"""The builder's stream, which the daemon cuts anywhere."""

from io import BytesIO
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from matrix.core.errors import BuildError
from matrix.executors.docker.build import ImageBuild

SAID = (
    "Step 1/3 : FROM base\n",
    "Step 2/3 : RUN install\n",
    "\x1b[31merror: No solution found\x1b[0m\n",
    "  cause: Because stub was not found and you require stub, there is none at https://me:hunter2@index/\n",
)


def build(pieces: list[str], log: Path) -> str:
    """Run a build whose daemon says these pieces and then fails; returns the error."""
    events: list[dict[str, Any]] = [{"stream": piece} for piece in pieces] + [{"error": "returned a non-zero code: 1"}]
    daemon: Any = SimpleNamespace(api=SimpleNamespace(build=lambda **_: (event for event in events)))
    args = {"BASE_IMAGE": "base"}
    made = ImageBuild(daemon, "thing", args, None, lambda _: None, lambda text: text.replace("hunter2", "***"))
    with pytest.raises(BuildError) as caught:
        made.run(BytesIO(), "tag", {}, log)
    return str(caught.value).replace(str(log), "LOG")


@pytest.mark.parametrize("size", [1, 3, 7, 40, 1000])
def test_where_the_stream_is_cut_changes_nothing(tmp_path: Path, size: int) -> None:
    text = "".join(SAID)
    pieces = [text[i : i + size] for i in range(0, len(text), size)]
    whole = build(list(SAID), tmp_path / "whole.log")
    assert "No solution found: Because stub was not found" in whole
    assert build(pieces, tmp_path / "cut.log") == whole
    assert (tmp_path / "cut.log").read_text() == (tmp_path / "whole.log").read_text()
    assert "hunter2" not in (tmp_path / "cut.log").read_text()


def test_an_unfinished_last_line_is_heard_too(tmp_path: Path) -> None:
    assert "No space here" in build(["Step 1/1 : RUN x\n", "error: No space here"], tmp_path / "log")
