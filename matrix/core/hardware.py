"""The hardware class: what must be equal for two speeds to be comparable."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Hardware:
    """GPU name x count with driver and CUDA version, or the CPU's name and core count on hosts without one.

    `cuda` is the newest CUDA version that the driver serves. What follows it decides what can run at all, and is no
    part of the label: `capability` is the lowest compute capability of the devices (`9.0`), `glibc` the C library's
    version, `python` that of the interpreter that runs this. None is unknown.
    """

    cpu: str
    cores: int
    gpu: str | None = None
    gpus: int = 0
    driver: str | None = None
    cuda: str | None = None
    capability: str | None = None
    glibc: str | None = None
    python: str | None = None

    @property
    def label(self) -> str:
        if self.gpu is None:
            return f"cpu {self.cpu} x{self.cores}" if self.cores else self.cpu
        parts = [f"gpu {self.gpu} x{self.gpus}"]
        parts += [f"driver {self.driver}"] if self.driver else []
        parts += [f"cuda {self.cuda}"] if self.cuda else []
        return ", ".join(parts)


UNKNOWN = Hardware(cpu="unknown", cores=0)
"""The machine of a server that somebody else runs."""
