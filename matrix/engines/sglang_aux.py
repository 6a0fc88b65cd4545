"""Where a target's class hands the auxiliary hidden states on, without which an EAGLE-3 head guesses blindly.

The server starts and serves either way; the accept length alone tells.
"""

from matrix.engines.quirks import proof
from matrix.engines.sglang_rows import NEWEST, sglang_row

_QWEN = "Qwen2_5_VLForConditionalGeneration"
_FILE = "models/qwen2_5_vl.py"
_OLD, _NEW = "forward_batch, aux_hidden_states", "aux_hidden_states,"
_ENDS = f"0.5.6 {NEWEST}"

AUX = (
    sglang_row(
        f"aux-states {_QWEN}",
        "0.5.2",
        "0.5.5.post2",
        "passed",
        "the class passes the auxiliary hidden states that an EAGLE-3 head reads",
        8801,
        proof(_FILE, _OLD, "0.5.2 0.5.5.post2", "0.5.5.post3"),
    ),
    sglang_row(
        f"aux-states {_QWEN}",
        "0.5.5.post3",
        "0.5.5.post3",
        "",
        "pipeline parallelism for the class dropped the auxiliary hidden states, so nothing a head drafts is accepted",
        13075,
        proof(_FILE, _NEW, _ENDS, "0.5.5.post3") + proof(_FILE, _OLD, "", "0.5.5.post3"),
    ),
    sglang_row(
        f"aux-states {_QWEN}",
        "0.5.6",
        None,
        "passed",
        "the class passes the auxiliary hidden states again",
        13904,
        proof(_FILE, _NEW, _ENDS, "0.5.5.post3"),
    ),
)
"""The topic names the class; an empty row is a release that loses them."""
