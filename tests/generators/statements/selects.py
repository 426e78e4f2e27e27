"""One SELECT: plain, grouped or with windows; and those inside expressions."""

from __future__ import annotations

from dataclasses import dataclass

from tests.generators.statements.conditions import condition
from tests.generators.statements.expressions import column, value
from tests.generators.statements.ground import Kind, Table, quoted
from tests.generators.statements.hand import Hand, Scope
from tests.generators.statements.sources import Source, along, join, source


@dataclass
class Select:
    """A SELECT without order, its output kinds, and expressions it may be ordered by beside its outputs."""

    sql: str
    kinds: list[Kind]
    sortable: Scope = ()
    key: int = 0  # so many of its first columns are the same in no two rows; 0: that is not known

    @property
    def width(self) -> int:
        """How many columns it has."""
        return len(self.kinds)


def select(hand: Hand) -> Select:
    """Any one."""
    return hand.weighted((6, plain), (4, grouped), (2, windowed), (1, counted))(hand)


def plain(hand: Hand, kinds: tuple[Kind, ...] = ()) -> Select:
    """Expressions of rows; of these kinds when they are given."""
    found = source(hand)
    where = _where(hand, found)
    if not kinds and hand.chance(8):
        hand.uses("SELECT *")
        return Select(f"SELECT * FROM {found.sql}{where}", [known.kind for known in found.scope])
    wanted = kinds or (None,) * hand.number(1, 4)
    outputs = [
        value(hand, found.scope, 2, kind) if hand.chance(2) else column(hand, found.scope, kind) for kind in wanted
    ]
    distinct = hand.weighted((3, ""), (1, "DISTINCT "))
    if distinct:
        hand.uses("DISTINCT")
    listed = ", ".join(f"{sql} AS o{place}" for place, (sql, _) in enumerate(outputs, 1))
    sortable = found.scope if not distinct else ()
    return Select(f"SELECT {distinct}{listed} FROM {found.sql}{where}", [kind for _, kind in outputs], sortable)


def grouped(hand: Hand) -> Select:
    """Aggregates over groups, or over everything."""
    found = source(hand)
    where = _where(hand, found)
    hand.uses("aggregate")
    keys = hand.some(lambda: column(hand, found.scope) if not hand.chance(3) else value(hand, found.scope, 1), 0, 2)
    keys = [(sql, kind) for sql, kind in keys if not _is_constant(sql)]
    aggregates = hand.some(lambda: aggregate(hand, found.scope), 1, 3)
    listed = ", ".join(f"{sql} AS o{place}" for place, (sql, _) in enumerate([*keys, *aggregates], 1))
    by = f" GROUP BY {', '.join(sql for sql, _ in keys)}" if keys else ""
    if by:
        hand.uses("GROUP BY")
    having = ""
    if hand.chance(4):
        hand.uses("HAVING")
        inner, _ = hand.one_of(aggregates)
        having = f" HAVING {hand.one_of(('count(*) > 1', f'{inner} IS NOT NULL', f'{inner} > 1'))}"
    return Select(f"SELECT {listed} FROM {found.sql}{where}{by}{having}", [kind for _, kind in [*keys, *aggregates]])


def counted(hand: Hand) -> Select:
    """Aggregates of what is joined to each row of a table, which the row's key groups."""
    entity = hand.one_of([each for each in hand.ground.model.entities if each.key] or [None])
    if entity is None:
        return grouped(hand)
    alias, table = hand.alias(), hand.ground.tables[entity.name]
    found = Source(f"{table.sql} {alias}", table.under(alias), {alias: entity.name})
    rows = found.scope
    for _ in range(hand.number(1, 2)):
        join(hand, found, hand.one_of(("LEFT JOIN", "LEFT JOIN", "LEFT JOIN", "JOIN")))
    hand.uses("aggregate")
    hand.uses("GROUP BY")
    keys = [(f"{alias}.{quoted(name)}", kind) for name, kind, _ in table.columns if name in entity.key]
    shown = [*keys, *hand.some(lambda: column(hand, rows), 0, 1)]
    aggregates = hand.some(lambda: aggregate(hand, found.scope), 1, 3)
    where = _where(hand, Source(found.sql, rows, found.entities))
    listed = ", ".join(f"{sql} AS o{place}" for place, (sql, _) in enumerate([*shown, *aggregates], 1))
    by = ", ".join(sql for sql, _ in shown)
    kinds = [kind for _, kind in [*shown, *aggregates]]
    return Select(f"SELECT {listed} FROM {found.sql}{where} GROUP BY {by}", kinds, key=len(keys))


def _is_constant(sql: str) -> bool:
    return sql.lstrip("-(").replace(".", "").rstrip(")").isdecimal() or sql.startswith((":", "NULL"))


def aggregate(hand: Hand, scope: Scope) -> tuple[str, Kind]:
    """One aggregate."""
    name = hand.one_of(("count(*)", "count", "sum", "min", "max", "avg", "count", "total", "group_concat"))
    hand.uses(name.partition("(")[0])
    kind = {"group_concat": Kind.TEXT, "sum": Kind.NUMBER, "avg": Kind.NUMBER, "total": Kind.NUMBER}.get(name)
    if name == "count(*)":
        return name + _filter(hand, scope), Kind.NUMBER
    inner, found = column(hand, scope, kind) if not hand.chance(3) else value(hand, scope, 1, kind)
    distinct = "DISTINCT " if hand.chance(4) else ""
    if distinct:
        hand.uses("aggregate DISTINCT")
    return f"{name}({distinct}{inner}){_filter(hand, scope)}", found if name in ("min", "max") else kind or Kind.NUMBER


