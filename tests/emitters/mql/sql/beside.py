"""Expressions evaluated on a real MongoDB beside the database they come from, over the same rows."""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from bson import Binary, Decimal128, Int64
from pymongo.collection import Collection
from pymongo.errors import OperationFailure

from nestling.emitters.mql.sql import RenderingGap, match_mql, value_mql
from nestling.emitters.mql.sql.renderer import Renderer
from nestling.ir.codec import CODEC
from nestling.ir.model import Model
from nestling.ir.programs.failure import ERROR_PREFIX
from nestling.ir.statements import algebra as a
from nestling.ir.statements.expression import Column, Expression
from nestling.ir.types import TypeName
from nestling.ir.values import encoder
from nestling.planner.sql import translate
from tests.planner.sql.sqlite_oracle import Oracle

Row = tuple[Any, ...]


def truth_mql(predicate: Expression, environment: Any) -> Any:
    """An aggregation expression: true where the predicate is TRUE, false where it is FALSE or NULL."""
    return Renderer(environment).truth(predicate)


@dataclass(frozen=True)
class Fields:
    """An environment: every column is the field of its name; parameters are bound."""

    bound: Mapping[str, object] = field(default_factory=dict)
    prefix: str = "$"

    def path(self, column: Column) -> str:
        return f"{self.prefix}{column.name}"

    def is_field(self, column: Column) -> bool:
        return self.prefix == "$" and column.type.name not in (TypeName.JSON, TypeName.ARRAY)

    def parameter(self, name: str) -> object:
        return self.bound[name]


def open_table(connection: sqlite3.Connection, collection: Collection[dict[str, Any]]) -> Oracle:
    """The one table of a SQLite database, its rows stored in the collection too."""
    oracle = Oracle.of(connection)
    entity = oracle.model.entities[0]
    store(collection, entity.attributes, oracle.rows[entity.name])
    return oracle


def store(collection: Collection[dict[str, Any]], attributes: Sequence[Any], rows: Iterable[Row]) -> None:
    """Store conceptual rows; `_id` is the row's place. NULL is a missing field, and in every third row null."""
    encoders = [(attribute.name, encoder(attribute.type)) for attribute in attributes]
    documents = []
    for place, row in enumerate(rows):
        values = {name: encode(value) for (name, encode), value in zip(encoders, row, strict=True)}
        kept = {name: value for name, value in values.items() if value is not None or place % 3 == 0}
        documents.append({"_id": place, **kept})
    collection.with_options(codec_options=CODEC).insert_many(documents)


def outputs(sql: str, model: Model, dialect: str = "sqlite") -> tuple[Expression, ...]:
    """The select list of a SELECT from one table."""
    query = translate(sql, model, dialect)
    assert isinstance(query, a.Query)
    assert isinstance(query.relation, a.Project), query.relation
    return tuple(output.expression for output in query.relation.outputs)


def predicate(sql: str, model: Model, dialect: str = "sqlite") -> Expression:
    """The condition of a SELECT from one table."""
    query = translate(sql, model, dialect)
    assert isinstance(query, a.Query)
    relation = query.relation
    while not isinstance(relation, a.Filter):
        relation = relation.input  # type: ignore[union-attr]
    return relation.predicate


def evaluate(
    collection: Collection[dict[str, Any]],
    expressions: Sequence[Expression],
    environment: Any,
    render: Callable[..., Any] = value_mql,
) -> list[list[Any]]:
    """For each expression its values over the rows, in order."""
    shape = {str(place): render(expression, environment) for place, expression in enumerate(expressions)}
    stages: list[dict[str, Any]] = [{"$sort": {"_id": 1}}]
    if environment.prefix != "$":
        wrapped = {"$let": {"vars": {environment.prefix[2:-1]: "$$ROOT"}, "in": shape}}
        stages += [{"$replaceWith": wrapped}]
    else:
        stages += [{"$replaceWith": shape}]
    found = list(collection.aggregate(stages))
    return [[plain(document.get(str(place))) for document in found] for place in range(len(expressions))]


def failing(collection: Collection[dict[str, Any]], expression: Expression, environment: Any) -> list[Any]:
    """The values of one expression, or for every row the reason the server gives for there being none."""
    try:
        return evaluate(collection, [expression], environment)[0]
    except OperationFailure as error:
        return [error.details["errmsg"] if error.details else str(error)] * collection.estimated_document_count()


