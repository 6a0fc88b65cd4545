"""A target or a draft: a name, where its files are, and what they hold."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Model:
    """`content` is the hash of the weight and config files, None when they were not hashed.

    `path` is a folder on this host; `source` is what the user wrote (a path or a hub name with its revision). `images`
    says whether its config has an image encoder, None where that is not known; `architecture` is the class that its
    config names first (`Qwen3ForCausalLM`), empty where that is not known.
    """

    name: str
    path: str
    source: str = ""
    content: str | None = None
    images: bool | None = None
    architecture: str = ""
