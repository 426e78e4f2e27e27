"""Functions that converted writes in Python use, copied into the generated modules.

An absent value is `MISSING`, because NULL is a missing field.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import pymongo
from bson import Decimal128
from pymongo.errors import PyMongoError

from nestling.ir.conversions.stored import MISSING


def there(value: Any) -> Any:
    """The value, or `MISSING` for None."""
    return MISSING if value is None else value


def or_none(value: Any) -> Any:
    """The value, or None for `MISSING`: for arrays and expressions, where nothing may be missing."""
    return None if value is MISSING else value


def negated(value: Any) -> Any:
    """The number with the opposite sign."""
    if isinstance(value, Decimal128):
        return Decimal128(-value.to_decimal())
    return -value if isinstance(value, int | float) else value


def document(value: Any) -> Any:
    """A value without the fields and elements that are missing."""
    if type(value) is dict:
        return {name: document(inner) for name, inner in value.items() if inner is not MISSING}
    if type(value) is list:
        return [document(inner) for inner in value if inner is not MISSING]
    return value


def part(fields: Mapping[str, Any], rest: Any = MISSING) -> dict[str, Any]:
    """A document from dotted paths, followed by the fields of `rest` that none of them names; empty parts are omitted."""
    others = rest if isinstance(rest, dict) else {}
    groups: dict[str, dict[str, Any]] = {}
    for path, value in fields.items():
        first, _, further = path.partition(".")
        groups.setdefault(first, {})[further] = value
    made: dict[str, Any] = {}
    for name, group in groups.items():
        beside = others.get(name, MISSING)
        inner = document(group[""]) if "" in group else part(group, beside) or MISSING
        if inner is not MISSING:
            made[name] = inner
    return made | {name: value for name, value in others.items() if name not in groups}


def whole(fields: dict[str, Any]) -> Any:
    """A document that is missing when one of its fields is."""
    return MISSING if MISSING in fields.values() else fields


def matching(conditions: Mapping[str, Any]) -> dict[str, Any]:
    """A filter. Compared for equality, `MISSING` matches missing fields and null; in other comparisons nothing."""
    return {
        path: [matching(each) for each in condition] if path == "$and" else compared(condition, path)
        for path, condition in conditions.items()
    }


def compared(condition: Mapping[str, Any], path: str = "") -> dict[str, Any]:
    """The operators of one path. No `_id` is missing."""
    made: dict[str, Any] = {}
    for operator, value in condition.items():
        if value is not MISSING:
            made[operator] = document(value)
        elif operator not in ("$eq", "$ne"):
            made["$in"] = []
        elif path == "_id":
            made["$exists"] = operator == "$ne"
        else:
            made[operator] = None
    return made


def changes(operators: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """An update. Setting a field to `MISSING` removes it; other changes by `MISSING` are dropped."""
    made: dict[str, dict[str, Any]] = {}
    for operator, fields in operators.items():
        for path, value in fields.items():
            if operator == "$pull":
                made.setdefault(operator, {})[path] = pulled(value)
            elif value is not MISSING:
                made.setdefault(operator, {})[path] = document(value)
            elif operator == "$set":
                made.setdefault("$unset", {})[path] = ""
    return made or {"$set": {}}


def pulled(condition: Mapping[str, Any]) -> dict[str, Any]:
    """The condition of a `$pull`: on the element itself, or on its fields."""
    is_element = any(name.startswith("$") and name != "$and" for name in condition)
    return compared(condition) if is_element else matching(condition)


def present(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row of an aggregation's own without its NULLs."""
    return {name: value for name, value in row.items() if value != {"$literal": None}}


def rows_of(found: Iterable[Mapping[str, Any]], *, json: Iterable[str] = ()) -> list[dict[str, Any]]:
    """Rows without their NULLs: null is one, but in a JSON column."""
    kept = set(json)
    return [{name: value for name, value in row.items() if value is not None or name in kept} for row in found]


