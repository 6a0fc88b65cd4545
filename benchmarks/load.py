"""How quick pages are over years of runs: `python -m benchmarks.load FILE RUNS`, with a database of `bigstore`.

A real `matrix serve` in a process of its own. Questions come at a steady rate whether or not earlier ones were answered
(open loop), so that a slow answer delays nobody's question and counts from when it was due. *Cold*: right after the
start, the database not in memory, no address twice. *Warm*: addresses from a hundred of each kind, while a run is
stored every two seconds. Then 50 clients that each wait for an answer before they ask again (closed loop).

Below each table stands who kept the processors busy. Where that was others, or where questions left late (the client
had no processor for them), what the table says of the 95th percentile is not about the server.
"""

import asyncio
import os
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import count, product
from pathlib import Path
from random import Random
from urllib.parse import urlencode, urlsplit

from benchmarks.bigrows import DRAFTS, MACHINES, TARGETS, Plan, fresh_run, plan, run_id
from benchmarks.bigstore import make
from benchmarks.load_use import Use, forget, processor_ms
from matrix.store import Store, open_store

RATE, COLD_S, WARM_S, CLOSED_S, CLIENTS, EVERY_S = 25.0, 20.0, 60.0, 20.0, 50, 2.0
ALONE = 40
SHARES = {"answer": 6, "overview": 4, "series": 5, "run": 5}
BARS = {"answer": 100, "overview": 300, "series": 100, "run": 100, "plots": 0}
_SHOWN = 7  # a series that fell and stands so: among the first rows of the first page
Addresses = dict[str, Iterator[str]]


@dataclass(slots=True)
class Times:
    """Milliseconds by kind of question; answers other than 200 are counted. `late`: from when questions were due until
    they were asked, which is the client's fault and counted all the same.
    """

    taken: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    late: list[float] = field(default_factory=list)
    failed: int = 0

    @property
    def answers(self) -> int:
        return sum(map(len, self.taken.values()))

    def lines(self) -> Iterator[str]:
        for kind in (k for k in BARS if k in self.taken):
            found = self.taken[kind]
            p50, p95, p99 = (_quantile(found, q) for q in (0.5, 0.95, 0.99))
            bar = f"  bar {BARS[kind]}: {'met' if p95 < BARS[kind] else 'MISSED'}" if BARS[kind] else ""
            yield f"  {kind:9s} n {len(found):5d}   p50 {p50:7.1f}   p95 {p95:7.1f}   p99 {p99:7.1f} ms{bar}"
        if self.late:
            yield f"  questions left late by p95 {_quantile(self.late, 0.95):.1f} ms, {max(self.late):.1f} at most"
        if self.failed:
            yield f"  {self.failed} answers were not 200"


def _quantile(found: list[float], q: float) -> float:
    return sorted(found)[min(int(len(found) * q), len(found) - 1)]


def addresses(made: Plan, pool: int | None, random: Random) -> Addresses:
    """Endless addresses of each kind, from `pool` of each or (None) none twice while there are any."""
    choices = product(TARGETS, ("", *DRAFTS), ("", "sglang", "vllm"), ("", *(gpu for gpu, _ in MACHINES[1:])))
    asked = [{"model": t, "draft": d and f"{t}-{d}", "engine": e, "gpu": g} for t, d, e, g in choices]
    runs = [run_id(random.randrange(made.runs) + 1) for _ in range(2000)]
    every = {
        "answer": [f"/compat?{urlencode({k: v for k, v in one.items() if v})}" for one in asked],
        "overview": ["/"],
        "series": [f"/series/{line.key}" for line in made.lines],
        "run": [f"/runs/{run}" for run in runs],
    }
    return {kind: _endless(random.sample(found, len(found))[:pool], random, pool) for kind, found in every.items()}


def _endless(found: list[str], random: Random, pool: int | None) -> Iterator[str]:
    for n in count():
        yield found[n % len(found)] if pool is None else random.choice(found)


