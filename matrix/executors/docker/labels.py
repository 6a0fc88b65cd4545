"""Labels on all that this executor makes, so that a later process can tell what is whose."""

from matrix.executors import owner

_PREFIX = "org.specmatrix."
MANAGED = f"{_PREFIX}managed"
RECIPE = f"{_PREFIX}recipe"
RUN = f"{_PREFIX}run"
OWNER = f"{_PREFIX}owner"
INPUTS = f"{_PREFIX}inputs"
STAGE = f"{_PREFIX}stage"
BUILD = f"{_PREFIX}build"
TREE = f"{_PREFIX}tree"
BELOW = f"{_PREFIX}below"
RELAY = f"{_PREFIX}relay"
"""The folder of the socket by which a server without a network is reached."""
PUBLISHED = f"{_PREFIX}published"


def container_labels(recipe_hash: str, run_id: str) -> dict[str, str]:
    """Labels of a container of this process; `reap` goes by the owner."""
    return {MANAGED: "1", RECIPE: recipe_hash, RUN: run_id, OWNER: owner.me()}


def overlay_labels(tree: str, below: str, published: bool) -> dict[str, str]:
    """What is further said of a commit laid over an image: the hashes of its files and of the recipe below, and whether
    that one's image was published.
    """
    return {TREE: tree, BELOW: below} | ({PUBLISHED: "1"} if published else {})


def is_published(image: dict[str, str]) -> bool:
    """True for an image of the engine's project, or one that only a commit was laid over."""
    return MANAGED not in image or PUBLISHED in image


def image_labels(recipe_hash: str, inputs: str) -> dict[str, str]:
    """Labels of an image. It outlives its maker and has no owner, which containers started by hand would inherit."""
    return {MANAGED: "1", RECIPE: recipe_hash, INPUTS: inputs}
