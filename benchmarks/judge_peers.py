"""Change points beside Apache Otava and asv on the same series."""


def main() -> None:
    """Print the comparison."""