async def fetch(server: tuple[str, int], address: str) -> tuple[int, int]:
    """(status, bytes of the body as sent) of a GET on a connection of its own, gzip taken."""
    reader, writer = await asyncio.open_connection(*server)
    head = f"GET {address} HTTP/1.1\r\nHost: {server[0]}\r\nAccept-Encoding: gzip\r\nConnection: close\r\n\r\n"
    writer.write(head.encode())
    answer = await reader.read(-1)
    writer.close()
    top, _, body = answer.partition(b"\r\n\r\n")
    return int(top.split(b" ", 2)[1]), len(body)


async def open_loop(server: tuple[str, int], asked: Addresses, seconds: float, random: Random) -> Times:
    """Ask at `RATE` for `seconds`; times count from when a question was due."""
    times, tasks = Times(), []
    begun = time.perf_counter()
    for n in range(int(RATE * seconds)):
        due = begun + n / RATE
        await asyncio.sleep(max(due - time.perf_counter(), 0))
        times.late.append(1000 * (time.perf_counter() - due))
        kind = random.choices(list(SHARES), list(SHARES.values()))[0]
        tasks.append(asyncio.create_task(_timed(server, kind, next(asked[kind]), times, due)))
    await asyncio.gather(*tasks)
    return times


async def closed_loop(server: tuple[str, int], asked: Addresses, random: Random) -> Times:
    """`CLIENTS` clients, each asking again as soon as it is answered."""
    times, end = Times(), time.perf_counter() + CLOSED_S

    async def client() -> None:
        while (now := time.perf_counter()) < end:
            kind = random.choices(list(SHARES), list(SHARES.values()))[0]
            await _timed(server, kind, next(asked[kind]), times, now)

    await asyncio.gather(*(client() for _ in range(CLIENTS)))
    return times


async def alone(server: tuple[str, int], pid: int, kind: str, asked: Iterator[str]) -> str:
    """What one answer costs where nobody else asks: its milliseconds, and those of the server's processor time."""
    times, before = Times(), processor_ms(pid)
    for _ in range(ALONE):
        await _timed(server, kind, next(asked), times, time.perf_counter())
    cost = (processor_ms(pid) - before) / ALONE
    return f"alone, no address twice, processor time {cost:.1f} ms an answer:\n{next(times.lines())}"


async def _timed(server: tuple[str, int], kind: str, address: str, times: Times, due: float) -> None:
    status, _ = await fetch(server, address)
    times.taken[kind].append(1000 * (time.perf_counter() - due))
    times.failed += status != 200


async def store_runs(store: Store, made: Plan, stop: asyncio.Event) -> float:
    """A run every two seconds, of one series after another. Returns milliseconds of processor time that this took."""
    spent = 0.0
    for n in count():
        try:
            await asyncio.wait_for(stop.wait(), EVERY_S)
        except TimeoutError:
            spent += (await asyncio.to_thread(_save, store, made, n * 37 % len(made.lines)))[1]
        else:
            break
    return spent


def _save(store: Store, made: Plan, number: int) -> tuple[str, float]:
    """The run stored, and milliseconds of processor time."""
    at, begun = time.time(), time.thread_time()
    result = fresh_run(made.lines, number, made.revisions - 1, 100 + int(at) % 10**6, at)
    store.runs.save(result)
    return result.run_id, 1000 * (time.thread_time() - begun)


async def shown_after(server: tuple[str, int], store: Store, made: Plan) -> float:
    """Seconds from when a run is stored until the first page links to it."""
    run, _ = await asyncio.to_thread(_save, store, made, _SHOWN)
    begun = time.perf_counter()
    while run.encode() not in await _page(server, "/"):
        if time.perf_counter() - begun > 60:
            raise RuntimeError(f"{run} was not shown within a minute")
    return time.perf_counter() - begun


