"""Tells people outside of the dashboard. One file a kind makes the request, `post` sends it."""

from collections.abc import Callable

from matrix.core.message import Message
from matrix.notify import github, slack, webhook
from matrix.notify.post import NotifyError, Request, post

MAKERS: dict[str, Callable[[Message, str, str | None], Request]] = {
    "webhook": webhook.request,
    "slack": slack.request,
    "github": github.request,
}
"""By the `kind` of `[notify.NAME]`."""

__all__ = ["MAKERS", "NotifyError", "Request", "github", "post"]
