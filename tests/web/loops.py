"""An event loop of one's own, also where a browser's stands in this thread already."""

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

T = TypeVar("T")


def looped(scene: Coroutine[Any, Any, T]) -> T:
    """What `scene` returns or raises."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, scene).result()
