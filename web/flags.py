"""What the flags of runs and samples say, in a few words."""

from matrix.core.oddity import Oddity
from matrix.probes.flags import MEANINGS

_RUNS = {str(flag): flag.meaning for flag in Oddity}


def run_flag(name: str) -> str:
    """The meaning of a run's flag; a name that is not known stands for itself."""
    return _RUNS.get(name, name)


def sample_flag(name: str) -> str:
    """The meaning of a sample's flag; a name that is not known stands for itself."""
    return MEANINGS.get(name, name)
