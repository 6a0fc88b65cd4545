"""Conversations with servers, written out whole as the real ones give them: for `replay` to answer with."""

import json
from collections import Counter
from dataclasses import dataclass
from typing import Any

from tests.fakes.replay import COMPLETIONS, GENERATE, METRICS

MODEL = "small"


@dataclass(frozen=True)
class Turn:
    """One generation: verify steps by the drafts they accepted, steps without a draft, and the tokens shown."""

    histogram: tuple[int, ...] | None
    tokens: int
    draftless: int = 0

    @property
    def steps(self) -> int:
        return sum(self.histogram or ())

    @property
    def accepted(self) -> int:
        return sum(j * n for j, n in enumerate(self.histogram or ()))


def vllm(turns: list[Turn], *, per_request: bool = True) -> list[dict[str, Any]]:
    """With vLLM 0.32.0: the model list, then a scrape before the first and after every completion."""
    served = {"object": "list", "data": [{"id": MODEL, "object": "model", "max_model_len": 512}]}
    talk = [_entry("/v1/models", json.dumps(served)), _entry(METRICS, _page(turns[:0], turns))]
    for number, turn in enumerate(turns):
        talk += [
            _entry(COMPLETIONS, _completion(turn, per_request)),
            _entry(METRICS, _page(turns[: number + 1], turns)),
        ]
    return talk


def sglang(turns: list[Turn]) -> list[dict[str, Any]]:
    """With SGLang 0.5.15: the model list and the generations."""
    served = {"object": "list", "data": [{"id": MODEL, "object": "model", "owned_by": "sglang"}]}
    return [_entry("/v1/models", json.dumps(served)), *(_entry(GENERATE, _generation(turn)) for turn in turns)]


def _entry(path: str, body: str) -> dict[str, Any]:
    return {"path": path, "request": None, "status": 200, "body": body}


def _completion(turn: Turn, per_request: bool) -> str:
    choice = {"index": 0, "text": " text", "logprobs": None, "finish_reason": "length", "stop_reason": None}
    usage = {"prompt_tokens": 5, "total_tokens": 5 + turn.tokens, "completion_tokens": turn.tokens}
    metrics = None
    if turn.histogram is not None and per_request:
        k = len(turn.histogram) - 1
        block = {
            "mean_acceptance_length": 1 + turn.accepted / turn.steps,
            "draft_acceptance_rate": turn.accepted / (turn.steps * k),
            "acceptance_histogram": list(turn.histogram),
            "num_spec_steps": turn.steps,
            "num_accepted_draft_tokens": turn.accepted,
            "num_draft_tokens": turn.steps * k,
            "num_spec_tokens": k,
        }
        metrics = {"time_to_first_token_ms": None, "mean_itl_ms": None, "speculative_decoding": block}
    body = {"id": "cmpl-1", "object": "text_completion", "model": MODEL, "choices": [choice], "service_tier": None}
    return json.dumps(body | {"system_fingerprint": "vllm-0.32.0-0a1b2c3d", "usage": usage, "metrics": metrics})


def _page(past: list[Turn], all_: list[Turn]) -> str:
    """Counters since the start; those of speculation only where any turn speculates."""
    values: Counter[tuple[str, str]] = Counter({("vllm:generation_tokens", ""): 0})
    if all_[0].histogram is not None:
        values |= dict.fromkeys(_counts(all_[0]), 0)
    for turn in past:
        values.update(_counts(turn) if turn.histogram is not None else {})
        values["vllm:generation_tokens", ""] += turn.tokens
    steps = sum(t.steps + t.draftless if t.histogram is not None else t.tokens - 1 for t in past)
    lines = []
    for (name, label), value in values.items():
        labels = f'{{engine="0",model_name="{MODEL}"{label}}}'
        lines += [f"# TYPE {name}_total counter", f"{name}_total{labels} {value}.0", f"{name}_created{labels} 1.8e+09"]
    labels = f'engine="0",model_name="{MODEL}"'
    lines += [f'vllm:inter_token_latency_seconds_bucket{{{labels},le="+Inf"}} {steps}.0']
    return "\n".join([*lines, f"vllm:inter_token_latency_seconds_count{{{labels}}} {steps}.0", ""])


def _counts(turn: Turn) -> dict[tuple[str, str], int]:
    histogram = turn.histogram or ()
    k, name = len(histogram) - 1, "vllm:spec_decode_num_"
    found = {(f"{name}drafts", ""): turn.steps, (f"{name}draft_tokens", ""): turn.steps * k}
    found[f"{name}accepted_tokens", ""] = turn.accepted
    return found | {(f"{name}accepted_tokens_per_pos", f',position="{i}"'): sum(histogram[i + 1 :]) for i in range(k)}


def _generation(turn: Turn) -> str:
    """Without a draft none of the `spec_` keys is there; a step without one is a step that accepts none."""
    finish = {"type": "length", "length": turn.tokens}
    meta: dict[str, Any] = {"id": "0", "finish_reason": finish, "prompt_tokens": 5, "weight_version": "default"}
    meta |= {"completion_tokens": turn.tokens, "cached_tokens": 0, "e2e_latency": 0.9}
    if turn.histogram is not None:
        steps, k = turn.steps + turn.draftless, len(turn.histogram) - 1
        histogram = [turn.histogram[0] + turn.draftless, *turn.histogram[1:]]
        while len(histogram) > 1 and not histogram[-1]:
            histogram.pop()
        meta |= {"spec_accept_rate": turn.accepted / (steps * k), "spec_accept_length": turn.tokens / steps}
        meta |= {"spec_verify_ct": steps}
        for name in ("spec_num_correct_drafts", "spec_accepted_drafts"):
            meta[name] = turn.accepted
        for name in ("spec_num_proposed_drafts", "spec_proposed_drafts"):
            meta[name] = steps * k
        for name in ("spec_correct_drafts_histogram", "spec_accept_histogram"):
            meta[name] = histogram
    return json.dumps({"text": " text", "output_ids": [], "meta_info": meta})
