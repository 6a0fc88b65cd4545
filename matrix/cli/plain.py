"""Text that is safe to show in a terminal; apart from the tables, so that a short error needs none of them."""


def plain(text: str) -> str:
    """`text` on one line, without characters that would steer a terminal: engines' words end up in reasons."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())