def values_of(column: str, *sets: Iterable[Mapping[str, Any]]) -> list[Any]:
    """The values of a column in row sets, each once."""
    values = [row[column] for rows in sets for row in rows if column in row]
    return list({as_key(value): value for value in values}.values())


def as_key(value: Any) -> Any:
    """A hashable key that distinguishes stored values, also of different types."""
    if isinstance(value, Mapping):
        return dict, tuple((name, as_key(inner)) for name, inner in value.items())
    if isinstance(value, list):
        return list, tuple(map(as_key, value))
    return type(value), repr(value) if isinstance(value, float) else value  # -0.0 is not 0.0


def first_of_each(
    columns: Sequence[str], rows: Iterable[dict[str, Any]], *, gathered: Sequence[str] = ()
) -> list[dict[str, Any]]:
    """The first of the rows that are equal in these columns, with lists of all their values in `gathered`."""
    found: dict[Any, dict[str, Any]] = {}
    for row in rows:
        alike = as_key({column: row[column] for column in columns if column in row})
        kept = found.setdefault(alike, {**row, **{column: [] for column in gathered}})
        for column in gathered:
            kept[column].append(row.get(column))
    return list(found.values())


def new_rows(column: str, first: list[Any], read: Callable[[list[Any]], list[dict[str, Any]]]) -> list[dict[str, Any]]:
    """The rows that a read finds from the values it found last, repeated until there are no new ones."""
    seen, last = {as_key(value) for value in first}, first
    kept: list[dict[str, Any]] = []
    while last:
        found = {as_key(row[column]): row for row in read(last)}
        fresh = {value: row for value, row in found.items() if value not in seen}
        seen |= fresh.keys()
        kept += fresh.values()
        last = [row[column] for row in fresh.values()]
    return kept


def next_numbers(counters: Any, counter: str, count: int, there: Sequence[Mapping[str, Any]], field: str) -> list[int]:
    """The next numbers of a counter, above the highest `there` is. They are taken outside of transactions, and never again."""
    highest, raised = there[0].get(field) if there else None, {"$inc": {"last": count}}
    while True:
        after = counters.find_one_and_update({"_id": counter}, raised, upsert=True, return_document=True)
        last = int(after["last"])
        if highest is None or last - count >= highest:
            return list(range(last - count + 1, last + 1))
        counters.update_one({"_id": counter}, {"$max": {"last": highest}}, upsert=True)


def numbers_for_rows(
    counters: Any, counter: str, counted: Sequence[Mapping[str, Any]], there: Sequence[Mapping[str, Any]], field: str
) -> tuple[int, int]:
    """The first and the last of as many new numbers as rows were counted; none are taken for no rows."""
    count = int(counted[0]["count"]) if counted else 0
    if not count:
        return 1, 0
    numbers = apart(lambda: next_numbers(counters, counter, count, there, field))
    return numbers[0], numbers[-1]


def apart(call: Callable[[], Any]) -> Any:
    """The result of a call made outside of the open transaction.

    A call that waits for a long time may wait for the open transaction itself, which is then begun again.
    """
    try:
        with pymongo.timeout(1):
            return call()
    except PyMongoError as error:
        if error.timeout:
            raise PyMongoError(
                "another client is waiting for this transaction to end", ["TransientTransactionError"]
            ) from error
        raise


def place(row: Mapping[str, Any], column: str, first: int) -> int:
    """The place in an array a row names."""
    value = row.get(column)
    if isinstance(value, bool) or not isinstance(value, int) or value < first:
        raise ValueError(f"there is no place {value!r} in the array")
    return int(value) - first


def refuse(rows: Iterable[Mapping[str, Any]], text: str, *, missing: Iterable[str] = ()) -> None:
    """Raise an error if there are rows; with `missing`, if a row lacks one of these columns. Values are not shown."""
    columns = list(missing)
    for row in rows:
        lacking = [column.removeprefix("new_") for column in columns if column not in row]
        if lacking or not columns:
            raise ValueError(text + "".join(f", {name} is NULL" for name in lacking))
