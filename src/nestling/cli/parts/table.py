"""Tables that fit the terminal; where it is too narrow for columns, a block for each row."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import click

from nestling.cli.parts.text import console, hanging
from nestling.ir import quantity_words

if TYPE_CHECKING:
    from rich.table import Table

LONGEST_CELL = 240
CUT = "… (--json has all of it)"
"""What a cell that is cut ends with."""
NARROW = 60
"""Columns of a terminal below which a table that does not fit is told in blocks."""
LONGEST_WORD = 44
"""Characters of a word that are never broken in two, as many as `UUID("…")` has. Where they do not fit there are blocks."""
_BETWEEN = 3
"""Characters between two columns."""


def table(title: str, columns: Sequence[str], rows: Iterable[Iterable[object]], *, right: Iterable[int] = ()) -> None:
    """Print a table; `right` are the columns (by position) of numbers. A column without a single value is left out."""
    from rich.text import Text

    cells = [[cell_text(cell) for cell in row] for row in rows]
    shown = [place for place in range(len(columns)) if not cells or any(row[place] for row in cells)]
    screen = console()
    widths = _widths([columns, *cells], shown, screen.width)
    if not widths:
        _blocks(title, [columns[place] for place in shown], [[row[place] for place in shown] for row in cells])
        return
    laid_out = _grid([columns[place] for place in shown], widths, {shown.index(p) for p in right if p in shown})
    for row in cells:
        laid_out.add_row(*(Text(row[place]) for place in shown))
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


def _widths(rows: Sequence[Sequence[str]], shown: Sequence[int], width: int) -> list[int]:
    """Characters of each column: the widest give way until all fit, but never so far that a word breaks; none where one must."""
    from rich.cells import cell_len

    room = width - _BETWEEN * (len(shown) - 1)
    widths = [max(cell_len(row[place]) for row in rows) for place in shown]
    words = [[cell_len(word) for row in rows for word in row[place].split()] for place in shown]
    least = [min(max(each, default=0), LONGEST_WORD) for each in words]
    if sum(widths) > room and (width < NARROW or sum(least) > room):
        return []
    while sum(widths) > room:
        widest = max((place for place in range(len(widths)) if widths[place] > least[place]), key=lambda p: widths[p])
        widths[widest] -= 1
    return widths


def _blocks(title: str, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Each row under its first cell, the others with their columns' names."""
    width = console().width
    lines = [title] if title else []
    for first, *others in rows:
        lines.append(first)
        lines += [
            f"  {name}: {text}" if name else f"  {text}" for name, text in zip(columns[1:], others, strict=True) if text
        ]
    for line in lines:
        click.echo(hanging(line, width))


def printable(text: str) -> str:
    """A text on one line of printable characters, all of it."""
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


def cell_text(value: object) -> str:
    """A value on one line of printable characters; of a very long one the beginning, up to a word's end."""
    text = printable(quantity_words.cell(value))
    if len(text) <= LONGEST_CELL:
        return text
    whole, blank, _ = text[: LONGEST_CELL + 1].rpartition(" ")
    return f"{whole.rstrip(',;:') if blank else text[:LONGEST_CELL]} {CUT}"
