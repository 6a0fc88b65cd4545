"""Lines that look alarming and are not: they must never name a cause."""

from matrix.engines.lazyregex import Lazy

BENIGN = Lazy(
    r"Ignore import error when loading"
    r"|\bHTTP/[\d.]+\"? \d{3}\b"
    r"|py-?spy"
    r"|(?:Syntax|Future|Deprecation|User|Runtime|Resource|Pydantic\w*|FastAPIDeprecation)Warning\b"
    r"|resource_tracker"
    r"|destroy_process_group\(\) was not called"
    r"|predictions? could not be extracted"
    r"|[Ff]all(?:s|ing)? ?back (?:to|on)|[Ff]allback to"
    r"|[Ff]ailed to load generation config|[Ff]ailed to get (?:the )?(?:device )?config file|does not appear "
    r"to have a file named "
    r"generation_config"
    r"|RLIMIT_NOFILE|ulimit"
    r"|Triton is (?:installed, but|not installed)"
    r"|is not available \(No module named"
    r"|CUDA kernel errors might be asynchronously reported"
    r"|[Rr]eadiness probe failed|[Ll]iveness probe failed: HTTP probe failed with statuscode: 503"
    r"|shared memory broadcast block found in \d+ seconds"
    r"|[Ss]oft watchdog"
    r"|Retrying \(Retry\(total=[1-9]"
    r"|nvidia-smi.*not found"
    r"|Error(?:s)? ?(?:=|:) ?(?:0|None|null)\b|\b0 (?:errors?|failed)\b|failed=0\b"
    r"|'?error'?: ?(?:None|null)"
    r"|[Ii]f you see (?:an )?(?:OOM|out of memory|CUDA out of memory)|to avoid (?:OOM|out of memory)|may "
    r"(?:cause|lead to|result in) "
    r"(?:OOM|out[- ]of[- ]memory|CUDA OOM)"
)
"""Searched in a cleaned line; a hit takes the line out of the search for causes."""

REQUEST_FAILED = Lazy(
    r"Exception in ASGI application|Error in (?:preprocessing|applying chat template|loading multimodal)"
)
"""Starts a traceback that belongs to one request; the server lives on."""

CHECK_FAILED = Lazy(
    r"^(?:E\s+)?(?:AssertionError: |FAILED .* - (?:assert |AssertionError: ))"
    r"[-\w.]* ?(?:\d[\d.e+-]*) (?:not (?:greater|less) than(?: or equal to)?|[<>]=?|!=|==) ?\d[\d.e+-]*"
    r"|^(?:E\s+)?AssertionError: [Ee]xpected[^\d\n]{0,60}(?:[<>]=?|at (?:least|most)|above|below|over|under) ?\d[\d.]*"
    r"[^\d\n]{1,40}\b(?:got|was|is|found|measured):? ?\d[\d.]*\W*$"
    r"|^AssertionError: (?:False is not true|True is not false)\b"
    r"|^(?:ERROR|FAIL): \w+ \([\w.]+\)|^FAILED \S+::\S+ - assert "
)
"""A CI bar that was missed: a verdict about a number, not a crash."""
