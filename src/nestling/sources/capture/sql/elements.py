"""The elements of an array as rows of a query of their own."""

from __future__ import annotations

from nestling.sources.capture.sql.documents import Saying
from nestling.sources.capture.sql.query import Query
from nestling.sources.capture.sql.rows import token
from nestling.sources.capture.sql.values import Many, Value


def elements(saying: Saying, value: Many) -> tuple[Query, Value]:
    """A query of an array's elements, for use within the query that has the array."""
    first, last = value.join(False)
    element = value.element(last)
    query = Query(saying.rows, first)
    query.where += [f"{token(first, attribute)} = {text}" for attribute, text in first.on]
    query.where += first.conditions
    first.on, first.after, first.conditions = (), None, []
    return query, element
