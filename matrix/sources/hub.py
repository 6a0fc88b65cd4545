"""Models from a model hub, fetched once and pinned to a commit."""

import re
from collections.abc import Callable
from pathlib import Path

from huggingface_hub import HfApi, constants, snapshot_download
from huggingface_hub.errors import (
    GatedRepoError,
    HfHubHTTPError,
    HFValidationError,
    LocalEntryNotFoundError,
    RepositoryNotFoundError,
    RevisionNotFoundError,
)
from huggingface_hub.file_download import repo_folder_name

from matrix.core.errors import ConfigError, InfraError, MatrixError
from matrix.sources.hub_progress import told_by

# Copies of the same weights for other programs; both engines leave them aside too.
_ASIDE = ["original/*", "onnx/*", "*.onnx", "*.msgpack", "*.h5", "*.ot", "*.tflite", "*.mlmodel"]

_COMMIT = re.compile(r"[0-9a-f]{40}")
_ASK_S = 20.0


def stage(
    repo_id: str, revision: str | None = None, tell: Callable[[str], None] = lambda text: None
) -> tuple[Path, str]:
    """The local snapshot folder of a hub model and the commit that the revision stands for now.

    `tell` hears from other threads how far a download is.

    HF_HOME, HF_ENDPOINT, HF_TOKEN and HF_HUB_OFFLINE count as in every program that uses the hub; offline, what is in
    the cache is used. Raises ConfigError when the hub has no such model or revision or refuses this user, InfraError
    when it cannot be reached or the disk is full.
    """
    try:
        told = told_by(tell)
        folder = Path(snapshot_download(repo_id, revision=revision, ignore_patterns=_ASIDE, tqdm_class=told))
    except (HfHubHTTPError, HFValidationError, LocalEntryNotFoundError, OSError, RuntimeError) as exc:
        raise _explain(exc, repo_id, revision) from None
    # A snapshot folder is called by its commit.
    return folder, folder.name


def cache_folder() -> Path:
    """Where snapshots of the hub are kept: HF_HUB_CACHE, HF_HOME or the user's cache."""
    return Path(constants.HF_HUB_CACHE)


def locate(repo_id: str, revision: str | None = None) -> tuple[Path, str]:
    """Where `stage` would put the snapshot, and its commit, without fetching weights.

    A full commit needs no network; a branch or tag asks the hub which commit it stands for now, and offline the cache.
    Raises as `stage` does.
    """
    try:
        commit = _commit(repo_id, revision or "main")
    except (HfHubHTTPError, HFValidationError, LocalEntryNotFoundError, OSError, RuntimeError) as exc:
        raise _explain(exc, repo_id, revision) from None
    return _snapshots(repo_id) / commit, commit


def _commit(repo_id: str, revision: str) -> str:
    if _COMMIT.fullmatch(revision):
        return revision
    cached = _snapshots(repo_id).parent / "refs" / revision
    try:
        return HfApi().model_info(repo_id, revision=revision, timeout=_ASK_S).sha or revision
    except (HfHubHTTPError, HFValidationError):
        raise
    except Exception as exc:
        if cached.is_file():
            return cached.read_text().strip()
        raise LocalEntryNotFoundError(f"{repo_id} is not in the cache") from exc


def _snapshots(repo_id: str) -> Path:
    name = repo_folder_name(repo_id=repo_id, repo_type="model")
    return Path(constants.HF_HUB_CACHE) / name / "snapshots"


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
