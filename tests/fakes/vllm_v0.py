"""The statistics of vLLM's V0 engine (to 0.9.2): given now and then, cumulative, and as counters added up again."""

import time
from collections import Counter

from tests.fakes.rows import what
from tests.fakes.vllm_rows import LOG, METRICS
from tests.fakes.vllm_speech import counter, histogram, info


class V0Stats:
    """Collected when a request steps and the interval has passed; what a request itself adds shows at a later one."""

    def __init__(self, release: str, model: str, k: int, interval_s: float) -> None:
        self.release, self.labels, self.k, self.interval_s = release, f'model_name="{model}"', k, interval_s
        self.given = time.monotonic()
        self.gauges: dict[str, float] = {}
        self.counters: Counter[str] = Counter()

    def step(self, sums: Counter[str]) -> None:
        """A request begins, `sums` being those of all before it. A draft's accepted tokens count behind a rejected one
        too, here one in each step that rejects early."""
        if not self.k or not sums["steps"] or time.monotonic() - self.given < self.interval_s:
            return
        self.given = time.monotonic()
        accepted = sums["accepted"] + sums["steps"] - sums[f"at{min(1, self.k - 1)}"]
        now = {"accepted": accepted, "proposed": sums["proposed"], "emitted": sums["steps"] + sums["accepted"]}
        self.counters.update(now)
        efficiency = now["emitted"] / (sums["steps"] * (self.k + 1))
        self.gauges = {"v0-rate": accepted / sums["proposed"], "v0-efficiency": efficiency}
        print(self.line(now), flush=True)

    def line(self, now: dict[str, int]) -> str:
        values = (*self.gauges.values(), self.k, now["accepted"], now["proposed"], now["emitted"])
        return info(self.release, "metrics.py:489", what(LOG, "v0-line", self.release).format(*values))

    def metrics(self, sums: Counter[str]) -> list[str]:
        """The page's lines; those of speculation are not there before they were first given."""
        lines = counter(self.name("v0-tokens"), self.labels, sums["tokens"])
        lines += histogram(self.name("v0-decode"), self.labels, sums["decode"])
        lines += [f"{self.name(topic)}{{{self.labels}}} {value}" for topic, value in self.gauges.items()]
        for topic, value in self.counters.items():
            lines += counter(self.name(f"v0-{topic}"), self.labels, value)
        return lines

    def name(self, topic: str) -> str:
        return what(METRICS, topic, self.release)
