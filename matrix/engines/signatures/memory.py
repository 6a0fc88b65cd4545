"""Memory of the GPU and of the host. Ambiguous: the engine may ask for too much, or the host offer too little.

A line `Process N has 21 GiB memory in use` is most likely the server itself, so it never blames a neighbour.
"""

from matrix.core.outcome import Outcome
from matrix.engines.signature import row

_OOM = Outcome.OOM

MEMORY = (
    row(
        "kv-cache-memory",
        r"[Nn]o available memory for the cache blocks|KV cache is needed, which is larger than the available"
        r"|The model's max seq len .{0,60}is larger than the maximum number of tokens that can be stored in KV cache",
        _OOM,
        "no memory is left for the KV cache",
        "lower max_model_len or give it more memory",
    ),
    row(
        "pool-memory",
        r"Not enough memory\. Please try to increase --mem-fraction-static|[Nn]ot enough memory.{0,60}mem[-_]fraction"
        r"|Loading weights .{0,40}leaves no memory for",
        _OOM,
        "the memory pool came out empty",
        "with a draft the fix is often a smaller context or a lower --mem-fraction-static",
    ),
    row(
        "gpu-memory-taken",
        r"Free memory on device .*is less than desired GPU memory utilization"
        r"|less than desired GPU memory utilization",
        _OOM,
        "the GPU had less free memory than the server wants",
        "free the GPU or lower the memory utilisation",
    ),
    row(
        "out-of-memory",
        r"OutOfMemoryError|CUDA (?:error: )?out of memory|CUDA OOM\b|cudaErrorMemoryAllocation|hipErrorOutOfMemory"
        r"|HIP out of memory|NPU out of memory|CUBLAS_STATUS_ALLOC_FAILED|DefaultCPUAllocator: (?:can't|not enough)"
        r"|CUDA_ERROR_OUT_OF_MEMORY|^MemoryError\b|Cannot allocate memory|std::bad_alloc",
        _OOM,
        "out of memory",
        "lower max_model_len, the batch or the static memory fraction",
    ),
    row(
        "killed-for-memory",
        r"OOMKilled|oom-kill|[Oo]ut of memory: Kill(?:ed)? process|OOM[- ]killer|running low on memory"
        r"|[Mm]emory cgroup out of memory|^Killed$|(?:[Ee]xit(?:ed with)? ?(?:code|status):?|code) ?137\b"
        r"|exitcode[:=] ?-9\b|died with <Signals\.SIGKILL|signal 9 \(SIGKILL\)|\.sh: line \d+: +\d+ Killed",
        _OOM,
        "the server was killed, most likely for want of memory",
        "raise the memory limit or lower max_model_len",
    ),
)
