"""What every row of vLLM's tables shares: the releases that they were read from, and where their links point."""

from matrix.engines.quirks import Rows

OLDEST, NEWEST = "0.8.5", "0.33.0"

vllm_row = Rows("https://github.com/vllm-project/vllm", "", OLDEST).row
