"""All models in order: tokenizer, target, the target's own texts, draft, heads."""

import platform
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer
from torch import Tensor

from matrix.demo.train import write
from matrix.demo.train.agreement import accept_length, blind_head, head_hits, model_hits
from matrix.demo.train.continuations import continuations
from matrix.demo.train.distil import distillation, head_from
from matrix.demo.train.fit import Batches, both, fit, held_out_loss, next_token_loss, rows_of, windows
from matrix.demo.train.llama import Llama
from matrix.demo.train.settings import Schedule, Shape
from matrix.demo.train.text import Corpus
from matrix.demo.train.tokens import encode, save_tokenizer, train_tokenizer

SAMPLED_AT = 0.8
CHECKED_ROWS = 64


@dataclass(frozen=True, slots=True)
class Training:
    """What every stage needs; ``report`` gathers the figures that training.json keeps."""

    shape: Shape
    schedule: Schedule
    device: torch.device
    stream: Tensor
    held: Tensor
    report: dict[str, Any] = field(default_factory=dict)


def train_all(corpus: Corpus, shape: Shape, schedule: Schedule, device: torch.device, out: Path) -> dict[str, Any]:
    """Trains and writes all five models into ``out``; the report that is also written there as training.json."""
    tokenizer = train_tokenizer(corpus.train, shape.vocab)
    job = Training(
        shape, schedule, device, *(encode(tokenizer, side).to(device) for side in (corpus.train, corpus.held))
    )
    job.report.update(_origin(corpus, job))
    target = train_target(job)
    greedy = write_texts(target, job, 0.0)
    table = torch.cat((greedy, write_texts(target, job, SAMPLED_AT)))
    fresh = _held_out_texts(target, job)
    draft = train_draft(table, fresh, job)
    _save_model(out / "target", target, tokenizer)
    _save_model(out / "draft", draft, tokenizer)
    _heads(target, table, fresh, job, out)
    write.write_json(out / "training.json", job.report)
    write.write_hashes(out)
    return job.report


def train_target(job: Training) -> Llama:
    """The target, rounded to bfloat16."""
    plan = job.schedule
    torch.manual_seed(plan.seed)
    target = Llama(job.shape).to(job.device)
    draw = windows(job.stream, plan.batch, plan.length)
    fit("target", target, lambda batch: next_token_loss(target, batch), draw, plan.steps, plan.rate, plan.seed)
    write.round_to_bfloat16(target.requires_grad_(False))
    job.report["target_held_out_loss"] = held_out_loss(target, job.held, plan.length)
    return target


def write_texts(target: Llama, job: Training, temperature: float) -> Tensor:
    """The target's continuations of pieces of the training text, [rows, tokens]."""
    plan = job.schedule
    generator = torch.Generator().manual_seed(plan.seed + 1)
    prompts = windows(job.stream, plan.continuations // 2, plan.prompt)(generator)
    return continuations(target, prompts, plan.continued, temperature, plan.seed)


def train_draft(table: Tensor, fresh: Tensor, job: Training) -> Llama:
    """The one-layer draft model, of the same text and of the target's own."""
    plan = job.schedule
    torch.manual_seed(plan.seed + 2)
    draft = Llama(replace(job.shape, layers=1)).to(job.device)
    draw = _study(table, job)
    fit("draft", draft, lambda batch: next_token_loss(draft, batch), draw, plan.steps, plan.rate, plan.seed + 2)
    write.round_to_bfloat16(draft.requires_grad_(False))
    job.report["draft_held_out_loss"] = held_out_loss(draft, job.held, plan.length)
    job.report["draft_accept_length"] = accept_length(model_hits(draft, fresh), plan.prompt)
    return draft


def _heads(target: Llama, table: Tensor, fresh: Tensor, job: Training, out: Path) -> None:
    plan, config = job.schedule, write.eagle_config(job.shape)
    torch.manual_seed(plan.seed + 3)
    head = head_from(target)
    fit("eagle3", head, distillation(target, head), _study(table, job), plan.steps, plan.rate / 2, plan.seed + 3)
    write.round_to_bfloat16(head.requires_grad_(False))
    job.report["eagle3_accept_length"] = accept_length(head_hits(target, head, fresh), plan.prompt)
    written, checked = torch.cat((table, fresh)), torch.cat((table[:CHECKED_ROWS], fresh))
    blind, seed, luck = blind_head(target, checked, written, plan.trials, plan.seed)
    job.report.update(eagle3_random_seed=seed, eagle3_random_luck=luck)
    write.save_checkpoint(out / "eagle3", head, config)
    write.save_checkpoint(out / "eagle3-mapped", head, config, write.identity_map(job.shape))
    write.save_checkpoint(out / "eagle3-random", blind, config)


def _study(table: Tensor, job: Training) -> Batches:
    half = max(job.schedule.batch // 2, 1)
    return both(windows(job.stream, half, table.shape[1]), rows_of(table, half))


def _held_out_texts(target: Llama, job: Training) -> Tensor:
    plan = job.schedule
    prompts = windows(job.held, CHECKED_ROWS, plan.prompt)(torch.Generator().manual_seed(plan.seed + 4))
    return continuations(target, prompts, plan.continued, 0.0, plan.seed)


def _save_model(folder: Path, model: Llama, tokenizer: Tokenizer) -> None:
    write.save_checkpoint(folder, model, write.llama_config(model.shape))
    write.write_json(folder / "generation_config.json", write.generation_config())
    save_tokenizer(tokenizer, folder, model.shape)


def _origin(corpus: Corpus, job: Training) -> dict[str, Any]:
    return {
        "text_sha256": corpus.sha256,
        "text_tokens": len(job.stream),
        "held_out_tokens": len(job.held),
        "shape": asdict(job.shape),
        "schedule": asdict(job.schedule),
        "device": job.device.type,
        "torch": torch.__version__.split("+")[0],
        "python": platform.python_version(),
    }