async def _page(server: tuple[str, int], address: str) -> bytes:
    reader, writer = await asyncio.open_connection(*server)
    writer.write(f"GET {address} HTTP/1.1\r\nHost: {server[0]}\r\nConnection: close\r\n\r\n".encode())
    answer = await reader.read(-1)
    writer.close()
    return answer


@asynccontextmanager
async def serving(path: Path) -> AsyncIterator[tuple[tuple[str, int], int]]:
    """The address of a `matrix serve` over this database, and its process number."""
    words = (sys.executable, "-m", "matrix", "serve", "--port", "0", "--db", f"sqlite:///{path}")
    process = await asyncio.create_subprocess_exec(*words, stderr=asyncio.subprocess.PIPE)
    try:
        line = (await process.stderr.readline()).decode() if process.stderr else ""
        url = urlsplit(next(word for word in line.split() if word.startswith("http")).rstrip(".,"))
        yield (url.hostname or "", url.port or 0), process.pid
    finally:
        process.terminate()
        await process.wait()


async def measure(path: Path, made: Plan, say: Callable[[str], None]) -> None:
    """Say every figure as it is known."""
    random = Random(7)  # noqa: S311 - which pages are asked for is no secret
    forget(path)
    store = open_store(f"sqlite:///{path}")
    say(f"{made.runs:,} runs, {path.stat().st_size / 2**20:,.0f} MiB, load average {os.getloadavg()[0]:.1f}")
    async with serving(path) as (server, pid):
        before = Use.now(pid)
        cold = await open_loop(server, addresses(made, None, random), COLD_S, random)
        _tell(say, f"cold, {RATE:g} a second", cold, Use.now(pid).since(before, cold.answers))
        status, size = await fetch(server, "/")
        say(f"first page: {size / 1000:.0f} kB packed (bar 300), status {status}")
        for kind in SHARES:
            say(await alone(server, pid, kind, addresses(made, None, Random(11))[kind]))  # noqa: S311 - no secret
        pool = addresses(made, 100, random)
        await _warm(server, pid, store, made, pool, random, say)
        waits = [await shown_after(server, store, made) for _ in range(5)]
        say(f"a new run is on the first page after {max(waits):.2f} s at most, of {len(waits)} (bar 2)")
        before = Use.now(pid)
        closed = await closed_loop(server, pool, random)
        title = f"{CLIENTS} clients in a closed loop, {closed.answers / CLOSED_S:.0f} answers a second"
        _tell(say, title, closed, Use.now(pid).since(before, closed.answers))
        plots = Times()
        for line in made.lines[1:200:5]:
            await _timed(server, "plots", f"/series/{line.key}/plots", plots, time.perf_counter())
        _tell(say, "plots of a series, one after another, each drawn", plots)
    store.close()


async def _warm(
    server: tuple[str, int],
    pid: int,
    store: Store,
    made: Plan,
    pool: Addresses,
    random: Random,
    say: Callable[[str], None],
) -> None:
    stop, before = asyncio.Event(), Use.now(pid)
    writing = asyncio.create_task(store_runs(store, made, stop))
    times = await open_loop(server, pool, WARM_S, random)
    used = Use.now(pid)
    stop.set()
    _tell(say, f"warm, {RATE:g} a second", times, used.since(before, times.answers, await writing))


def _tell(say: Callable[[str], None], title: str, times: Times, used: str = "") -> None:
    say(title)
    for line in (*times.lines(), *([used] if used else [])):
        say(line)


def of_size(runs: int = 10_000) -> None:
    """Print every figure of a database that is made for it and then removed; a million runs take 7 GB."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "matrix.db"
        make(path, runs)
        main(str(path), str(runs))


def main(path: str, runs: str) -> None:
    """Print every figure."""
    asyncio.run(measure(Path(path), plan(int(runs)), lambda text: print(text, flush=True)))


if __name__ == "__main__":
    main(*sys.argv[1:])
