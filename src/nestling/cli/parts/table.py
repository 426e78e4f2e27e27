"""Tables that fit the terminal; where it is too narrow for columns, or these would be longer, a block for each row."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from textwrap import wrap
from typing import TYPE_CHECKING

import click

from nestling.cli.parts.text import console, hanging
from nestling.ir import quantity_words
from nestling.ir.printable import printable

if TYPE_CHECKING:
    from rich.table import Table

LONGEST_CELL = 240
CUT = "… (--json has all of it)"
"""The end of a shortened cell."""
NARROW = 60
"""On a terminal narrower than this, a table that does not fit is printed as blocks."""
LONGEST_WORD = 44
"""Words of up to this length, that of `UUID("…")`, are never broken. If they do not fit, blocks are printed."""
_BETWEEN = 3
"""Characters between two columns."""


def table(title: str, columns: Sequence[str], rows: Iterable[Iterable[object]], *, right: Iterable[int] = ()) -> None:
    """Print a table; `right` are the columns (by position) of numbers. A column without a single value is left out."""
    from rich.text import Text

    cells = [[cell_text(cell) for cell in row] for row in rows]
    shown = [place for place in range(len(columns)) if not cells or any(row[place] for row in cells)]
    screen = console()
    names, told = [columns[place] for place in shown], [[row[place] for place in shown] for row in cells]
    widths = _widths([names, *told], screen.width)
    if (blocks := _blocks(names, told, widths, screen.width)) is not None:
        for line in ([title] if title else []) + blocks:
            click.echo(line)
        return
    laid_out = _grid(names, widths, {shown.index(p) for p in right if p in shown})
    for row in told:
        laid_out.add_row(*map(Text, row))
    with screen.capture() as captured:
        if title:
            screen.print(Text(title, style="bold"), overflow="fold")
        screen.print(laid_out)
    for line in captured.get().splitlines():
        click.echo(line.rstrip())


def _grid(columns: Sequence[str], widths: Sequence[int], right: set[int]) -> Table:
    from rich import box
    from rich.table import Table

    grid = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    for position, (name, width) in enumerate(zip(columns, widths, strict=True)):
        grid.add_column(name, justify="right" if position in right else "left", overflow="fold", width=width)
    return grid


def _widths(rows: Sequence[Sequence[str]], width: int) -> list[int]:
    """Characters of each column: the widest give way until all fit, but never so far that a word breaks; none where one must."""
    from rich.cells import cell_len

    room = width - _BETWEEN * (len(rows[0]) - 1)
    widths = [max(map(cell_len, column)) for column in zip(*rows, strict=True)]
    words = [[cell_len(word) for cell in column for word in cell.split()] for column in zip(*rows, strict=True)]
    least = [min(max(each, default=0), LONGEST_WORD) for each in words]
    if sum(widths) > room and (width < NARROW or sum(least) > room):
        return []
    while sum(widths) > room:
        widest = max((place for place in range(len(widths)) if widths[place] > least[place]), key=lambda p: widths[p])
        widths[widest] -= 1
    return widths


def _blocks(
    columns: Sequence[str], rows: Sequence[Sequence[str]], widths: Sequence[int], width: int
) -> list[str] | None:
    """The lines of the rows, each under its first cell, the others with their columns' names; None where columns take fewer."""
    lines = sum(max(map(_lines, row, widths), default=0) for row in rows) if widths else math.inf
    if lines <= len(rows):
        return None
    told: list[str] = []
    for first, *others in rows:
        told += hanging(first, width).splitlines()
        for name, text in zip(columns[1:], others, strict=True):
            told += hanging(f"  {name}: {text}" if name else f"  {text}", width).splitlines() if text else []
    return told if len(told) <= lines else None


def _lines(text: str, width: int) -> int:
    return len(wrap(text, width)) if len(text) > width else 1


def cell_text(value: object) -> str:
    """A value on one line of printable characters; of a very long one the beginning, up to a word's end."""
    text = printable(quantity_words.cell(value))
    if len(text) <= LONGEST_CELL:
        return text
    whole, blank, _ = text[: LONGEST_CELL + 1].rpartition(" ")
    return f"{whole.rstrip(',;:') if blank else text[:LONGEST_CELL]} {CUT}"
