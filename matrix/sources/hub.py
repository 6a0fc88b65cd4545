"""Models from a model hub, fetched once and pinned to a commit."""

from pathlib import Path

from huggingface_hub import snapshot_download
from huggingface_hub.errors import (
    GatedRepoError,
    HfHubHTTPError,
    HFValidationError,
    LocalEntryNotFoundError,
    RepositoryNotFoundError,
    RevisionNotFoundError,
)

from matrix.core.errors import ConfigError, InfraError, MatrixError

# Copies of the same weights for other programs; both engines leave them aside too.
_ASIDE = ["original/*", "onnx/*", "*.onnx", "*.msgpack", "*.h5", "*.ot", "*.tflite", "*.mlmodel"]


def stage(repo_id: str, revision: str | None = None) -> tuple[Path, str]:
    """The local snapshot folder of a hub model and the commit that the revision stands for now.

    HF_HOME, HF_ENDPOINT, HF_TOKEN and HF_HUB_OFFLINE count as in every program that uses the hub; offline, what is in
    the cache is used. Raises ConfigError when the hub has no such model or revision or refuses this user, InfraError
    when it cannot be reached or the disk is full.
    """
    try:
        folder = Path(snapshot_download(repo_id, revision=revision, ignore_patterns=_ASIDE))
    except (HfHubHTTPError, HFValidationError, LocalEntryNotFoundError, OSError, RuntimeError) as exc:
        raise _explain(exc, repo_id, revision) from None
    # A snapshot folder is called by its commit.
    return folder, folder.name


def _explain(exc: Exception, repo_id: str, revision: str | None) -> MatrixError:
    """The error in our words; the hub's own texts can hold signed addresses and are left out."""
    what = f"model {repo_id}" + (f" at revision {revision}" if revision else "")
    if isinstance(exc, GatedRepoError):
        hint = "accept its terms on the hub, then set HF_TOKEN or log in with `hf auth login`"
        return ConfigError(f"{what} is gated", hint=hint)
    if isinstance(exc, RevisionNotFoundError):
        return ConfigError(f"the hub has no {what}", hint="check the branch, tag or commit")
    if isinstance(exc, RepositoryNotFoundError):
        hint = "check the spelling; for a private model set HF_TOKEN or log in with `hf auth login`"
        return ConfigError(f"the hub has no {what}, or does not show it to this user", hint=hint)
    if isinstance(exc, HFValidationError):
        return ConfigError(f"{repo_id!r} is not a hub name", hint="write owner/name")
    if isinstance(exc, LocalEntryNotFoundError) and isinstance(exc.__cause__, HfHubHTTPError):
        return _explain(exc.__cause__, repo_id, revision)
    if isinstance(exc, LocalEntryNotFoundError):
        hint = "check the network, HF_ENDPOINT and HF_HUB_OFFLINE, or give a local path instead"
        return InfraError(f"{what} is not in the cache and the hub cannot be reached", hint=hint)
    if isinstance(exc, HfHubHTTPError):
        status = exc.response.status_code if exc.response is not None else "no status"
        return InfraError(f"the hub answered {status} for {what}", hint="try again later, or give a local path instead")
    reason = exc.strerror if isinstance(exc, OSError) and exc.strerror else type(exc).__name__
    return InfraError(f"cannot fetch {what}: {reason}", hint="check the network and the disk that HF_HOME is on")
