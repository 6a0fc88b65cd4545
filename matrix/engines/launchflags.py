"""What each launch flag becomes in `matrix.toml`: one table per engine, with the releases that have the flag.

Spans were read from release sources: SGLang 0.4.6.post5 to 0.5.23, vLLM 0.8.5 to 0.33.0. None is open.
"""

from dataclasses import dataclass

from packaging.specifiers import SpecifierSet


@dataclass(frozen=True, slots=True)
class Effect:
    """In `releases` (a PEP 440 range) a flag or key is `refused`, `ignored` or `changed`, and why."""

    releases: str
    effect: str
    why: str

    def holds(self, version: str) -> bool:
        """True when `version` lies in the range."""
        return SpecifierSet(self.releases).contains(version, prereleases=True)


@dataclass(frozen=True, slots=True)
class Flag:
    """`role` says what the flag becomes (`pass`: an engine flag as it is); `bare` flags take no value."""

    name: str
    role: str = "pass"
    since: str | None = None
    until: str | None = None
    bare: bool = False
    note: str = ""

    def effects(self) -> tuple[Effect, ...]:
        """Which releases refuse the flag."""
        why = "unrecognized arguments, exit status 2"
        rows = [Effect(f"<{self.since}", "refused", why)] if self.since else []
        return (*rows, Effect(f">{self.until}", "refused", why)) if self.until else tuple(rows)


def _all(role: str, names: str, *, bare: bool = False, note: str = "") -> tuple[Flag, ...]:
    return tuple(Flag(f"--{name}", role, bare=bare, note=note) for name in names.split())


_OURS = "every run sets this itself, the same for all releases"
_NODES = "a cell is one server on one machine"
_FILE = "what the file sets is not seen here: write it as flags"
_SHARED = (
    *_all("ours", "nnodes node-rank dist-init-addr master-addr master-port", note=_NODES),
    *_all("pass", "config", note=_FILE),
    *_all("secret", "api-key admin-api-key hf-token", note="a secret is not written down"),
    *_all("ours", "host port served-model-name", note=_OURS),
    *_all("dtype", "dtype"),
    *_all("pass", "trust-remote-code", bare=True),
    *_all("pass", "load-format quantization kv-cache-dtype revision chat-template"),
)

SGLANG = (
    *_SHARED,
    *_all("target", "model-path"),
    Flag("--model", "target", "0.4.10.post2"),
    *_all("algorithm", "speculative-algorithm"),
    *_all("draft", "speculative-draft-model-path"),
    Flag("--speculative-draft-model", "draft", "0.5.2"),
    Flag("--speculative-draft", "draft", until="0.5.1", note="ambiguous from 0.5.2 on"),
    *_all("steps", "speculative-num-steps"),
    *_all("topk", "speculative-eagle-topk"),
    *_all("draft_tokens", "speculative-num-draft-tokens"),
    *_all("config-list", "config-list"),
    *_all("max_model_len", "context-length"),
    *_all("gpus", "tp-size tensor-parallel-size dp-size data-parallel-size pp-size pipeline-parallel-size"),
    *_all("ours", "random-seed decode-log-interval", note=_OURS),
    *_all("ours", "disable-radix-cache enable-metrics", bare=True, note=_OURS),
    *_all("pass", "mem-fraction-static chunked-prefill-size max-running-requests attention-backend page-size"),
    *_all("pass", "log-level tokenizer-path cuda-graph-max-bs-prefill"),
    *_all("pass", "disable-cuda-graph disable-overlap-schedule enable-multimodal log-requests", bare=True),
    *_all("bench", "benchmark-list output-dir name", note="the benchmark's own; prompts come from [workloads]"),
    Flag("--skip-server-warmup", since="0.4.10.post2", bare=True),
    Flag(
        "--cuda-graph-max-bs",
        until="0.5.19",
        note="spelled `--cuda-graph-max-bs-decode` from 0.5.20 on; launched so there",
    ),
    Flag("--cuda-graph-bs", until="0.5.18"),
    Flag("--cuda-graph-max-bs-decode", since="0.5.15"),
    Flag("--enable-beta-spec", since="0.5.4", until="0.5.4", bare=True),
    Flag("--speculative-ngram-min-match-window-size", since="0.5.3", until="0.5.9"),
    Flag("--speculative-ngram-max-match-window-size", since="0.5.3", until="0.5.9"),
    Flag("--speculative-ngram-branch-length", since="0.5.3", until="0.5.9"),
    Flag("--speculative-ngram-max-trie-depth", since="0.5.10"),
    Flag("--speculative-use-rejection-sampling", since="0.5.15", bare=True),
    Flag("--speculative-adaptive", since="0.5.11", bare=True, note="changes steps while it runs: accept lengths mix"),
)

