"""Lines that only say that something else failed. They name a crash when nothing better is in the log."""

from matrix.engines.signature import row

_LOOK = "the cause stands earlier, or in another process's log"

WRAPPERS: tuple[str, ...] = (
    "Engine core initialization failed",
    "WorkerProc initialization failed",
    "WorkerProc failed to start",
    "Worker failed with error",
    "EngineDeadError",
    "EngineCore encountered an issue",
    "EngineCore failed to start",
    "Engine process failed to start",
    "AsyncEngineDeadError",
    "Background loop has errored",
    "Executor failed",
    "Initialization failed",
    "Received sigquit from a child process",
    "scheduler is dead",
    "scheduler died during initialization",
    "EOFError",
    "Capture cuda graph failed",
    "Capture CUDA graph failed",
    "ActorDiedError",
    "RayActorError",
    "ChildFailedError",
    "CalledProcessError",
    "SystemExit",
    "KeyboardInterrupt",
    "CancelledError",
    "BrokenPipeError",
    "ConnectionResetError",
)

WRAPPER_ROWS = (
    row(
        "child-died",
        r"Received sigquit from a child process|Rank \d+ scheduler (?:is dead|died)|Initialization failed\. "
        r"(?:Please see|warmup error)|scheduler(?:_\w+)? process .{0,40}(?:died|exited)",
        None,
        "the scheduler died; this log does not say of what",
        _LOOK,
    ),
    row(
        "graph-capture",
        r"Capture (?:cuda|CUDA|cpu|npu) graph failed",
        None,
        "capturing graphs failed; this log does not say of what",
        "run once with --disable-cuda-graph",
    ),
    row(
        "engine-died",
        r"Engine core initialization failed|WorkerProc (?:initialization failed|failed to start)"
        r"|EngineCore (?:failed to start|(?:process )?died)|Engine process failed to start"
        r"|Background loop (?:has errored|is stopped)|(?:Worker|Engine core) proc \S+ died unexpectedly",
        None,
        "the engine process died; this log does not say of what",
        _LOOK,
    ),
    row(
        "engine-died-serving",
        r"EngineDeadError|EngineCore encountered an issue|WorkerProc hit an exception",
        None,
        "the engine process died under a request; this log does not say of what",
        _LOOK,
        usual="serve",
    ),
    row(
        "worker-method",
        r"Error executing method '(?P<method>init_device|load_model|determine_num_available_blocks"
        r"|determine_available_memory"
        r"|initialize_cache|warm_up_model|compile_or_warm_up_model)'",
        None,
        "a worker failed in {method}; this log does not say of what",
        _LOOK,
    ),
    row(
        "worker-method-serving",
        r"Error executing method '(?P<method>\w+)'",
        None,
        "a worker failed in {method}; this log does not say of what",
        _LOOK,
        usual="serve",
    ),
    row(
        "actor-died",
        r"ActorDiedError|RayActorError|The actor .{0,60}died|ChildFailedError|Worker .{0,40}died unexpectedly",
        None,
        "a worker process died; this log does not say of what",
        _LOOK,
    ),
    row(
        "container-crashed",
        r"CrashLoopBackOff|Back-off restarting failed container|[Cc]ontainer .{0,60}exited with code [1-9]\d*"
        r"|exited with code [1-9]\d*\b",
        None,
        "the container ended with an error; this log does not say of what",
        "read the container's own log",
    ),
)
