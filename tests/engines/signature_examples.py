"""For each row of the table: a line of ours that it names, and a line that comes near and must not be named so."""

EXAMPLES: dict[str, tuple[str, str]] = {
    "cuda-requirement": (
        "nvidia-container-cli: requirement error: unsatisfied condition: cuda>=13.1, please update your driver",
        "condition satisfied: cuda>=13.1",
    ),
    "driver-too-old": (
        "RuntimeError: The NVIDIA driver on your system is too old (found version 11040).",
        "INFO 01-02 03:04:05 [a.py:1] NVIDIA driver version 580",
    ),
    "gpu-too-old": (
        "RuntimeError: CUDA error: no kernel image is available for execution on the device",
        "kernel image loaded on the device",
    ),
    "no-gpu-runtime": (
        'docker: Error response from daemon: could not select device driver "" with capabilities: [[gpu]].',
        "selected device driver nvidia",
    ),
    "no-gpu": ("RuntimeError: No CUDA GPUs are available", "2 CUDA GPUs are available"),
    "gpu-broken": (
        "NVRM: Xid (PCI:0000:41:00): 79, pid=11, GPU has fallen off the bus.",
        "NVRM: loading kernel module",
    ),
    "gpus-taken": (
        "ValueError: The memory capacity is unbalanced. Some GPUs may be occupied by other processes.",
        "the memory capacity of 2 GPUs is 80 GB",
    ),
    "image-gone": (
        "Error response from daemon: manifest for acme/engine:nightly-77 not found: manifest unknown",
        "manifest for acme/engine:nightly-77 found",
    ),
    "exec-format": ("exec /usr/bin/python3: exec format error", "unknown format of the exec time"),
    "disk-full": ("OSError: [Errno 28] No space left on device: '/cache/x'", "120 GiB of space left on device"),
    "docker-daemon": (
        "Cannot connect to the Docker daemon at unix:///run/x.sock. Is it running?",
        "Connected to the Docker daemon",
    ),
    "registry-refused": ("toomanyrequests: You have reached your unauthenticated limit", "requests: 3, not too many"),
    "hub-unreachable": (
        "requests.exceptions.ConnectionError: Max retries exceeded with url: /x",
        "WARNING: Retrying (Retry(total=3, connect=None)) after connection broken by 'NewConnectionError'",
    ),
    "port-in-use": (
        "ERROR: [Errno 98] error while attempting to bind on address: Address already in use",
        "binding to the address in the config",
    ),
    "unschedulable": (
        "Warning  FailedScheduling  9s  default-scheduler  0/7 nodes are available: 7 Insufficient nvidia.com/gpu.",
        "Normal  Scheduled  9s  default-scheduler  assigned",
    ),
    "node-lost": ("ray.exceptions.NodeDiedError: the node 88 died", "the node 88 joined"),
    "job-cancelled": ("# Received cancellation signal, interrupting", "received a signal of life"),
    "index-unreachable": (
        "error sending request for url (https://index.invalid/simple/x/)",
        "sending request for url /v1/models",
    ),
    "no-distribution": (
        "ERROR: No matching distribution found for vllm==9.9.9",
        "Found matching distribution vllm==9.9.9",
    ),
    "hash-mismatch": (
        "ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE.",
        "all packages match the hashes",
    ),
    "compile-failed": ("ERROR: Failed building wheel for fancy-kernels", "Successfully built fancy-kernels"),
    "image-build": ("ERROR: failed to solve: process ended badly", "solved 4 of 4 steps"),
    "kernel-skew": (
        "ImportError: cannot import name 'new_op' from 'sgl_kernel.ops' (/x/y.py)",
        "Ignore import error when loading sglang.srt.models.a: cannot import name 'b' from 'c'",
    ),
    "package-too-old": (
        "Exception: flashinfer_python is installed with version 0.3.1, which is less than the minimum required version 0.5.3.",
        "flashinfer_python is installed with version 0.5.3",
    ),
    "transformers-too-new": (
        "AttributeError: Qwen2Tokenizer has no attribute all_special_tokens_extended",
        "tokenizer has attribute all_special_tokens",
    ),
    "transformers-too-old": (
        "The checkpoint you are trying to load has model type `acme_vl` but Transformers does not recognize this architecture.",
        "model type `acme_vl` is recognized",
    ),
    "torchvision-mismatch": (
        "RuntimeError: operator torchvision::nms does not exist",
        "operator torchvision::nms registered",
    ),
    "missing-library": (
        "OSError: libnuma.so.1: cannot open shared object file: No such file or directory",
        "libnuma.so.1: opened",
    ),
    "binary-mismatch": ("ImportError: /a/_C.so: undefined symbol: _ZN3c104impl3fooEv", "all symbols resolved"),
    "illegal-instruction": ("/entry.sh: line 9: 44 Illegal instruction (core dumped)", "instruction set avx2 found"),
    "stale-cache": ("getitem_7 = submod_1[7];", "getitem = module[7]"),
    "missing-module": (
        "ModuleNotFoundError: No module named 'xgrammar'",
        "flashinfer.comm is not available (No module named 'cuda.tile'), falling back",
    ),
    "import-failed": ("ImportError: DLL of the tokenizer refused", "imports done"),
    "eagle3-target-unsupported": (
        "ValueError: Eagle3 is only supported for ['llama'] models. Got opt",
        "Eagle3 head loaded for llama",
    ),
    "spec-decode-unsupported": ("AssertionError: spec decode is not supported.", "spec decode is on"),
    "draft-model-unsupported": (
        "NotImplementedError: Speculating with draft model is not supported yet",
        "the draft model is loaded",
    ),
    "backend-unsupported": (
        "ValueError: Selected backend AttentionBackendEnum.FLASHINFER is not valid for this configuration. Reason: "
        "['sink setting not supported']",
        "Selected backend FLASH_ATTN is valid",
    ),
    "method-unsupported": ("ValueError: Unknown speculative algorithm name: FOO", "speculative algorithm name: EAGLE"),
    "unknown-flag": ("launch_server.py: error: unrecognized arguments: --frobnicate 2", "recognized arguments: --tp 2"),
    "bad-flag": ("vllm serve: error: argument --dtype: invalid choice: 'f8'", "vllm serve: ready"),
    "spec-config-invalid": (
        "pydantic_core.ValidationError: 2 validation errors for SpeculativeConfig",
        "SpeculativeConfig validated",
    ),
    "spec-options-conflict": (
        "ValueError: speculative_eagle_topk > 1 with page_size > 1 is unstable",
        "speculative_eagle_topk = 1 with page_size 64",
    ),
    "max-model-len": (
        "ValueError: User-specified max_model_len (9999) is greater than the derived max_model_len (max=2048)",
        "derived max_model_len 2048",
    ),
    "draft-context": (
        "ValueError: Target model's context_length (9000) is greater than the derived context_length (2048).",
        "context_length 2048 derived",
    ),
    "parallel-size": (
        "ValueError: Total number of attention heads (14) must be divisible by tensor parallel size (4).",
        "heads divided among 2 ranks",
    ),
    "model-folder-absent": (
        "OSError: Repo id must be in the form 'repo_name' or 'namespace/repo_name': '/m/none'. Use it",
        "Repo id must be in the form of the hub's",
    ),
    "model-not-found": (
        "OSError: Repo id must be in the form 'repo_name' or 'namespace/repo_name': 'a/b/c'. Use it",
        "Repo id acme/tiny resolved",
    ),
    "weights-without-parameter": (
        "ValueError: There is no module or parameter named 'zz' in TinyModel.",
        "module zz in TinyModel loaded",
    ),
    "weights-missing": (
        "RuntimeError: Cannot find any model weights with `/m/empty`",
        "found model weights in /m/full",
    ),
    "architecture-unsupported": (
        "ValueError: Model architectures ['OddLM'] are not supported for now. Supported: x",
        "Resolved architecture: OddLM",
    ),
    "eagle3-hooks-missing": (
        "AttributeError: 'OddForCausalLM' object has no attribute 'set_eagle3_layers_to_capture'",
        "called set_eagle3_layers_to_capture",
    ),
    "draft-is-no-head": (
        "AttributeError: 'OddForCausalLM' object has no attribute 'hot_token_id'",
        "hot_token_id is None",
    ),
    "partial-spec-flags": (
        "TypeError: '>' not supported between instances of 'NoneType' and 'int'",
        "comparison of int and int",
    ),
    "weights-shape": ("RuntimeError: size mismatch for fc.weight: copying a param", "size of fc.weight: 3"),
    "weights-key": ("KeyError: 'layers.3.self_attn.qkv.weight'", "KeyError: 'user'"),
    "weights-unreadable": (
        "safetensors_rust.SafetensorError: Error while deserializing header: header too large",
        "deserializing header done",
    ),
    "hidden-width": ("assert hidden_states.shape[-1] == embeds.shape[-1]", "hidden_states.shape is (3, 8)"),
    "quantisation-unsupported": ("ValueError: Unknown quantization method: foo4", "quantization method fp8 chosen"),
    "kv-cache-memory": (
        "ValueError: No available memory for the cache blocks.",
        "memory for 900 cache blocks available",
    ),
    "pool-memory": (
        "RuntimeError: Not enough memory. Please try to increase --mem-fraction-static.",
        "memory is enough",
    ),
    "gpu-memory-taken": (
        "ValueError: Free memory on device (3.0/80 GiB) on startup is less than desired GPU memory utilization (0.9, 72 GiB).",
        "Free memory on device: 79 GiB",
    ),
    "out-of-memory": (
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 3.10 GiB.",
        "WARNING 01-02 03:04:05 [a.py:1] a large batch may lead to OOM",
    ),
    "killed-for-memory": ("    Reason:       OOMKilled", "Killed 0 stale processes"),
    "graph-capture-crash": (
        "Exception: Capture cuda graph failed: an illegal memory access was encountered",
        "Capture cuda graph begin. This can take up to several minutes.",
    ),
    "index-out-of-bounds": (
        "../Indexing.cu:1553: block: [3,0,0], thread: [1,0,0] Assertion `srcIndex < srcSelectDimSize` failed.",
        "asserted that the index fits",
    ),
    "shape-mismatch": (
        "RuntimeError: The size of tensor a (12) must match the size of tensor b (7) at non-singleton dimension 2",
        "tensor a (12) and tensor b (12)",
    ),
    "illegal-memory-access": (
        "torch.AcceleratorError: CUDA error: an illegal memory access was encountered",
        "CUDA kernel errors might be asynchronously reported at some other API call",
    ),
    "cuda-library-error": (
        "RuntimeError: CUDA error: CUBLAS_STATUS_EXECUTION_FAILED when calling x",
        "CUBLAS version 13",
    ),
    "attribute-lost": ("AttributeError: 'list' object has no attribute 'to'", "a list has no order to speak of"),
    "segfault": (
        "!!!!!!! Segfault encountered !!!!!!!\nFatal Python error: Segmentation fault",
        "segments of the memory pool",
    ),
    "compile-failed-at-run": (
        "torch._dynamo.exc.BackendCompilerFailed: backend='inductor' raised",
        "torch._dynamo is off",
    ),
    "no-probabilities": (
        "RuntimeError: probability tensor contains either `inf`, `nan` or element < 0",
        "the probability tensor contains 4 rows",
    ),
    "negative-counter": (
        "ValueError: Counters can only be incremented by non-negative amounts.",
        "counters incremented",
    ),
    "collective-timeout": (
        "[rank3] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=9)",
        "collective operation took 3 ms",
    ),
    "nccl": ("RuntimeError: NCCL error: remote process exited or there was a network error", "NCCL version 2.27.3"),
    "watchdog": (
        "[2026-02-03 04:05:06 TP1] Watchdog timeout (self.watchdog_timeout=120)",
        "[2026-02-03 04:05:06] Soft watchdog timeout while kernels compile",
    ),
    "call-timed-out": ("TimeoutError: RPC call to sample_tokens timed out.", "RPC call to sample_tokens took 3 s"),
    "start-timed-out": (
        "TimeoutError: Timed out waiting for engine core processes to start.",
        "waiting for engine core processes",
    ),
    "probe-killed": (
        "Normal  Killing  3s  kubelet  Container engine failed liveness probe, will be restarted",
        "Warning  Unhealthy  Readiness probe failed: HTTP probe failed with statuscode: 503",
    ),
    "child-died": (
        "[2026-02-03 04:05:06] Received sigquit from a child process. It usually means the child failed.",
        "a child process started",
    ),
    "graph-capture": ("Exception: Capture cuda graph failed: see above", "Capture cuda graph end. 12 s"),
    "engine-died": (
        "RuntimeError: Engine core initialization failed. See root cause above.",
        "Engine core initialization took 9 s",
    ),
    "engine-died-serving": (
        "vllm.v1.engine.exceptions.EngineDeadError: EngineCore encountered an issue.",
        "the engine core is alive",
    ),
    "worker-method": (
        "ERROR 01-02 03:04:05 worker_base.py:5] Error executing method 'load_model'. This might cause deadlock.",
        "executing method 'load_model'",
    ),
    "worker-method-serving": (
        "ERROR 01-02 03:04:05 worker_base.py:5] Error executing method 'execute_model'.",
        "executing method 'execute_model'",
    ),
    "actor-died": (
        "ray.exceptions.ActorDiedError: The actor died unexpectedly before finishing this task.",
        "the actor is alive",
    ),
    "container-crashed": ("engine-1 exited with code 3", "engine-1 exited with code 0"),
}
