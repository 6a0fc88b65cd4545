"""Rows of the heatmap are drawn once, and again when they say something else."""

from dataclasses import replace

from matrix.store.views import SeriesRow, Square
from web.squares import of_row, row_html, row_squares

SQUARE = Square("1.0", "healthy", "2.50", "as before", "run-1", 2.5, 1.5)
ROW = SeriesRow("5e1e", "target", None, "eagle3", "eagle3", 3, "", "code", "cpu", "venv", [SQUARE, None])


def test_the_same_row_is_drawn_once_and_its_copy_again() -> None:
    drawn = []

    @of_row
    def draw(row: SeriesRow) -> int:
        drawn.append(row)
        return len(drawn)

    copy = replace(ROW)
    assert [draw(ROW), draw(ROW), draw(copy), draw(ROW)] == [1, 1, 2, 1]
    for _ in range(2000):
        draw(replace(ROW))
    assert draw(ROW) == len(drawn) == 2003


def test_a_row_that_says_something_else_looks_and_hashes_otherwise() -> None:
    other = replace(ROW, squares=[replace(SQUARE, text="1.01", state="collapsed"), None])
    assert "2.50" in row_html(ROW) and "1.01" in row_html(other) and "2.50" not in row_html(other)
    (squares, said), (changed, otherwise) = row_squares(ROW), row_squares(other)
    assert list(squares) == list(changed) == ["sq-5e1e-0", "sq-5e1e-1"]
    assert said != otherwise and row_squares(replace(ROW))[1] == said
