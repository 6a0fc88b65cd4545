"""Packages out of step with each other or with the host: untestable, not bad."""

from matrix.core.outcome import Outcome
from matrix.engines.signature import row

_ENV = Outcome.ENVIRONMENT
_PINS = "install the versions this release was published with"

ENVIRONMENT = (
    row(
        "kernel-skew",
        r"cannot import name '(?P<name>[^']+)' from '(?P<package>[^']+)'"
        r"|No module named '?(?P<module>(?:sgl_kernel|sgl_kernel_npu|vllm\._C|vllm\.vllm_flash_attn|flash_attn"
        r"|flashinfer)"
        r"[\w.]*)",
        _ENV,
        "the engine's Python and another package are out of step: {name}{module} is missing {package}",
        _PINS,
    ),
    row(
        "package-too-old",
        r"(?P<package>[\w-]+) is installed with version \S+,? which is less than the minimum required version"
        r"|No package metadata was found for (?P<missing>[\w.-]+)"
        r"|requires (?P<other>[\w-]+)[<>=!~]+\S* .{0,40}but (?:you have|found)",
        _ENV,
        "a package is missing or older than the engine asks for: {package}{missing}{other}",
        _PINS,
    ),
    row(
        "transformers-too-new",
        r"has no attribute '?all_special_tokens_extended|cannot import name .{0,60} from 'transformers"
        r"|has no attribute '(?:rope_scaling|_supports_sdpa)'.{0,20}transformers",
        _ENV,
        "transformers is newer than this release can use",
        "install transformers below 5 with this release",
    ),
    row(
        "transformers-too-old",
        r"model type `(?P<model>[\w-]+)` but Transformers does not recognize this architecture",
        _ENV,
        "transformers does not know the model type {model}",
        "install a newer transformers, if this release can use it",
    ),
    row(
        "torchvision-mismatch",
        r"operator torchvision::nms does not exist",
        _ENV,
        "torchvision in the environment does not fit its torch",
        "rebuild the environment without torchvision",
    ),
    row(
        "missing-library",
        r"(?P<lib>lib[\w.+-]+\.so[\w.]*): cannot open shared object file",
        _ENV,
        "the library {lib} is missing",
        "install it beside the engine",
    ),
    row(
        "binary-mismatch",
        r"undefined symbol: (?P<symbol>\w+)|version `(?P<need>GLIBC(?:XX)?_[\d.]+)' not found"
        r"|compiled using NumPy 1\.x cannot be run|numpy\.dtype size changed"
        r"|PyTorch and torchvision were compiled with different CUDA",
        _ENV,
        "compiled packages do not fit each other or this system {symbol}{need}",
        _PINS,
    ),
    row(
        "illegal-instruction",
        r"Illegal instruction|SIGILL",
        _ENV,
        "this CPU lacks an instruction set the build needs",
        "use a release built for this CPU",
    ),
    row(
        "stale-cache",
        r"getitem_\d+ = submod_\d+\[\d+\]|torch_compile_cache.{0,80}(?:corrupt|mismatch|stale|EOFError)"
        r"|Failed to load (?:the )?compiled graph|Stale file handle",
        _ENV,
        "a compiled graph of another model or release was taken from the cache",
        "remove the compile cache and run again",
    ),
    row(
        "missing-module",
        r"(?:^|\s)(?:ModuleNotFoundError: |ImportError: )No module named '?(?P<module>[\w.]+)",
        _ENV,
        "the Python module {module} is missing from the environment",
        _PINS,
    ),
    row(
        "import-failed",
        r"(?:^|\s)ImportError: (?P<text>.+)",
        _ENV,
        "an import failed: {text}",
        _PINS,
    ),
)
