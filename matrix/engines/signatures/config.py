"""What was asked for does not exist or does not fit together: the person's to correct."""

from matrix.core.outcome import Outcome
from matrix.engines.signature import row

_CONFIG = Outcome.CONFIG_ERROR

CONFIG = (
    row(
        "unknown-flag",
        r"error: (?:unrecognized arguments: (?P<flags>.+)|ambiguous option: (?P<flag>.+))",
        _CONFIG,
        "this release does not know the flag {flags}{flag}",
        "take it out of `flags` or exclude this version with that reason",
    ),
    row(
        "bad-flag",
        r"(?:^|[/ ])(?:api_server|launch_server|server|launch_server\.py|api_server\.py|vllm serve|vllm|sglang serve)"
        r"(?:\.py)?: error: (?P<text>.+)|^error: argument (?P<arg>.+)",
        _CONFIG,
        "the command line was refused: {text}{arg}",
        "compare the flag with what this release accepts",
    ),
    row(
        "spec-config-invalid",
        r"validation errors? for SpeculativeConfig|SpeculativeConfig\.__init__\(\) got an unexpected keyword "
        r"argument "
        r"'(?P<key>[^']+)'|num_speculative_tokens must be provided|is not a valid argument in the speculative_config"
        r"|Invalid speculators config|No proposal methods found in speculators config"
        r"|requires speculative decoding to be enabled|num_speculative_tokens\S*=?\S* must be",
        _CONFIG,
        "this release refused the speculative config {key}",
        "compare `extra` and `method` with what the release accepts",
    ),
    row(
        "spec-options-conflict",
        r"speculative_eagle_topk ?> ?1 with page_size|(?:trtllm_mha|backend) only supports topk ?= ?1"
        r"|Spec v2 currently only supports topk|speculative_num_draft_tokens .{0,60}must|EAGLE3 currently only "
        r"supports 1 layer",
        _CONFIG,
        "the speculative options do not go together in this release",
        "use top-k 1, or the attention backend and page size that allow more",
    ),
    row(
        "max-model-len",
        r"User-specified max_model_len \((?P<asked>\d+)\) is greater than the derived max_model_len",
        _CONFIG,
        "max_model_len {asked} is more than the model allows",
        "lower `max_model_len`",
    ),
    row(
        "draft-context",
        r"Target model's context_length \((?P<target>\d+)\) is greater than the derived context_length",
        _CONFIG,
        "the draft's context is shorter than the target's {target}",
        "lower the context length, or set SGLANG_ALLOW_OVERWRITE_LONGER_CONTEXT_LEN=1",
    ),
    row(
        "parallel-size",
        r"must be divisible by (?:tensor|pipeline)[ _](?:model[ _])?parallel|attention heads .{0,40}must be divisible"
        r"|not divisible by .{0,40}(?:tensor|tp)|invalid device ordinal|World size .{0,60}larger than the number of"
        r"|Tensor parallel size .{0,40}(?:cannot be larger|exceeds)",
        _CONFIG,
        "the parallel sizes fit neither the model nor the GPUs",
        "choose a tensor-parallel size that divides the heads and has a GPU each",
    ),
    row(
        "model-folder-absent",
        r"Repo id must be in the form .{0,60}: '(?P<path>(?:/|\.{1,2}/|~)[^']*)'",
        None,
        "the model's or draft's folder is not there: {path}",
        "check the path inside the container; `matrix plan` refuses one that is absent on this host",
    ),
    row(
        "model-not-found",
        r"Repo id must be in the form .{0,60}: '(?P<path>[^']+)'|GatedRepoError|RepositoryNotFoundError"
        r"|is not a local folder and is not a valid model identifier|You are trying to access a gated repo",
        _CONFIG,
        "the model or draft was not found, or may not be read: {path}",
        "check the path inside the container, or the hub's name and token",
    ),
)
