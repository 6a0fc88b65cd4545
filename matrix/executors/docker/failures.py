"""The daemon's own words, as errors a person can act on."""

from matrix.core.errors import EnvironmentMismatchError, InfraError, MatrixError

_GPU_HINT = "install the NVIDIA container toolkit and restart the Docker daemon, or run this cell with another executor"
_PATH_HINT = "the daemon must see the same folders as this process: is it on another machine?"
_DISK_HINT = (
    "free space on the disk of `docker info`'s root dir (`docker system df` shows what uses it), then run again"
)

_ENVIRONMENT = (
    ("could not select device driver", "the Docker daemon has no GPU runtime", _GPU_HINT),
    ("nvidia-container-cli", "the GPU runtime could not give the container its GPUs", _GPU_HINT),
    ("unknown device", "the GPU runtime does not know a GPU that was asked for", "compare `nvidia-smi -L`"),
    ("bind source path does not exist", "a model folder is not there for the Docker daemon", _PATH_HINT),
    ("range of cpus", "the Docker daemon has fewer CPUs than were asked for", "lower the limit"),
)


def refusal(text: str, doing: str) -> MatrixError:
    """What the daemon refused while `doing`; InfraError unless the words show that this host cannot do it at all."""
    low = text.lower()
    for words, cause, hint in _ENVIRONMENT:
        if words in low:
            return EnvironmentMismatchError(f"{cause}: {_short(text)}", hint=hint)
    if disk_full(text):
        return InfraError(f"the disk filled up while {doing}: {_short(text)}", hint=_DISK_HINT)
    return InfraError(f"the Docker daemon refused {doing}: {_short(text)}", hint="see the daemon's log")


def disk_full(text: str) -> bool:
    """True when the words tell of a full disk or quota, whoever said them."""
    low = text.lower()
    return any(words in low for words in ("no space left on device", "disk quota exceeded", "os error 28"))


def base_image_missing(image: str, text: str) -> MatrixError:
    """The build could not start: its base is not here and could not be pulled."""
    cause = f"the base image {image} is neither on this host nor can it be pulled: {_short(text)}"
    return EnvironmentMismatchError(
        cause, hint="pull or import it, or set `base_image` to one that `docker images` lists"
    )


def away(doing: str, error: object = "") -> InfraError:
    """The daemon does not answer any more."""
    said = f": {_short(str(error))}" if str(error) else ""
    return InfraError(f"the Docker daemon stopped answering while {doing}{said}", hint="start it again, then run again")


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 300 else f"{line[:299]}…"
