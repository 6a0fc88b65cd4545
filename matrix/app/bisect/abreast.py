"""Several points at a time, each on GPUs of its own."""

import ctypes
import queue
import threading
from collections.abc import Callable, Iterator, Sequence

from matrix.app.bisect.points import Line
from matrix.app.bisect.subject import Subject
from matrix.app.gpus import visible_devices
from matrix.core.recipe import Placement
from matrix.engines.registry import adapter_for
from matrix.store import StoredPoint

_Done = tuple[int, StoredPoint | BaseException]


def abreast(subject: Subject, line: Line, asked: int) -> int:
    """How many of `asked` points this host has GPUs for at once. One where the cell needs none: a CPU is not shared."""
    each = gpus_each(subject, line)
    return max(1, min(asked, len(visible_devices()) // each)) if each and asked > 1 else 1


def gpus_each(subject: Subject, line: Line) -> int:
    """How many GPUs one point's server needs."""
    _, cell = subject.at(line, len(line.points) - 1)
    return adapter_for(subject.engine).launch(cell, Placement("", None, "", 0, "")).gpus


def at_once(run: Callable[[int], StoredPoint], points: Sequence[int]) -> Iterator[tuple[int, StoredPoint]]:
    """Each point with its run, as soon as it is there.

    When one fails, or the caller stops (Ctrl-C), the others are interrupted, which stops their servers, and waited for.
    """
    done: queue.SimpleQueue[_Done] = queue.SimpleQueue()

    def work(point: int) -> None:
        try:
            done.put((point, run(point)))
        except KeyboardInterrupt:
            # A new one: where it struck is kept alive by it, and with that a transaction that it broke into.
            done.put((point, KeyboardInterrupt()))
        except BaseException as error:  # noqa: BLE001 - raised again where it can be dealt with
            done.put((point, error))

    threads = [threading.Thread(target=work, args=(point,), name=f"point {point}") for point in points]
    try:
        for thread in threads:
            thread.start()
        for _ in threads:
            point, found = done.get()
            if isinstance(found, BaseException):
                raise found
            yield point, found
    finally:
        end_threads(threads)


def end_threads(threads: Sequence[threading.Thread]) -> None:
    """Raise KeyboardInterrupt in each that still runs, at its next step, and wait for all."""
    for thread in threads:
        if thread.is_alive() and thread.ident is not None:
            ctypes.pythonapi.PyThreadState_SetAsyncExc(
                ctypes.c_ulong(thread.ident), ctypes.py_object(KeyboardInterrupt)
            )
    for thread in threads:
        if thread.ident is not None:
            thread.join()
