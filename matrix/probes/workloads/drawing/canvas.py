"""A picture of whole pixels: filled shapes, lines and letters, written as PNG."""

import struct
import zlib
from collections.abc import Sequence

from matrix.probes.workloads.drawing.font import dots

Colour = tuple[int, int, int]
Point = tuple[int, int]

BLACK, WHITE, GREY = (20, 20, 20), (255, 255, 255), (170, 170, 170)
RED, GREEN, BLUE = (204, 51, 51), (51, 153, 68), (51, 85, 187)
YELLOW, PURPLE, ORANGE = (238, 187, 34), (136, 68, 170), (230, 120, 30)


class Canvas:
    """Whole-number arithmetic only, so that every machine draws the same pixels. The origin is at the upper left."""

    def __init__(self, width: int, height: int, ground: Colour = WHITE) -> None:
        self.width, self.height = width, height
        self._rows = [bytearray(bytes(ground) * width) for _ in range(height)]

    def box(self, x: int, y: int, width: int, height: int, colour: Colour) -> None:
        """A filled rectangle; what lies outside is cut off."""
        left, right = max(x, 0), min(x + width, self.width)
        for row in self._rows[max(y, 0) : max(min(y + height, self.height), 0)]:
            row[3 * left : 3 * max(right, left)] = bytes(colour) * max(right - left, 0)

    def disc(self, x: int, y: int, radius: int, colour: Colour) -> None:
        """A filled circle around (x, y)."""
        for step in range(-radius, radius + 1):
            half = _root(radius * radius - step * step)
            self.box(x - half, y + step, 2 * half + 1, 1, colour)

    def polygon(self, corners: Sequence[Point], colour: Colour) -> None:
        """A filled polygon without crossings, by the even-odd rule at the middle of each row."""
        edges = list(zip(corners, [*corners[1:], corners[0]], strict=True))
        for y in range(min(y for _, y in corners), max(y for _, y in corners)):
            crossings = sorted(_crossing(a, b, y) for a, b in edges if (a[1] <= y) != (b[1] <= y))
            for left, right in zip(crossings[::2], crossings[1::2], strict=True):
                self.box(left, y, right - left, 1, colour)

    def line(self, start: Point, end: Point, colour: Colour, width: int = 3) -> None:
        """A line of square dots."""
        steps = max(abs(end[0] - start[0]), abs(end[1] - start[1]), 1)
        for i in range(steps + 1):
            x = start[0] + (end[0] - start[0]) * i // steps
            y = start[1] + (end[1] - start[1]) * i // steps
            self.box(x - width // 2, y - width // 2, width, width, colour)

    def text(self, x: int, y: int, text: str, colour: Colour = BLACK, scale: int = 2) -> None:
        """One line of letters whose upper left corner is (x, y); each dot is `scale` pixels wide."""
        for column, row in dots(text):
            self.box(x + column * scale, y + row * scale, scale, scale, colour)

    def pixels(self) -> bytes:
        """Rows of red, green and blue, each row after a zero: what a PNG without filters holds."""
        return b"".join(b"\0" + bytes(row) for row in self._rows)

    def png(self) -> bytes:
        """The picture as a PNG file of eight bits a colour."""
        header = struct.pack(">IIBBBBB", self.width, self.height, 8, 2, 0, 0, 0)
        parts = ((b"IHDR", header), (b"IDAT", zlib.compress(self.pixels(), 9)), (b"IEND", b""))
        return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(name, body) for name, body in parts)


def _chunk(name: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))


def _root(square: int) -> int:
    """The largest whole number whose square is at most `square`."""
    root = int(square**0.5)
    while root * root > square:
        root -= 1
    while (root + 1) * (root + 1) <= square:
        root += 1
    return root


def _crossing(a: Point, b: Point, y: int) -> int:
    return a[0] + (b[0] - a[0]) * (y - a[1]) // (b[1] - a[1])
