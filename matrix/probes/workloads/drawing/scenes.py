"""What is drawn, and what is asked about it: six charts, five arrangements of shapes, five pages of text."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from matrix.probes.workloads.drawing.canvas import (
    BLACK,
    BLUE,
    GREEN,
    GREY,
    ORANGE,
    PURPLE,
    RED,
    WHITE,
    YELLOW,
    Canvas,
    Colour,
)

COLOURS: tuple[Colour, ...] = (BLUE, ORANGE, GREEN, RED, PURPLE, YELLOW)
Draw = Callable[[Canvas], None]


@dataclass(frozen=True, slots=True)
class Scene:
    """One image prompt: `size` in pixels (width, height), what is drawn, and the question."""

    id: str
    kind: str
    question: str
    size: tuple[int, int]
    draw: Draw


def bars(title: str, values: Sequence[tuple[str, int]]) -> Draw:
    """Columns with their names below and their values above."""

    def draw(canvas: Canvas) -> None:
        _frame(canvas, title)
        room = (canvas.width - 60) // len(values)
        for i, (name, value) in enumerate(values):
            height = (canvas.height - 110) * value // max(v for _, v in values)
            x, y = 45 + i * room, canvas.height - 40 - height
            canvas.box(x, y, room - 14, height, COLOURS[i % len(COLOURS)])
            canvas.text(x, canvas.height - 32, name)
            canvas.text(x, y - 18, str(value))

    return draw


def curve(title: str, *rows: Sequence[int]) -> Draw:
    """One line a row, through points at equal distances; values from 0 to 100."""

    def draw(canvas: Canvas) -> None:
        _frame(canvas, title)
        for colour, row in zip(COLOURS, rows, strict=False):
            step = (canvas.width - 70) // (len(row) - 1)
            points = [(50 + i * step, canvas.height - 44 - (canvas.height - 100) * v // 100) for i, v in enumerate(row)]
            for start, end in pairwise(points):
                canvas.line(start, end, colour)
            for x, y in points:
                canvas.disc(x, y, 5, colour)

    return draw


def table(title: str, rows: Sequence[Sequence[str]]) -> Draw:
    """A grid of words; the first row is its head."""

    def draw(canvas: Canvas) -> None:
        canvas.text(14, 12, title)
        room = (canvas.width - 28) // len(rows[0])
        for i, row in enumerate(rows):
            y = 40 + i * 32
            canvas.box(14, y, canvas.width - 28, 30, (220, 226, 238) if i == 0 else (244, 244, 244))
            for j, word in enumerate(row):
                canvas.text(20 + j * room, y + 8, word)

    return draw


def page(*lines: str, scale: int = 2, ink: Colour = BLACK) -> Draw:
    """Lines of text from the top."""

    def draw(canvas: Canvas) -> None:
        for i, line in enumerate(lines):
            canvas.text(16, 16 + i * 12 * scale, line, ink, scale)

    return draw


def _frame(canvas: Canvas, title: str) -> None:
    canvas.text(16, 10, title)
    canvas.box(40, 36, 2, canvas.height - 76, BLACK)
    canvas.box(40, canvas.height - 40, canvas.width - 56, 2, BLACK)
    for i in range(1, 4):
        canvas.box(42, canvas.height - 40 - i * (canvas.height - 76) // 4, canvas.width - 58, 1, GREY)


def row_of_three(canvas: Canvas) -> None:
    canvas.disc(70, 112, 46, RED)
    canvas.box(138, 66, 92, 92, BLUE)
    canvas.polygon([(300, 62), (350, 158), (250, 158)], GREEN)


def scattered(canvas: Canvas) -> None:
    for i, (x, y) in enumerate([(60, 60), (160, 50), (260, 90), (90, 170), (210, 190), (300, 200), (150, 270)]):
        canvas.disc(x, y, 26, ORANGE if i % 3 else PURPLE)


def nested(canvas: Canvas) -> None:
    for i, colour in enumerate((BLUE, YELLOW, RED, WHITE)):
        canvas.box(30 + 35 * i, 30 + 35 * i, 276 - 70 * i, 276 - 70 * i, colour)


def house(canvas: Canvas) -> None:
    canvas.box(0, 0, 336, 210, (176, 216, 240))
    canvas.box(0, 210, 336, 42, GREEN)
    canvas.disc(290, 44, 26, YELLOW)
    canvas.box(88, 120, 140, 100, ORANGE)
    canvas.polygon([(158, 52), (248, 122), (68, 122)], RED)
    canvas.box(140, 164, 36, 56, BLACK)
    canvas.box(100, 140, 28, 28, WHITE)
    canvas.box(188, 140, 28, 28, WHITE)


def arrows(canvas: Canvas) -> None:
    for i, colour in enumerate((RED, GREEN, BLUE)):
        y = 50 + i * 62
        canvas.line((40, y), (270, y), colour, 9)
        tip, back = (308, 262) if i != 1 else (24, 70)
        canvas.polygon([(tip, y), (back, y + 24), (back, y - 24)], colour)


WIDE, TALL, SQUARE = (364, 252), (252, 336), (336, 336)
SCENES: tuple[Scene, ...] = (
    Scene(
        "chart-01",
        "chart",
        "Which year had the highest sales in this chart, and by how much?",
        WIDE,
        bars("SALES BY YEAR", [("2019", 42), ("2020", 31), ("2021", 58), ("2022", 77), ("2023", 64)]),
    ),
    Scene(
        "shapes-01",
        "shapes",
        "Name the shapes from left to right with their colours.",
        WIDE,
        row_of_three,
    ),
    Scene(
        "page-01",
        "page",
        "Copy the text of this sign word for word, then explain what it asks for.",
        WIDE,
        page("PLEASE CLOSE", "THE GATE", "DOGS RUN FREE", scale=3),
    ),
    Scene(
        "chart-02",
        "chart",
        "Describe how the temperature changes over the day in this chart.",
        WIDE,
        curve("TEMPERATURE, 0 TO 24 H", [20, 15, 12, 30, 55, 80, 88, 70, 45, 28]),
    ),
    Scene("shapes-02", "shapes", "How many circles of each colour are there? Count aloud.", SQUARE, scattered),
    Scene(
        "page-02",
        "page",
        "List the items of this receipt with their prices and check the total.",
        TALL,
        page(
            "CORNER SHOP",
            "",
            "BREAD      2.40",
            "MILK       1.15",
            "APPLES     3.30",
            "TEA        4.05",
            "",
            "TOTAL     10.90",
        ),
    ),
    Scene(
        "chart-03",
        "chart",
        "Compare the two lines of this chart. Where do they cross?",
        WIDE,
        curve("TRAINS (BLUE) AND BUSES", [80, 72, 60, 48, 40, 33], [15, 22, 41, 55, 70, 90]),
    ),
    Scene("shapes-03", "shapes", "Describe this picture from the outside to the inside.", SQUARE, nested),
    Scene(
        "page-03",
        "page",
        "Continue this function. Write the whole of it as code.",
        WIDE,
        page("DEF AREA(R):", "  IF R - 1 = 0:", "    RETURN 3.14", "  PI = 3.14159", "  RETURN PI"),
    ),
    Scene(
        "chart-04",
        "chart",
        "Turn this table into a sentence for each row.",
        WIDE,
        table(
            "DEPARTURES",
            [["TIME", "TO", "GATE"], ["08:15", "OSLO", "A4"], ["09:40", "ROME", "B12"], ["11:05", "LIMA", "C7"]],
        ),
    ),
    Scene("shapes-04", "shapes", "Describe this scene for somebody who cannot see it.", (336, 252), house),
    Scene(
        "page-04",
        "page",
        "Solve each line of this page step by step.",
        TALL,
        page("1)  12 + 30 =", "", "2)  7 - 15 =", "", "3)  144 / 12 =", "", "4)  25% OF 80 ="),
    ),
    Scene(
        "chart-05",
        "chart",
        "Sort the fruits of this chart from the largest to the smallest value.",
        WIDE,
        bars("FRUIT IN STOCK", [("FIG", 18), ("PEAR", 36), ("PLUM", 27), ("KIWI", 9)]),
    ),
    Scene("shapes-05", "shapes", "Into which direction does each arrow point, and what colour is it?", WIDE, arrows),
    Scene(
        "page-05",
        "page",
        "Answer this letter politely in three sentences.",
        WIDE,
        page(
            "DEAR NEIGHBOUR,", "YOUR PARCEL CAME", "ON MONDAY. I KEEP", "IT FOR YOU UNTIL", "SATURDAY.   MARA", ink=BLUE
        ),
    ),
    Scene(
        "chart-06",
        "chart",
        "What is the trend of the three lines in this chart? Give a short report.",
        WIDE,
        curve("WATER LEVEL OF LAKES", [30, 34, 33, 40, 47, 52], [90, 84, 77, 74, 66, 60], [50, 52, 49, 51, 50, 52]),
    ),
)
