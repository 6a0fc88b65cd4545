"""What every row of vLLM's tables shares: the releases that they were read from, and where their links point."""

from matrix.engines.quirks import Quirk, Witness

OLDEST, NEWEST = "0.8.5", "0.33.0"
_SOURCE = "https://github.com/vllm-project/vllm/blob/v{}/{}"
_PULL = "https://github.com/vllm-project/vllm/pull/{}"


def vllm_row(
    topic: str,
    since: str | None,
    until: str | None,
    what: str,
    reason: str,
    where: str | int,
    witnesses: tuple[Witness, ...] = (),
) -> Quirk:
    """A row whose link is a pull request (a number) or a file of the first release of its span."""
    link = _PULL.format(where) if isinstance(where, int) else _SOURCE.format(since or OLDEST, where)
    return Quirk(topic, since, until, what, reason, link, witnesses)
