"""Statements of a model file written by hand: their SQL says what they touch."""

from __future__ import annotations

from dataclasses import replace

from nestling.ir.reading import Gap, Reading
from nestling.ir.statements.sql_dialects import SQLITE
from nestling.ir.text.sql_quotes import sql_text
from nestling.ir.workload import Statement
from nestling.sources.statements.footprint import footprint
from nestling.sources.statements.joins import Links
from nestling.sources.statements.placeholders import apply_edits, normalise
from nestling.sources.statements.walk import Mistake


def with_footprints(reading: Reading) -> Reading:
    """The reading with the accesses of statements that name none; what is not understood of these is a gap."""
    links, gaps = Links(reading.model), list(reading.gaps)
    mistaken: set[str] = set()
    told = [
        each if each.accesses else _told(each, reading, links, gaps, mistaken) for each in reading.workload.statements
    ]
    left_out = [each.name for each in told if each.name in mistaken and not each.accesses]
    in_part = [each.name for each in told if each.name in mistaken and each.accesses]
    workload = replace(
        reading.workload,
        statements=tuple(told),
        left_out=tuple(dict.fromkeys((*reading.workload.left_out, *left_out))),
        in_part=tuple(dict.fromkeys((*reading.workload.in_part, *in_part))),
    )
    return replace(reading, workload=workload, gaps=tuple(gaps))


def _told(statement: Statement, reading: Reading, links: Links, gaps: list[Gap], mistaken: set[str]) -> Statement:
    """The statement with its accesses; its mistakes are added to `gaps`, and its name to `mistaken` where there are some."""
    dialect = reading.dialect_of(statement) or SQLITE
    written = normalise(statement.sql, dialect)
    found = footprint(written.sql, reading.model, dialect, links)
    for mistake in (found,) if isinstance(found, Mistake) else found.mistakes:
        mistaken.add(statement.name)
        gap = Gap(mistake.kind, f"statement `{statement.name}`: {mistake.what}", reading.origin)
        if not any(each.what == gap.what for each in gaps):
            gaps.append(gap)
    if isinstance(found, Mistake):
        return statement
    texts = [(start, end, sql_text(value)) for start, end, value in found.texts]
    return replace(
        statement,
        sql=apply_edits(written.sql, texts),
        kind=found.kind,
        dialect=dialect,
        parameters=statement.parameters or written.parameters,
        accesses=found.accesses,
        limit=found.limit,
    )
