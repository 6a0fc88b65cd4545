"""Python tracebacks in a log: which error ended the first, and which phase its frames tell of."""

from dataclasses import dataclass, field
from typing import Literal

from matrix.engines.benign import REQUEST_FAILED
from matrix.engines.lazyregex import Lazy
from matrix.engines.signature import Phase

Role = Literal["", "request", "chained", "header", "frame", "error"]
"""What a line is to tracebacks: one of a request begins, another follows it, its head, a frame, its end."""

HEADER = "Traceback (most recent call last)"
ERROR = Lazy(
    r"^(?P<type>(?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception|Exit|Interrupt|Warning|Timeout|Failed)|Exception"
    r"|AssertionError"
    r"|(?:[A-Za-z_]\w*\.)+[A-Z]\w+)(?:: (?P<text>.*)|:?$)"
)
BARE = Lazy(r"^(?:[a-z_]\w*\.)*[A-Z]\w*(?:Error|Exception)(?:: .+|$)")
FRAME = Lazy(r'^\s*File "(?P<file>[^"]+)", line \d+, in (?P<function>[\w<>.]+)')

_LOADING_NAMES = (
    "load_weights load_model init_device profile_run _dummy_run _dummy_sampler_run "
    "determine_available_memory determine_num_available_blocks compile_or_warm_up_model capture_model "
    "capture initialize_from_config _load_module get_model init_memory_pool init_cuda_graphs "
    "init_attention_backend initialize _initialize_kv_caches launch_server launch_subprocesses "
    "build_async_engine_client create_engine_config from_engine_args from_cli_args prepare_server_args "
    "__post_init__ init_model_worker warmup kernel_warmup init_worker"
)
_LOADING = frozenset(_LOADING_NAMES.split())
_SERVING_NAMES = (
    "run_event_loop event_loop_normal event_loop_overlap event_loop_pp run_busy_loop execute_model "
    "run_batch merge_batch forward_batch_generation process_batch_result process_batch_result_decode "
    "get_next_batch_to_run sample_tokens _process_engine_step step step_with_batch_queue propose "
    "propose_draft_token_ids verify update_running_batch prepare_for_decode run_verify "
    "forward_thread_func_ forward_draft_extend _update_states _prepare_inputs rejection_sample "
    "chat_completion_stream_generator completion_stream_generator output_handler"
)
_SERVING = frozenset(_SERVING_NAMES.split())


@dataclass(slots=True)
class Stack:
    """The frames seen since a traceback began."""

    request: bool = False
    open: bool = False
    functions: list[str] = field(default_factory=list)
    start: int = 0

    @property
    def phase(self) -> Phase | None:
        """What the frames tell; a profiling run inside the event loop is still loading."""
        names = set(self.functions)
        if names & _LOADING:
            return "load"
        if names & _SERVING:
            return "serve"
        return "load" if "__init__" in names else None


class Tracebacks:
    """Follows tracebacks line by line. Workers print theirs interleaved; the first to end gives the error."""

    def __init__(self) -> None:
        self.stack = Stack()
        self._request_next = False
        self._count = 0

    @property
    def inside(self) -> bool:
        """True while lines of any shape may belong to a traceback."""
        return self.stack.open and self.followed

    @property
    def followed(self) -> bool:
        """True until a hundred tracebacks were followed line by line."""
        return self._count <= _ENOUGH

    def standing(self) -> tuple[object, ...]:
        """What the next lines are followed by, but for the numbers of lines."""
        stack = self.stack
        return min(self._count, _ENOUGH + 1), self._request_next, stack.request, stack.open, tuple(stack.functions)

    def line(self, number: int, text: str) -> Role:
        """Follow one line; returns what it is."""
        role = self._role(text)
        if role == "frame":
            self._frame(number, text)
        elif role:
            self.resume(number, role)
        elif self.stack.open and number - self.stack.start > _LONGEST:
            self.stack.open = False
        return role

    def resume(self, number: int, role: Role) -> None:
        """Take a line of a known role that is no frame."""
        if role == "header":
            self._count += 1
            self.stack = Stack(request=self._request_next, open=True, start=number)
            self._request_next = False
        elif role == "error":
            self.stack.open = False
        elif role == "request" or (role == "chained" and self.stack.request):
            self._request_next = True

    def of_request(self, role: Role) -> bool:
        """True when a line of this role, the last one followed, belongs to one request's traceback."""
        return role == "request" or (self.stack.request and (self.stack.open or role == "error"))

    def _role(self, text: str) -> Role:
        if REQUEST_FAILED.search(text):
            return "request"
        if text.startswith(_CHAINED):
            return "chained"
        if HEADER in text:
            return "header"
        if FRAME.match(text):
            return "frame"
        ends = self.stack.open and text and not text[0].isspace() and ERROR.match(text)
        return "error" if ends else ""

    def _frame(self, number: int, text: str) -> None:
        if not self.stack.functions and not self.stack.open:
            self.stack.start = number
        frame = FRAME.match(text)
        if frame and len(self.stack.functions) < _FRAMES:
            self.stack.functions.append(frame["function"])


_CHAINED = ("During handling of the above", "The above exception was")
_FRAMES = 200
_LONGEST = 500
_ENOUGH = 100
"""Tracebacks followed line by line; a log with more has told its causes."""
