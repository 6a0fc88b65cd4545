"""Small file systems for tests, in a mount namespace of their own."""

import shutil
import subprocess

from tests.require import require


def can_mount() -> None:
    """Skip, naming the reason, where no private mount can be made."""
    require("mount", shutil.which("unshare") is not None, "no unshare on this machine")
    made = subprocess.run(
        ["unshare", "-m", "sh", "-c", "mount -t tmpfs -o size=1m tmpfs /mnt"], capture_output=True, text=True
    )
    require("mount", made.returncode == 0, f"cannot mount a tmpfs: {made.stderr.strip()}")
