"""The tables `[notify.NAME]` of `matrix.toml`: who is told of a night's news."""

import re
from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from matrix.core.message import MessageKind

ENV = "env:"
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def check_url(text: str) -> str:
    """`text` unchanged if it is `env:NAME`, or an address that is no secret by itself; else ValueError.

    The text of a config is stored with each sweep, so what must not be known stands in the environment.
    """
    if text.startswith(ENV):
        return check_variable(text)
    try:
        parts = urlsplit(text)
        host, _ = parts.hostname, parts.port
    except ValueError:
        raise ValueError("this is no address (expected https://HOST/PATH, or env:NAME)") from None
    if parts.scheme not in ("http", "https") or not host:
        raise ValueError("this is no address (expected https://HOST/PATH, or env:NAME)")
    if "@" in parts.netloc or parts.query or host == "hooks.slack.com":
        raise ValueError("this address holds a secret: put it into a variable and write `env:NAME`")
    return text


def check_variable(text: str) -> str:
    """`text` unchanged if it is `env:NAME`; else ValueError."""
    if not text.startswith(ENV) or not _NAME.fullmatch(text[len(ENV) :]):
        raise ValueError("write `env:NAME`, the name of a variable that holds it")
    return text


class NotifyTable(BaseModel):
    """One who is told. `github` without a `url` keeps the issue's text for `matrix notify --show`."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    kind: Literal["webhook", "slack", "github"]
    url: Annotated[str, AfterValidator(check_url)] | None = Field(
        None, description="Address, or `env:NAME`; for GitHub https://api.github.com/repos/OWNER/REPO/issues."
    )
    token: Annotated[str, AfterValidator(check_variable)] | None = Field(
        None, description="`env:NAME`; sent as `Authorization: Bearer`."
    )
    on: list[Literal["new", "worsened", "fixed"]] = Field(
        default=["new", "worsened", "fixed"], min_length=1, description="What is told."
    )
    allow_private: bool = Field(
        False, description="Also addresses of private networks, of this machine and of its link."
    )

    @model_validator(mode="after")
    def _complete(self) -> "NotifyTable":
        if self.kind != "github" and self.url is None:
            raise ValueError(f"kind `{self.kind}` needs a `url`")
        if self.kind == "github" and self.url is not None and self.token is None:
            raise ValueError("opening issues needs a `token` (`env:NAME`); without a `url` the text is kept instead")
        return self

    def wants(self, kind: MessageKind) -> bool:
        """Whether messages of this kind are for it; the test is for all."""
        return kind is MessageKind.TEST or kind.value in self.on