OWN_REFUSALS = ("Unsupported conversion from binData to", "date component was outside the supported range of 0-9999")
"""What the server says of values that it does not compute with, which statements leave to it: bytes, and years before 0."""


def in_words(error: OperationFailure) -> bool:
    """Whether a statement is meant to fail so, of values whose answer it has not."""
    return any(words in str(error) for words in (ERROR_PREFIX, *OWN_REFUSALS))


def plain(value: Any) -> Any:
    """A BSON value as the database's driver gives it."""
    if isinstance(value, Int64):
        return int(value)
    if isinstance(value, Decimal128):
        return value.to_decimal()
    return bytes(value) if isinstance(value, Binary) and value.subtype == 0 else value


def same(mine: Any, theirs: Any) -> bool:
    """The same class and the same value."""
    if isinstance(mine, bool):
        mine = int(mine)
    if type(mine) is not type(theirs):
        return False
    if isinstance(mine, float) and math.isnan(mine):
        return math.isnan(theirs)
    return bool(mine == theirs)


@dataclass
class Report:
    """What differed, what was refused, and how many values were compared."""

    differences: list[str] = field(default_factory=list)
    gaps: list[str] = field(default_factory=list)
    compared: int = 0


def compare_values(
    oracle: Oracle,
    collection: Collection[dict[str, Any]],
    texts: Sequence[str],
    environment: Any = Fields(),
    names: Sequence[str] = (),
) -> Report:
    """Each SQL expression over every row, on both servers."""
    report = Report()
    table = oracle.model.entities[0].name
    rendered: list[tuple[str, Expression]] = []
    for text in texts:
        (expression,) = outputs(f"SELECT {text} AS v FROM {table}", oracle.model)
        try:
            value_mql(expression, environment)
        except RenderingGap as gap:
            report.gaps.append(f"{text}: {gap}")
            continue
        rendered.append((text, expression))
    bound = dict(environment.bound)
    try:
        found = evaluate(collection, [expression for _, expression in rendered], environment)
    except OperationFailure:
        found = [failing(collection, expression, environment) for _, expression in rendered]
    for (text, _), mine in zip(rendered, found, strict=True):
        theirs = [row[0] for row in oracle.connection.execute(f"SELECT {text} FROM {table} ORDER BY rowid", bound)]
        report.compared += len(theirs)
        for row, (one, other) in enumerate(zip(mine, theirs, strict=True)):
            if not same(one, other):
                report.differences.append(f"{text} on {oracle.rows[table][row]}: {one!r}, SQL says {other!r}")
    return report


def compare_conditions(
    oracle: Oracle,
    collection: Collection[dict[str, Any]],
    texts: Sequence[str],
    environment: Any = Fields(),
    *,
    matched: bool = True,
) -> Report:
    """The rows each SQL condition (and its NOT) is TRUE for, by `truth_mql` and by `match_mql`."""
    report = Report()
    table = oracle.model.entities[0].name
    bound = dict(environment.bound)
    for text in [form for one in texts for form in (one, f"NOT ({one})")]:
        condition = predicate(f"SELECT 1 FROM {table} WHERE {text}", oracle.model)
        theirs = [
            row[0] - 1
            for row in oracle.connection.execute(f"SELECT rowid FROM {table} WHERE {text} ORDER BY rowid", bound)
        ]
        try:
            (truths,) = evaluate(collection, [condition], environment, truth_mql)
            document = match_mql(condition, environment) if matched else {}
        except RenderingGap as gap:
            report.gaps.append(f"{text}: {gap}")
            continue
        except OperationFailure as error:
            report.differences.append(f"{text}: {error}")
            continue
        by_truth = [place for place, value in enumerate(truths) if value is True]
        by_match = (
            [found["_id"] for found in collection.find(document, {"_id": 1}).sort("_id", 1)] if matched else theirs
        )
        report.compared += 2 * len(truths)
        if any(type(value) is not bool for value in truths):
            report.differences.append(f"{text}: not only true and false: {truths}")
        for name, mine in (("truth", by_truth), ("match", by_match)):
            if mine != theirs:
                odd = [oracle.rows[table][place] for place in sorted(set(mine) ^ set(theirs))[:3]]
                report.differences.append(f"{name} of {text}: differs on {odd}; {document}")
    return report
