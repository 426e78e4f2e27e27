"""What the documentation says of gaps: the rows of its tables, and a table to ask statements of."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from nestling import pipeline
from nestling.common.errors import NestlingError
from nestling.ir.model import Attribute, Entity, Model
from nestling.ir.programs.compiled import NotCompiled
from nestling.ir.proposal import Proposal
from nestling.ir.reading import Reading
from nestling.ir.statements.operators import Collation
from nestling.ir.types import Type

PAGES = Path(__file__).parents[3] / "docs" / "statements"
CASES = tuple[tuple[str, str], ...]


def kinds_listed(dialect: str) -> list[str]:
    """The first column of the table of what is refused on the page of a dialect, each kind once."""
    page = (PAGES / f"{dialect}.md").read_text(encoding="utf-8")
    section = page.partition("\n## Refused\n")[2].partition("\n## ")[0]
    return list(dict.fromkeys(re.findall(r"^\| ([^|]+?) \|", section, re.MULTILINE)[1:]))


def cases(rows: Mapping[str, tuple[str, ...]]) -> CASES:
    """Each statement with the row it belongs to; an expression is asked of the table."""
    return tuple((kind, _statement(text)) for kind, texts in rows.items() for text in texts)


def _statement(text: str) -> str:
    is_whole = re.match(
        r"(SELECT|INSERT|UPDATE|DELETE|REPLACE|WITH|MERGE|TRUNCATE|COPY|LOAD|PRAGMA|VACUUM|ATTACH|EXPLAIN)\b", text
    )
    return text if is_whole else f"SELECT {text} FROM item"


def table_of(dialect: str, columns: Mapping[str, str]) -> Proposal:
    """A design with one table, `item`; texts called `nc` know no case."""
    attributes = tuple(_attributes(columns))
    return pipeline.design(
        Reading(Model("shop", (Entity("item", attributes, ("id",)),)), dialect=dialect), "normalized"
    )


def _attributes(columns: Mapping[str, str]) -> Iterator[Attribute]:
    for name, kind in columns.items():
        rule = Collation.NOCASE if name == "nc" else Collation.BINARY
        yield Attribute(name, Type.parse(kind), nullable=name != "id", collation=rule)


def is_gap(proposal: Proposal, sql: str, dialect: str) -> bool:
    """Whether it is refused, in words."""
    try:
        return isinstance(pipeline.convert(proposal, sql, dialect=dialect), NotCompiled)
    except NestlingError:
        return True
