"""What a choice costs writers and readers (B6): documents touched per change, and how long readers see the old value."""

from __future__ import annotations

from typing import assert_never

from nestling.ir.candidate import (
    Absorbed,
    Aggregate,
    Archived,
    Bucketed,
    Candidate,
    Cold,
    CopiedAttribute,
    FirstChildren,
    Indexed,
    IndexedAcross,
    IndexedAnyCase,
    Lineage,
    Mirror,
    Nested,
    Own,
    Paired,
)
from nestling.ir.freshness import Freshness, Level
from nestling.ir.model import Model, Relationship
from nestling.ir.quantity_words import short
from nestling.ir.rate import full_rate
from nestling.ir.situation.changed import taking_along
from nestling.ir.situation.shares import share_of
from nestling.ir.situation.situation import Situation
from nestling.ir.workload import StatementKind


def price(situation: Situation, candidate: Candidate) -> str:  # noqa: C901 - one case for each
    """The price of a structure in words, empty if it has none beyond its work."""
    model = situation.model
    match candidate.part:
        case CopiedAttribute(path=path, attribute=attribute, freshness=freshness):
            return _of_copy(situation, model.relationship(path[0].relationship), attribute, freshness)
        case FirstChildren(relationship, limit=limit, freshness=freshness):
            link = model.relationship(relationship)
            many = "all of them" if limit is None else f"{limit}"
            return f"each new {link.child} changes one {link.parent}, which keeps {many}; {window(freshness)}"
        case Lineage(relationship, freshness=freshness):
            link = model.relationship(relationship)
            return f"a {link.child} that moves changes every {link.child} row below it; {window(freshness)}"
        case Aggregate(relationship) as aggregate:
            return _of_aggregate(model.relationship(relationship), aggregate)
        case Mirror(_, side):
            link = model.relationship(side)
            return f"each row of `{link.child}` written changes one of `{link.parent}` too, in a transaction (A11)"
        case Indexed(entity, rows=()):
            return f"one entry for each row of `{entity}` written"
        case Indexed(entity, rows=rows):
            share = share_of(situation.statistics.entity(entity), rows)
            few = f", {share:.2g} of all" if share is not None else ""
            only = " and ".join(map(str, rows))
            return (
                f"one entry for each row of `{entity}` with {only}{few}; serves only statements with this condition, not"
                " given by a parameter"
            )
        case IndexedAnyCase(entity):
            return f"one entry for each row of `{entity}` written; serves only case-insensitive comparisons"
        case IndexedAcross(entity, keys):
            theirs = (f"{model.relationship(each.along).parent}.{each.attribute}" for each in keys if each.along)
            return (
                f"one entry for each row of `{entity}` written, and for each of the rows concerned when"
                f" {' or '.join(theirs)} changes"
            )
        case Cold(entity):
            return f"a second document for each {entity}, read only when it is needed"
        case Archived(entity, rows):
            return (
                f"statements not restricted to later rows read both collections; a `{entity}` moves once it is"
                f" before {rows.value}"
            )
        case Paired(entity):
            of = f"of each row of `{entity}` written"
            return f"one index entry for each value {of}; a reader of one value must take it out of the list"
        case Bucketed(entity):
            return f"each row of `{entity}` written changes a bucket instead of adding a document"
        case Absorbed(entity, relationship):
            return _of_absorbed(model, entity, model.relationship(relationship).child)
        case Nested() | Own():
            return ""
        case other:
            assert_never(other)


def _of_absorbed(model: Model, entity: str, child: str) -> str:
    along = [f"`{name}`" for name in taking_along(model, child) if name != entity]
    goes = (
        f"; rows of {' or '.join(along)} cannot be removed either, as those of `{child}` go with them" if along else ""
    )
    return (
        f"`{entity}` can no longer be written, and rows of `{child}` can neither be added, nor removed, nor given"
        f" another `{entity}`{goes}"
    )


def _of_aggregate(link: Relationship, aggregate: Aggregate) -> str:
    written = f"each {link.child}" if aggregate.step == 1 else f"one in {aggregate.step:,} {link.child} rows"
    return f"{written} written changes one {link.parent}; {window(aggregate.freshness)}"


def _of_copy(situation: Situation, link: Relationship, attribute: str, freshness: Freshness) -> str:
    known = situation.fan_outs[link.name]
    many = short(known.mean) if known.mean is not None else "an unknown number of"
    rows = f"{link.child} {'row' if many == '1' else 'rows'}"
    most = f", at most {known.largest:,.0f}" if known.largest is not None else ""
    rate = _changes(situation, link.parent, attribute)
    often = f"changed {full_rate(rate)}" if rate else "no statement of the workload changes it"
    return f"a change of {link.parent}.{attribute} touches {many} {rows}{most} ({often}); {window(freshness)}"


def _changes(situation: Situation, entity: str, attribute: str) -> float:
    """How often statements set an attribute, a second."""
    return sum(
        statement.rate_per_second
        for statement in situation.reading.workload.statements
        if any(
            access.entity == entity and access.kind is StatementKind.UPDATE and attribute in access.attributes
            for access in statement.accesses
        )
    )


def window(freshness: Freshness) -> str:
    """How stale a reader may find the copy, in words."""
    match freshness.level:
        case Level.SAME_DOCUMENT | Level.TRANSACTION:
            return f"no reader sees an old value ({freshness})"
        case Level.ASYNC:
            return f"readers may see the old value for up to {freshness.seconds:,.3g} s ({freshness})"
        case Level.SCHEDULED:
            return f"readers see the old value until the next run ({freshness})"
        case Level.SNAPSHOT:
            return f"it keeps the value it was written with ({freshness})"
        case other:
            assert_never(other)


def embedding_price(situation: Situation, link: Relationship) -> str:
    """The price of embedding along a relationship."""
    number = situation.elements(link)
    size = number * situation.row_bytes[link.child]
    holds = (
        f"{number:,.0f} of {situation.row_bytes[link.child]:,.0f} bytes each" if number > 1 else f"{size:,.0f} bytes"
    )
    return f"each `{link.child}` written rewrites its `{link.parent}`, which holds up to {holds}"


def reference_price(link: Relationship, *, copied: bool) -> str:
    """The price of a reference held by the child; `copied`: reads of only the copied attributes do not pay it."""
    its = f"more of its `{link.parent}` than is copied" if copied else f"its `{link.parent}`"
    return f"reading `{link.child}` with {its} joins two collections"
