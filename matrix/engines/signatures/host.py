"""The machine, its daemon, its driver and its scheduler: nothing of this says anything about an engine."""

from matrix.core.outcome import Outcome
from matrix.engines.signature import row

_ENV, _INFRA = Outcome.ENVIRONMENT, Outcome.INFRA
_DRIVER = "update the driver, or exclude this version with that reason"

HOST = (
    row(
        "cuda-requirement",
        r"unsatisfied condition: (?P<need>[\w.]+ ?[<>=]+ ?[\w.]+)(?:,? please update|.{0,40}?\((?P<have>[^)]+)\))?",
        _ENV,
        "the image needs {need}, which this host's driver does not offer {have}",
        _DRIVER,
    ),
    row(
        "driver-too-old",
        r"[Tt]he NVIDIA driver on your system is too old(?: \((?P<found>[^)]*)\))?"
        r"|CUDA driver version is insufficient for CUDA runtime version"
        r"|forward compatibility was attempted on non supported HW"
        r"|Error 803: system has unsupported display driver"
        r"|provided PTX was compiled with an unsupported toolchain",
        _ENV,
        "the GPU driver is too old for this build's CUDA",
        _DRIVER,
    ),
    row(
        "gpu-too-old",
        r"no kernel image is available for execution on the device"
        r"|CUDA capability sm_\w+ is not compatible with the current PyTorch installation",
        _ENV,
        "this build holds no kernels for this GPU's architecture",
        "use a build for this GPU, or exclude the version on this hardware",
    ),
    row(
        "no-gpu-runtime",
        r"could not select device driver \S* ?with capabilities: \[\[.*gpu"
        r"|nvidia-container-cli: (?:initialization|mount|ldcache|container) error: (?P<text>.{0,120})"
        r"|unknown or invalid runtime name: nvidia|unresolvable CDI devices",
        _ENV,
        "the container runtime offers no NVIDIA GPU {text}",
        "install or repair the NVIDIA container toolkit",
    ),
    row(
        "no-gpu",
        r"No CUDA GPUs are available|Found no NVIDIA driver on your system|no CUDA-capable device is detected"
        r"|Failed to infer device type|NVML_ERROR_DRIVER_NOT_LOADED|Failed to initialize NVML: Driver/library"
        r" version mismatch|CUDA unknown error - this may be due to an incorrectly set up environment"
        r"|Error 802: system not yet initialized",
        _ENV,
        "no usable GPU is visible to the server",
        "check nvidia-smi inside the container, the device request, and the fabric manager",
    ),
    row(
        "gpu-broken",
        r"uncorrectable (?:NVLink|ECC) error|GPU has fallen off the bus|NVRM: Xid .{0,40}: (?:48|63|64|74|79|94|95)\b"
        r"|GPU is lost|hardware(?:-level)? stack error",
        _INFRA,
        "the GPU reported a hardware fault",
        "take the GPU out of service",
    ),
    row(
        "gpus-taken",
        r"memory capacity is unbalanced\. Some GPUs may be occupied",
        _INFRA,
        "another process holds memory of one of the GPUs",
        "free the GPUs and run again",
    ),
    row(
        "image-gone",
        r"(?:manifest (?:for \S+ )?(?:unknown|not found))|MANIFEST_UNKNOWN|failed to resolve ref|not found: manifest"
        r"|Image (?P<image>\S+) Error (?:failed to resolve|manifest|not found|.{0,60}not found)"
        r"|docker\.io/\S+: not found|repository does not exist or may require|pull access denied"
        r"|no matching manifest for (?P<arch>\S+)|ErrImagePull|ImagePullBackOff|InvalidImageName",
        _ENV,
        "the image cannot be had: {image}{arch}",
        "nightly tags are removed after some days; use a release, a digest or a wheel of that commit",
    ),
    row(
        "exec-format",
        r"exec format error|platform \(linux/\w+\) does not match the detected host platform",
        _ENV,
        "the image was built for another processor architecture",
        "use the image of this architecture",
    ),
    row(
        "disk-full",
        r"No space left on device|[Dd]isk quota exceeded|ENOSPC|DiskPressure"
        r"|low on resource: ephemeral-storage|not enough (?:free )?disk space",
        _INFRA,
        "the disk is full",
        "free space and run again",
    ),
    row(
        "docker-daemon",
        r"Cannot connect to the Docker daemon|error during connect: |permission denied while trying to connect "
        r"to the "
        r"Docker daemon",
        _INFRA,
        "the Docker daemon cannot be reached",
        "start the daemon, or let this user speak to it",
    ),
    row(
        "registry-refused",
        r"toomanyrequests|pull rate limit|429 Too Many Requests|unauthorized: authentication required"
        r"|TLS handshake timeout|(?:dial tcp|lookup) .{0,120}(?:i/o timeout|no such host|connection refused)"
        r"|Client\.Timeout exceeded while awaiting headers|unexpected EOF.{0,30}(?:layer|pull)",
        _INFRA,
        "the image registry or the network refused or broke the download",
        "run again later, log in, or use a mirror",
    ),
    row(
        "hub-unreachable",
        r"LocalEntryNotFoundError|couldn't connect to 'https?://|Max retries exceeded with url"
        r"|NameResolutionError|Temporary failure in name resolution|NewConnectionError"
        r"|Retrying \(Retry\(total=0,",
        _INFRA,
        "a download failed because the network or the host did not answer",
        "check the network and the proxy; download the model beforehand",
    ),
    row(
        "port-in-use",
        r"[Aa]ddress already in use|EADDRINUSE|port is already allocated|Port \d+ is (?:not available|already "
        r"in use)",
        _INFRA,
        "the server's port was taken by another process",
        "run the cell again",
    ),
    row(
        "unschedulable",
        r"FailedScheduling|Insufficient nvidia\.com/gpu|0/\d+ nodes are available"
        r"|No available node types can fulfill resource request|PlacementGroupSchedulingError|placement group "
        r".{0,40}timed? ?out",
        _INFRA,
        "the cluster had no room for the server",
        "wait for a free GPU, or ask for fewer",
    ),
    row(
        "node-lost",
        r"NodeNotReady|Stopping container .{0,40}(?:preempt|evict)|The node was (?:low on|terminated)|was preempted"
        r"|raylet (?:process )?(?:died|was terminated)|NodeDiedError|agent was lost|Agent Lost|SpotInterruption",
        _INFRA,
        "the machine under the server went away",
        "run the cell again",
    ),
    row(
        "job-cancelled",
        r"Received cancellation signal|The operation was canceled\.|Job (?:was )?cancel(?:l)?ed"
        r"|DUE TO (?:TIME LIMIT|PREEMPTION)|exit status -1 \(process killed or agent lost\)",
        _INFRA,
        "the job was cancelled from outside",
        "run the cell again",
    ),
)
