"""The line of a key in TOML text."""

from matrix.plan.locate import line_of

TEXT = '''\
top = 1
[a."b.c"]
list = [
  "x = 1",
]
after = 2
text = """
[not.a.table]
"""
[[rows]]
v = 1
[[rows]]
v = { w = [1, 2] }
[rows.sub]
deep.er = 3
'''


def test_keys_headers_and_array_tables() -> None:
    assert line_of(TEXT, ["top"]) == 1
    assert line_of(TEXT, ["a", "b.c", "after"]) == 6
    assert line_of(TEXT, ["rows", 0, "v"]) == 11
    assert line_of(TEXT, ["rows", 1, "v"]) == 13


def test_text_inside_values_is_no_key() -> None:
    assert line_of(TEXT, ["not", "a", "table"]) is None
    assert line_of(TEXT, ["a", "b.c", "x"]) == 2


def test_an_unwritten_key_points_at_its_table() -> None:
    assert line_of(TEXT, ["rows", 1, "missing"]) == 12
    assert line_of(TEXT, ["nowhere"]) is None
