"""Statements that have their indexes and examine far too much all the same."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from nestling.doctor.examined import MUCH_FOR_EACH, accounts_for, joining_indexes, matching_share
from nestling.doctor.wanted_indexes import serving_indexes
from nestling.doctor.words import listed
from nestling.ir.facts import CollectionFacts, Facts, IndexFacts, JoinFacts, LastSeen, StatementFacts


@dataclass(frozen=True, slots=True)
class StillExamining:
    """The latest execution of a statement, and the indexes it had that did not help."""

    last: LastSeen
    indexes: list[IndexFacts]


_ROUNDED = timedelta(seconds=1)
"""By how much the moment at which facts were taken is rounded down."""


def is_over(facts: Facts, target: CollectionFacts, statement: StatementFacts) -> bool:
    """Whether a statement was not seen since it has its indexes, or what it joins has them."""
    serving = serving_indexes(target, statement)
    has_indexes = bool(serving) and all(serving)
    if statement.last is None:
        return has_indexes and statement.collection_scans >= statement.count
    last = statement.last.moment
    joined = [indexes for join in statement.joins if (indexes := _joining(facts, statement, join))]
    return any(
        all(_created(facts, index) > last for index in each) for each in (serving if has_indexes else []) + joined
    )


def _joining(facts: Facts, statement: StatementFacts, join: JoinFacts) -> list[IndexFacts]:
    """The indexes by which a join finds the documents of another collection."""
    target = facts.collection(statement.database, join.collection)
    return joining_indexes(target, join) if target is not None and join.foreign else []


def still_examining(
    facts: Facts, target: CollectionFacts, statement: StatementFacts, least: float
) -> StillExamining | None:
    """What a statement that has its indexes did when it was last seen, if it examined more than `least` documents.

    None if it did not have them then, or examined few documents for each that it returned or that matched.
    """
    last, serving = statement.last, serving_indexes(target, statement)
    if last is None or not serving or not all(serving) or is_over(facts, target, statement):
        return None
    if not accounts_for(facts, target, statement):
        return None
    share = matching_share(target, statement)
    if statement.gathers and (share is None or target.storage is None):
        return None
    matching = share * target.storage.documents if share is not None and target.storage is not None else 0.0
    is_much = last.examined > least and last.examined > MUCH_FOR_EACH * max(last.returned, matching, 1)
    return StillExamining(last, [index for each in serving for index in each]) if is_much else None


def why_unhelpful(target: CollectionFacts, statement: StatementFacts, still: StillExamining) -> str:
    """Why the collection's indexes do not help a statement, as far as is known."""
    reasons = [reason for index in still.indexes if (reason := _why(target, statement, index))]
    if reasons:
        return " ".join(reasons)
    names = listed(dict.fromkeys(index.name for index in still.indexes))
    if "IXSCAN" in still.last.plan:
        return f"The server used an index and returned little of what it found: {names} narrows too little, or much is skipped."
    return (
        f"The server did not use {names}, for a reason that is not known: `explain` of the statement shows the plans"
        " it considered."
    )


def _created(facts: Facts, index: IndexFacts) -> datetime:
    """When an index was created at the latest."""
    taken = datetime.fromisoformat(facts.taken) + _ROUNDED
    return taken - timedelta(seconds=index.since_seconds)


def _why(target: CollectionFacts, statement: StatementFacts, index: IndexFacts) -> str:
    if index.partial:
        return f"`{index.name}` is partial and serves only conditions that imply its filter: use an index on all documents."
    if index.sparse:
        return (
            f"`{index.name}` is sparse and serves no query that may match documents without its fields: use an index"
            " on all documents."
        )
    theirs = statement.collation or _strength(target)
    if theirs != index.strength:
        return (
            f"`{index.name}` compares texts {_compared(index.strength)}, the statement {_compared(theirs)}: give one of them the"
            " other's collation."
        )
    if any(kind == "hashed" for _, kind in index.keys) and len(statement.compared) > statement.equalities:
        return f"`{index.name}` is hashed and finds equal values, not ranges: use an index that is not hashed."
    return ""


def _compared(strength: int) -> str:
    return f"with a collation of strength {strength}" if strength else "exactly"


def _strength(target: CollectionFacts) -> int:
    """The strength of the collection's default collation."""
    return next((each.strength for each in target.indexes if each.is_id), 0)
