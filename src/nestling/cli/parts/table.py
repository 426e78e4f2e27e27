"""Tables that fit the terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import click

from nestling.cli.parts.text import console, number

if TYPE_CHECKING:
    from rich.table import Table

LONGEST_CELL = 240


def table(title: str, columns: Sequence[str], rows: Iterable[Iterable[object]], *, right: Iterable[int] = ()) -> None:
    """Print a table; `right` are the columns (by position) of numbers. A column without a single value is left out."""
    from rich.text import Text

    cells = [[cell_text(cell) for cell in row] for row in rows]
    shown = [place for place in range(len(columns)) if not cells or any(row[place] for row in cells)]
    screen = console()
    laid_out = _grid([columns[place] for place in shown], {shown.index(p) for p in right if p in shown})
    for row in cells:
        laid_out.add_row(*(Text(row[place]) for place in shown))
    with screen.capture() as captured:
        if title:
            screen.print(Text(title, style="bold"), overflow="fold")
        screen.print(laid_out)
    for line in captured.get().splitlines():
        click.echo(line.rstrip())


def _grid(columns: Sequence[str], right: set[int]) -> Table:
    from rich import box
    from rich.table import Table

    grid = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    for position, name in enumerate(columns):
        grid.add_column(name, justify="right" if position in right else "left", overflow="fold")
    return grid


def cell_text(value: object) -> str:
    """A value on one line of printable characters, cut when it is very long."""
    text = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in number(value))
    return text if len(text) <= LONGEST_CELL else f"{text[:LONGEST_CELL]}… ({len(text):,} characters)"
