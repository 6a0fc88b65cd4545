"""One ordered table of how SGLang, vLLM and what surrounds them fail; the first row that occurs names the cause.

Themes stand from the outside in: a host that cannot run the image explains whatever the engine says later, a refused
flag explains a crash, memory explains a broken collective. Wrappers, which only repeat another error, come last.
"""

from matrix.engines.signatures.build import BUILD
from matrix.engines.signatures.config import CONFIG
from matrix.engines.signatures.environment import ENVIRONMENT
from matrix.engines.signatures.hang import HANG
from matrix.engines.signatures.host import HOST
from matrix.engines.signatures.memory import MEMORY
from matrix.engines.signatures.model import MODEL
from matrix.engines.signatures.runtime import RUNTIME
from matrix.engines.signatures.support import SUPPORT
from matrix.engines.signatures.wrappers import WRAPPER_ROWS, WRAPPERS

TABLE = (
    *HOST,
    *BUILD,
    *ENVIRONMENT,
    *SUPPORT,
    *CONFIG,
    *MODEL,
    *MEMORY,
    *RUNTIME,
    *HANG,
)

__all__ = ["TABLE", "WRAPPERS", "WRAPPER_ROWS"]
