"""Crashes of the engine itself, mostly under load. The stack of an asynchronous CUDA error is innocent."""

from matrix.core.outcome import Outcome
from matrix.engines.signature import row

RUNTIME = (
    row(
        "graph-capture-crash",
        r"Capture (?:cuda|CUDA|npu) graph failed: "
        r"(?P<text>.{0,120}(?:illegal|misaligned|CUBLAS|CUDNN|device-side|launch failure).{0,80})",
        None,
        "capturing graphs failed: {text}",
        "run once with --disable-cuda-graph",
    ),
    row(
        "index-out-of-bounds",
        r"Assertion `.{0,200}(?:out of bounds|idx|index|ind ).{0,200}` ?failed"
        r"|block: \[[\d,]+\], thread: \[[\d,]+\] Assertion `"
        r"|CUDA error: device-side assert triggered|cudaErrorAssert",
        None,
        "a GPU kernel was handed an index outside its table",
        "compare the draft's context length and vocabulary with the target's",
        usual="serve",
    ),
    row(
        "shape-mismatch",
        r"The size of tensor a \(\d+\) must match the size of tensor b \(\d+\)"
        r"|Sizes of tensors must match except in dimension"
        r"|The expanded size of the tensor \(\d+\) must match"
        r"|mat1 and mat2 shapes cannot be multiplied|shape '\[[\d, -]+\]' is invalid for input of size"
        r"|Expected size for first two dimensions|(?:shape|size) mismatch: value tensor",
        None,
        "two tensors that meet have different sizes: {hit}",
        "compare widths of draft and target; try one request at a time and no images",
        usual="serve",
    ),
    row(
        "illegal-memory-access",
        r"illegal memory access|cudaErrorIllegalAddress|CUDA_ERROR_ILLEGAL_ADDRESS|misaligned address"
        r"|unspecified launch failure|illegal instruction was encountered|Memory access fault by GPU",
        None,
        "a GPU kernel accessed memory it does not own (the stack below such an error is not trustworthy)",
        "run once with CUDA_LAUNCH_BLOCKING=1 to find the kernel",
        usual="serve",
    ),
    row(
        "cuda-library-error",
        r"CUBLAS_STATUS_(?:EXECUTION_FAILED|NOT_INITIALIZED|INTERNAL_ERROR|INVALID_VALUE)|CUDNN_STATUS_\w+"
        r"|CUSOLVER_STATUS_\w+|cutlass.{0,40}(?:Error Internal|failed)",
        None,
        "a CUDA library call failed",
        "look for an earlier error on another rank",
        usual="serve",
    ),
    row(
        "attribute-lost",
        r"AttributeError: '(?P<cls>list|dict|tuple|NoneType|int|str)' object has no attribute '(?P<name>\w+)'",
        None,
        "the engine met a {cls} where it expects something with .{name}",
        "read the frames above",
        usual="serve",
    ),
    row(
        "segfault",
        r"Segmentation fault|SIGSEGV|exitcode[:=] ?-11\b|[Ee]xit(?:ed with)? ?(?:code|status):? ?139\b|core dumped",
        None,
        "the process died of a segmentation fault",
        "read the native stack above, if there is one",
        usual="serve",
    ),
    row(
        "compile-failed-at-run",
        r"torch\._dynamo\.exc\.\w+|InductorError|BackendCompilerFailed|triton\.\w+\.errors\.\w+|PTXAS error"
        r"|PassManager::run failed",
        None,
        "compiling a kernel failed",
        "run once without graphs and compilation (--enforce-eager, --disable-cuda-graph)",
    ),
    row(
        "no-probabilities",
        r"RuntimeError: probability tensor contains either `inf`, `nan` or element < 0",
        None,
        "the model's or the draft's output holds no valid probabilities",
        "look for NaN in the weights, or a dtype that overflows",
        usual="serve",
    ),
    row(
        "negative-counter",
        r"Counters can only be incremented by non-negative amounts",
        None,
        "the engine's own acceptance counter became negative",
        "use vLLM 0.15.1 or newer",
        usual="serve",
    ),
    row(
        "collective-timeout",
        r"Watchdog caught collective operation timeout|collective operation timeout|Timed out initializing "
        r"process group"
        r"|DistStoreError|DistNetworkError.{0,80}timed out",
        Outcome.HANG,
        "GPUs waited for each other until the collective timed out",
        "look for the rank that stopped first",
    ),
    row(
        "nccl",
        r"NCCL (?:error|failure|WARN .{0,40}(?:failed|error))|nccl(?:System|Internal|Remote|UnhandledCuda)Error"
        r"|unhandled (?:system|cuda) error(?:.{0,60}NCCL)?",
        Outcome.INFRA,
        "communication between the GPUs failed",
        "check shared memory (--shm-size), peer access and the network interface; NCCL_DEBUG=INFO says more",
    ),
)