_RETIRED = "gone before 0.8.5: every release here refuses it; its value moved into the spec config"
VLLM = (
    *_SHARED,
    *_all("target", "model"),
    *_all("config", "speculative-config"),
    Flag("-sc", "config", "0.20.2"),
    Flag("--spec-method", "key:method", "0.22.1"),
    Flag("--spec-model", "key:model", "0.22.1"),
    Flag("--spec-tokens", "key:num_speculative_tokens", "0.22.1"),
    *(
        Flag(f"--{name}", f"key:{key}", until="0", note=_RETIRED)
        for name, key in {
            "speculative-model": "model",
            "num-speculative-tokens": "num_speculative_tokens",
            "speculative-draft-tensor-parallel-size": "draft_tensor_parallel_size",
            "speculative-max-model-len": "max_model_len",
            "speculative-model-quantization": "quantization",
            "speculative-disable-by-batch-size": "disable_by_batch_size",
            "ngram-prompt-lookup-max": "prompt_lookup_max",
            "ngram-prompt-lookup-min": "prompt_lookup_min",
        }.items()
    ),
    *_all("max_model_len", "max-model-len"),
    *_all("gpus", "tensor-parallel-size pipeline-parallel-size data-parallel-size"),
    *(Flag(name, "gpus") for name in ("-tp", "-pp", "-dp")),
    *_all("ours", "seed generation-config", note=_OURS),
    *_all("ours", "no-enable-prefix-caching enable-prefix-caching", bare=True, note=_OURS),
    *_all("ours", "disable-log-stats", bare=True, note="it would switch off the counters that are measured"),
    Flag("--per-request-spec-decode-metrics", "ours", "0.29.0", note=_OURS),
    *_all("pass", "max-num-seqs max-num-batched-tokens gpu-memory-utilization limit-mm-per-prompt block-size"),
    *_all("pass", "enforce-eager enable-auto-tool-choice enable-chunked-prefill", bare=True),
    *_all("pass", "tool-call-parser reasoning-parser"),
    Flag("--disable-log-requests", until="0.16.0", bare=True),
    Flag("--num-lookahead-slots", until="0.11.2"),
    Flag("--async-scheduling", since="0.10.0", bare=True),
    Flag("--attention-backend", since="0.14.1"),
    Flag("--kv-cache-memory-bytes", since="0.10.2"),
)
ENVIRONMENT = {
    "VLLM_USE_V1": Effect(">0.11.0", "ignored", "gone: the V1 engine is the only one"),
    "VLLM_ATTENTION_BACKEND": Effect(">0.14.1", "ignored", "gone: `--attention-backend` takes its place"),
    "VLLM_USE_V2_MODEL_RUNNER": Effect("<0.12.0", "ignored", "not read before 0.12.0"),
    "VLLM_LOG_STATS_INTERVAL": Effect("<0.10.2", "ignored", "not read before 0.10.2"),
    "SGLANG_ENABLE_SPEC_V2": Effect(">=0.5.15", "ignored", "removed: the V2 worker always runs"),
}
TABLES = {"sglang": SGLANG, "vllm": VLLM}


def find_flag(engine: str, word: str) -> tuple[Flag | None, tuple[str, ...]]:
    """The flag that `word` names or shortens, and where several begin so, their names (then no flag)."""
    name = "--" + word[2:].replace("_", "-") if word.startswith("--") else word
    table = TABLES[engine]
    exact = next((flag for flag in table if flag.name == name), None)
    if exact or not name.startswith("--"):
        return exact, ()
    starts = [flag for flag in table if flag.name.startswith(name)]
    roles = {flag.role if flag.role in ("draft", "target") else flag.name for flag in starts}
    if engine == "sglang" and name in ("--tp", "--pp", "--dp"):
        return next(flag for flag in table if flag.name == f"{name}-size"), ()
    return (starts[0], ()) if len(roles) == 1 else (None, tuple(flag.name for flag in starts))