def _filter(hand: Hand, scope: Scope) -> str:
    if not hand.chance(12):
        return ""
    hand.uses("FILTER")
    return f" FILTER (WHERE {condition(hand, scope, 0)})"


WINDOWS = ("row_number()", "rank()", "dense_rank()", "count(*)", "sum({})", "min({})", "max({})", "avg({})", "lag({})",
           "lead({})", "first_value({})", "last_value({})", "count({})")  # fmt: skip
FRAMES = ("", "", "", " ROWS BETWEEN 1 PRECEDING AND CURRENT ROW", " RANGE UNBOUNDED PRECEDING",
          " ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING")  # fmt: skip


def windowed(hand: Hand) -> Select:
    """Window functions beside columns."""
    found = source(hand, most=1)
    where = _where(hand, found)
    hand.uses("window")
    columns = hand.some(lambda: column(hand, found.scope), 1, 2)
    function = hand.one_of(WINDOWS)
    inner, kind = column(hand, found.scope, Kind.NUMBER if function[:3] in ("sum", "avg") else None)
    hand.uses(f"window {function.partition('(')[0]}")
    partition = f"PARTITION BY {column(hand, found.scope)[0]} " if hand.chance(2) else ""
    keys = [f"{known.sql}{hand.one_of(('', ' DESC'))}" for known in found.scope] if hand.chance(2) else []
    if not keys and not hand.chance(3):
        keys = [f"{column(hand, found.scope)[0]}{hand.one_of(('', ' DESC', ' NULLS LAST'))}"]
    order = f"ORDER BY {', '.join(keys)}" if keys else ""
    frame = hand.one_of(FRAMES) if keys and not function.endswith("()") and function[:3] not in ("lag", "lea") else ""
    over = f"{function.format(inner)} OVER ({partition}{order}{frame})"
    listed = ", ".join(f"{sql} AS o{place}" for place, (sql, _) in enumerate([*columns, (over, kind)], 1))
    return Select(f"SELECT {listed} FROM {found.sql}{where}", [*(kind for _, kind in columns), kind])


def _where(hand: Hand, found: Source) -> str:
    if hand.chance(3):
        return ""
    hand.uses("WHERE")
    return f" WHERE {condition(hand, found.scope)}"


# --- inside expressions and FROM -------------------------------------------------------------------------------------


def correlated(hand: Hand, outer: Scope) -> tuple[str, Scope]:
    """FROM and WHERE of a subquery, mostly tied to the rows around it; and the columns inside."""
    with hand.subquery():
        table, alias = hand.one_of(hand.known_tables()), hand.alias()
        scope = table.under(alias)
        links = _ties(hand, table, alias, outer)
        tie = hand.one_of(links) if links and not hand.chance(3) else ""
        if tie:
            hand.uses("correlated subquery")
        more = condition(hand, (*scope, *outer) if hand.chance(3) else scope, 0) if not tie or hand.chance(3) else ""
        where = " AND ".join(part for part in (tie, more) if part)
        return f"{table.sql} {alias} WHERE {where}", scope


def _ties(hand: Hand, table: Table, alias: str, outer: Scope) -> list[str]:
    """How the subquery's table may be related to what is around, as far as the columns there tell."""
    if table.entity is None:
        return []
    around = {known.sql for known in outer}
    aliases = {sql.partition(".")[0] for sql in around}
    found = []
    for link in hand.ground.links(table.entity):
        for up in (True, False):
            if (link.parent if up else link.child) != table.entity:
                continue
            for here in sorted(aliases):
                names = link.child_attributes if up else link.parent_attributes
                if all(f"{here}.{quoted(name)}" in around for name in names):
                    found.append(along(link, here, alias, up=up))
    return found


def scalar_subquery(hand: Hand, outer: Scope) -> str:
    """An aggregate mostly, or the first row by an order over everything."""
    hand.uses("scalar subquery")
    found, scope = correlated(hand, outer)
    if hand.chance(4):
        order = ", ".join(f"{known.sql} DESC" for known in scope)
        return f"(SELECT {column(hand, scope)[0]} FROM {found} ORDER BY {order} LIMIT 1)"
    return f"(SELECT {aggregate(hand, scope)[0]} FROM {found})"


def derived_table(hand: Hand) -> Table:
    """A subquery in FROM."""
    hand.uses("derived table")
    inner = inside(hand)
    return as_table(f"({inner.sql})", inner)


def inside(hand: Hand) -> Select:
    """A SELECT whose outputs have names."""
    with hand.subquery():
        kinds = tuple(hand.some(lambda: hand.one_of((Kind.NUMBER, Kind.TEXT, Kind.TIME, Kind.TRUTH)), 1, 3))
        return grouped(hand) if hand.chance(2) else plain(hand, kinds)


def as_table(sql: str, inner: Select) -> Table:
    """A SELECT's outputs as a table's columns."""
    names = [f"o{place}" for place in range(1, inner.width + 1)]
    return Table(sql, tuple((name, kind, ()) for name, kind in zip(names, inner.kinds, strict=True)))
