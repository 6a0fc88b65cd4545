"""What is asked of a ready server: warm-up, the probe, the same over time, and what sets a run against its baseline."""

from dataclasses import replace

from matrix.app.bench import Baseline, Bench
from matrix.app.logged import add_logged, mark
from matrix.app.record import Record
from matrix.core.result import POOLED, Sample
from matrix.engines.logcheck import logged
from matrix.probes.accept import run_probe, warm_up
from matrix.probes.client import Client
from matrix.probes.output import first_divergence, noise_gaps, noise_limit, with_alternatives
from matrix.probes.probe import Probe
from matrix.probes.sanity import sanity_flags
from matrix.probes.template import renderer
from matrix.probes.uptime import follow
from matrix.stats.uptime import over_time


def measure(record: Record, bench: Bench, client: Client) -> None:
    """Fills `record.samples`; those taken before a failure are kept. Raises EngineFaultError."""
    cell = record.cell
    names = bench.adapter.counters(cell)
    render = renderer(cell.target.path, chat_images=names.chat_images)
    probe = Probe(client, cell.workload, render, names, cell.spec)
    with record.phase("warmup"):
        warm_up(probe)
    record.sure = probe.sure
    with record.phase("probe"):
        _probe(record, probe)
    if cell.workload.uptime_min and not cell.spec.is_baseline:
        with record.phase("uptime"):
            _follow(record, probe)
    if cell.spec.is_baseline:
        with record.phase("logprobs"):
            record.samples = with_alternatives(probe, record.samples)
            record.noise = _noise(record.samples)
    else:
        baseline = bench.baseline(cell)
        if baseline is not None:
            record.samples, record.noise = compare(record.samples, baseline)


def _probe(record: Record, probe: Probe) -> None:
    before = mark(record, probe) if probe.names.log else None
    start = record.log_size()
    run_probe(probe, lambda sample: _keep(record, sample))
    record.logged = logged(record.log_text(start), record.cell.spec.k)
    if probe.names.log:
        add_logged(record, probe, before)


def _follow(record: Record, probe: Probe) -> None:
    """Ask on while the server ages; the rounds are compared and stored as two numbers, not among the samples."""
    minutes = record.cell.workload.uptime_min

    def tell(seconds: float) -> None:
        record.progress.phase(record.cell, "uptime", f"{seconds / 60:.1f} of {minutes:g} min")

    found = follow(probe, minutes, tell)
    draftless = record.cell.spec.method.counts_draftless_steps
    record.uptime = over_time(minutes, found.rounds, found.first, found.last, draftless=draftless)


def _keep(record: Record, sample: Sample) -> None:
    record.samples.append(sample)
    total = len(record.cell.workload.prompts) * record.cell.workload.repetitions
    record.progress.phase(record.cell, "probe", f"{record.prompts}/{total} prompts")


def _noise(samples: list[Sample]) -> dict[str, float]:
    """How far the baseline's own two passes part, in nats; see `matrix.probes.output.noise_limit`."""
    gaps = noise_gaps(samples)
    return {"passes": float(len(gaps)), "limit": noise_limit(gaps)}


def compare(samples: list[Sample], baseline: Baseline) -> tuple[list[Sample], dict[str, float]]:
    """Samples with their divergence from the baseline's text and the flags of insane text, and the noise that held."""
    _, of_baseline, noise = baseline
    first = {s.prompt_id: s for s in of_baseline if s.repetition == 0}
    return [_against(s, first.get(s.prompt_id)) for s in samples], noise


def _against(sample: Sample, baseline: Sample | None) -> Sample:
    if baseline is None or sample.prompt_id == POOLED:
        return sample
    flags = sample.flags + sanity_flags(sample.text, baseline.text)
    return replace(sample, divergence=first_divergence(baseline, sample.text), flags=flags)
