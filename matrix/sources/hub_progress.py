"""How far a download from the model hub is, in words, in place of the library's own bars."""

import io
import time
from collections.abc import Callable
from typing import Any

from huggingface_hub.utils import tqdm  # type: ignore[attr-defined,unused-ignore]  # re-exported, as its docs say

TELL_S = 5.0
"""Between two messages; the first comes at once."""


def told_by(tell: Callable[[str], None], clock: Callable[[], float] = time.monotonic) -> type[Any]:
    """A class for `snapshot_download(tqdm_class=...)` that draws nothing and tells of bytes instead.

    Nothing is told of what lies in the cache already. Releases of the library that count files alone tell of those.
    HF_HUB_DISABLE_PROGRESS_BARS turns it off, as it does the bars.
    """
    bars: list[Any] = []
    told_at = [float("-inf")]

    class Told(tqdm):
        def __init__(self, *args: Any, **kwargs: Any) -> None:
            quiet = {"file": io.StringIO(), "disable": False}
            super().__init__(*args, **kwargs | quiet)  # type: ignore[no-untyped-call,unused-ignore]
            bars.append(self)

        def display(self, *args: Any, **kwargs: Any) -> bool:
            text = _words(bars)
            if text and clock() - told_at[0] >= TELL_S:
                told_at[0] = clock()
                tell(text)
            return True

    return Told


def _words(bars: list[Any]) -> str:
    of_bytes = [bar for bar in bars if bar.unit == "B"] or None
    counted = of_bytes or bars
    done, total = max((bar.n for bar in counted), default=0), max((bar.total or 0 for bar in counted), default=0)
    if not total:
        return ""
    return f"{_size(done)} of {_size(total)}" if of_bytes else f"{done} of {total} files"


def _size(count: float) -> str:
    return f"{count / 2**30:.1f} GiB" if count >= 2**30 else f"{count / 2**20:.1f} MiB"
