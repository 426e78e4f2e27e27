"""What a database calls keys, UNIQUE constraints, indexes and foreign keys that are declared without a name.

PostgreSQL: `t_pkey`, `t_a_b_key`, `t_a_idx`, `t_a_fkey`, with a number behind if that is taken, cut to 63 bytes [1].
MySQL: the first column of an index, with `_2` behind if that is taken; `t_ibfk_1` for a foreign key.

[1]: makeObjectName and ChooseIndexColumnNames in src/backend/commands/indexcmds.c
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from itertools import count

from nestling.ir.statements.sql_dialects import MYSQL, POSTGRESQL
from nestling.sources.ddl.catalogue import Catalogue
from nestling.sources.ddl.declared import Declared, DeclaredUnique
from nestling.sources.ddl.tokens import Token, TokenKind

_LONGEST = 63
_PRIMARY = "PRIMARY"


def name_constraints(table: Declared, catalogue: Catalogue) -> None:
    """Give every key, unique group and foreign key of a table that has no name the one its database gives it."""
    if catalogue.dialect == POSTGRESQL:
        _by_postgresql(table, catalogue)
    elif catalogue.dialect == MYSQL:
        _by_mysql(table)
    if table.key and not table.key_made:
        table.key_made = next(catalogue.numbers)
    table.uniques = [each if each.made else replace(each, made=next(catalogue.numbers)) for each in table.uniques]


def merge_repetitions(table: Declared) -> None:
    """Keep one of the keys and unique groups that say the same in one CREATE TABLE, with its name, as PostgreSQL does."""
    kept: list[DeclaredUnique] = []
    for each in table.uniques:
        place = next((n for n, other in enumerate(kept) if replace(other, name=each.name) == each), None)
        if DeclaredUnique(table.key, each.name, included=table.key_included) == each:
            table.key_name = table.key_name or each.name
        elif place is not None:
            kept[place] = replace(kept[place], name=kept[place].name or each.name)
        else:
            kept.append(each)
    table.uniques = kept


def index_name(table: Declared, parts: Sequence[Sequence[Token]], catalogue: Catalogue, label: str = "idx") -> str:
    """What PostgreSQL calls an index without a name; `parts` are its keys, and the columns it includes."""
    names: list[str] = []
    for part in parts:
        base = _called(part)
        names.append(next(name for name in _numbered(base) if name not in names))
    return _free(table.name[1], "_".join(names), label, _taken(table, catalogue))


def _by_postgresql(table: Declared, catalogue: Catalogue) -> None:
    is_named = all(each.name for each in table.uniques) and bool(table.key_name or not table.key)
    taken = set[str]() if is_named else _taken(table, catalogue)
    if table.key and not table.key_name:
        table.key_name = _free(table.name[1], "", "pkey", taken)
        taken.add(table.key_name)
    for place, each in enumerate(table.uniques):
        if not each.name:
            name = _free(table.name[1], "_".join((*each.columns, *each.included)), "key", taken)
            table.uniques[place] = replace(each, name=name)
            taken.add(name)
    own = table.known_names()
    for place, link in enumerate(table.links):
        if not link.name:
            name = _free(table.name[1], "_".join(link.key.columns), "fkey", own)
            table.links[place] = replace(link, name=name)
            own.add(name)


def _taken(table: Declared, catalogue: Catalogue) -> set[str]:
    """The names of indexes in the table's schema, which are unique there, and of all constraints of the table."""
    same = (other for other in catalogue.tables.values() if other.name[0] == table.name[0])
    return table.known_names().union(*(other.index_names() for other in same))


def _by_mysql(table: Declared) -> None:
    table.key_name = _PRIMARY if table.key else ""
    for place, each in enumerate(table.uniques):
        if not each.name:
            earlier = {other.name.casefold() for other in table.uniques} | {name.casefold() for name in table.others}
            table.uniques[place] = replace(each, name=free_index_name(each.columns[0], earlier))
    prefix = f"{table.name[1]}_ibfk_"
    numbers = (re.fullmatch(rf"{re.escape(prefix)}(\d+)", link.name, re.IGNORECASE) for link in table.links)
    highest = max((int(found[1]) for found in numbers if found), default=0)
    for place, link in enumerate(table.links):
        if not link.name:
            highest += 1
            table.links[place] = replace(link, name=f"{prefix}{highest}")


def free_index_name(column: str, taken: Collection[str]) -> str:
    """What MySQL calls an index whose first column that is; `taken` are names in lower case."""
    names = (column if number == 1 else f"{column}_{number}" for number in count(1))
    return next(name for name in names if name.casefold() not in taken and name.upper() != _PRIMARY)


def _called(part: Sequence[Token]) -> str:
    """What PostgreSQL names a key after: its column or its function, or `expr`."""
    first = part[0]
    is_call = len(part) > 1 and part[1].key == "("
    if first.kind is TokenKind.NAME:
        return first.text
    if first.kind is not TokenKind.WORD:
        return "expr"
    return first.text.lower() if is_call or len(part) == 1 or part[1].kind is TokenKind.WORD else "expr"


def _numbered(base: str) -> Iterator[str]:
    return (f"{base}{number or ''}" for number in count())


def _free(table: str, columns: str, label: str, taken: Collection[str]) -> str:
    return next(name for name in (_cut(table, columns, end) for end in _numbered(label)) if name not in taken)


def _cut(table: str, columns: str, label: str) -> str:
    """`table_columns_label`, the longer of the first two cut until all of it fits."""
    first, second = len(table.encode()), len(columns.encode())
    room = _LONGEST - len(label) - 1 - bool(columns)
    while first + second > room:
        first, second = (first - 1, second) if first > second else (first, second - 1)
    parts = (table.encode()[:first], columns.encode()[:second])
    return "_".join([*(part.decode(errors="ignore") for part in parts if part), label])
