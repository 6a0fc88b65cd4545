"""What every row of SGLang's tables shares: the releases that they were read from, and where their links point."""

from matrix.engines.quirks import Rows

OLDEST, NEWEST = "0.4.6.post5", "0.5.23"

sglang_row = Rows("https://github.com/sgl-project/sglang", "python/sglang/srt/", OLDEST).row
