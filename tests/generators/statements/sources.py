"""What a SELECT takes its rows from: tables, derived tables and CTEs, joined along relationships and otherwise."""

from __future__ import annotations

from dataclasses import dataclass

from nestling.ir.model import Relationship
from tests.generators.statements.conditions import condition
from tests.generators.statements.ground import Table, quoted
from tests.generators.statements.hand import Hand, Scope

KINDS = ("JOIN", "LEFT JOIN", "JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN", "CROSS JOIN", ",", "JOIN")


@dataclass
class Source:
    """A FROM clause on its way: its text, the columns in reach, and which alias is which entity."""

    sql: str
    scope: Scope
    entities: dict[str, str]


def source(hand: Hand, *, most: int = 3) -> Source:
    """One table, or a few joined."""
    alias, table = hand.alias(), _table(hand)
    found = Source(f"{table.sql} {alias}", table.under(alias), {alias: table.entity} if table.entity else {})
    for _ in range(hand.weighted((4, 0), (5, 1), (2, 2), (1, 3)) if most else 0):
        if len(found.scope) < 40:
            join(hand, found, hand.one_of(KINDS))
    return found


def _table(hand: Hand) -> Table:
    from tests.generators.statements.selects import derived_table

    if hand.may_nest and hand.chance(8):
        return derived_table(hand)
    return hand.one_of(hand.known_tables())


def join(hand: Hand, found: Source, kind: str) -> None:
    """One more table, mostly along a relationship."""
    alias = hand.alias()
    links = [
        (here, link, up)
        for here, entity in found.entities.items()
        for link in hand.ground.links(entity)
        for up in (True, False)
        if (link.child if up else link.parent) == entity
    ]
    if links and not hand.chance(5):
        here, link, up = hand.one_of(links)
        table = hand.ground.tables[link.parent if up else link.child]
        on = along(link, here, alias, up=up)
    else:
        table = _table(hand)
        on = ""
    scope = table.under(alias)
    _append(hand, found, kind, f"{table.sql} {alias}", on, scope)
    found.scope += scope
    if table.entity:
        found.entities[alias] = table.entity


def _append(hand: Hand, found: Source, kind: str, table: str, on: str, scope: Scope) -> None:
    if kind in ("CROSS JOIN", ",") and " JOIN " in found.sql and kind == ",":
        kind = "CROSS JOIN"  # a comma binds less than JOIN
    hand.uses("CROSS JOIN" if kind == "," else kind)
    if kind in ("CROSS JOIN", ","):
        found.sql += f"{kind if kind == ',' else ' ' + kind} {table}"
        return
    if not on:
        one = hand.one_of(found.scope)
        other = hand.one_of([known for known in scope if known.kind is one.kind] or list(scope))
        on = f"{one.sql} {hand.one_of(('=', '=', '=', '<', '>='))} {other.sql}"
        hand.uses("join on other columns")
    if hand.chance(6):
        on = f"{on} AND {condition(hand, (*found.scope, *scope), 0)}"
        hand.uses("join condition")
    found.sql += f" {kind} {table} ON {on}"


def along(link: Relationship, here: str, there: str, *, up: bool) -> str:
    """The join condition of a relationship, from one alias to the other."""
    parent, child = (there, here) if up else (here, there)
    return " AND ".join(
        f"{child}.{quoted(one)} = {parent}.{quoted(other)}"
        for one, other in zip(link.child_attributes, link.parent_attributes, strict=True)
    )
