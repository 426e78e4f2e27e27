"""What a bucket's summary is of: aggregates over its own events."""

from __future__ import annotations

from nestling.ir.design import Design
from nestling.ir.paths.row_steps import Layout
from nestling.ir.primitives import Summary
from nestling.ir.statements.aggregate_functions import FUNCTIONS
from nestling.ir.statements.algebra import AggregateCall
from nestling.ir.statements.columns import column_of
from nestling.ir.statements.expression import Column
from nestling.ir.storage.layout import Place
from nestling.ir.storage.names import join
from nestling.ir.types import INTEGER
from nestling.planner.reads.gaps import read_gap


def summary_aggregates(design: Design, place: Place) -> tuple[tuple[tuple[str, AggregateCall], ...], Layout]:
    """(summary field, aggregate) for the events' place, and the layout of the documents that the aggregates are computed over.

    Each of these documents has one event taken out of the array. Raises `ReadGap` for an attribute that is not a plain field.
    """
    bucket = place.nodes[0].bucket
    assert bucket is not None
    paths: dict[tuple[str, str], str] = {}
    aggregates: list[tuple[str, AggregateCall]] = []
    for item in bucket.summary:
        argument = _argument(item, place.node.entity, design)
        if argument is not None:
            paths["", argument.name] = _path_of(argument.name, place)
        kind = argument.type if argument is not None else INTEGER
        aggregates.append((item.field, AggregateCall(FUNCTIONS[item.function], argument, kind)))
    return tuple(aggregates), Layout.of(paths)


def _path_of(attribute: str, place: Place) -> str:
    """The path of an event's attribute once its bucket's array is unwound: inside the element, or in the bucket for an attribute
    that all its events share. Raises a gap where no field holds it.
    """
    path = place.node.path_of(attribute)
    if path is not None:
        return join(place.node.field, path)
    shared = place.nodes[0].path_of(attribute)
    if shared is None:
        raise read_gap(f"the summary of `{attribute}`, which is not stored in a field of its own")
    return shared


def _argument(item: Summary, entity: str, design: Design) -> Column | None:
    if item.attribute is None:
        return None
    return column_of(design.model.entity(entity).attribute(item.attribute), "")
