"""How much a statement examines for what it answers, and what of that its own collection accounts for."""

from __future__ import annotations

from math import prod

from nestling.ir.facts import CollectionFacts, Facts, IndexFacts, JoinFacts, StatementFacts

MUCH_FOR_EACH = 10
"""Documents examined for each returned above which an index is worth it; with fewer, a scan is as fast (docs/results.md) …"""
MUCH_EXAMINED = 100
"""… and documents one execution examines."""
MOST_OF_IT = 0.5
"""The share of something from which on it is most of it."""


def examined_each(statement: StatementFacts) -> float:
    """Documents that one execution examines."""
    return statement.documents_examined / max(statement.count, 1)


def examined_for_each(target: CollectionFacts, statement: StatementFacts) -> float:
    """Documents examined for each that is returned or, of a statement that gathers, for each that matches.

    An execution that returns nothing counts as if it returned one. Where nobody knows how many match, it is the most that there
    may be.
    """
    share = matching_share(target, statement)
    matching = 0.0 if share is None or target.storage is None else share * target.storage.documents * statement.count
    return statement.documents_examined / max(statement.returned, matching, statement.count, 1)


def is_worth_an_index(target: CollectionFacts, statement: StatementFacts, ratio: float) -> bool:
    """Whether an index narrows what a statement reads: `ratio` documents are examined for each that it is about, or more.

    A count that reads its index alone is worth one too, unless it is about most documents.
    """
    if examined_for_each(target, statement) > ratio:
        return True
    share = matching_share(target, statement)
    return share is not None and share < MOST_OF_IT and reads_keys_alone(target, statement)


def reads_keys_alone(target: CollectionFacts, statement: StatementFacts) -> bool:
    """Whether a statement takes nothing of a document but what it compares, none of it an array: its index holds all of that."""
    arrays = {path.field for path in target.paths if path.count("array")}
    return bool(statement.taken) and all(
        not taken.but and {*taken.fields} <= {*statement.compared} - arrays for taken, _ in statement.taken
    )


def matching_share(target: CollectionFacts, statement: StatementFacts) -> float | None:
    """The share of a collection's documents that a statement which gathers is about.

    It was asked for, or is what equalities let through in the mean of all values; None where the answer tells, or nothing does.
    """
    if not statement.gathers or statement.matched is not None:
        return statement.matched
    if statement.branches or not statement.filters[: statement.equalities] or not target.sample:
        return None
    shares = [_share_of_a_value(target, field) for field in statement.filters[: statement.equalities]]
    return prod(each for each in shares if each is not None) if any(each is not None for each in shares) else None


def _share_of_a_value(target: CollectionFacts, field: str) -> float | None:
    """The share of documents that have one value of a field, in the mean of its values."""
    assert target.sample is not None
    found = [path for path in target.paths if path.field == field and path.distinct]
    if not found:
        return None
    most = max(found, key=lambda path: path.distinct or 0)
    return min(most.documents / max(target.sample.documents, most.documents, 1), 1.0) / (most.distinct or 1)


def accounts_for(facts: Facts, target: CollectionFacts, statement: StatementFacts) -> bool:
    """Whether a statement's own collection can be what most of the documents examined are of, and not what it joins.

    No execution examines more documents of a collection than it has. Where a join has no index, only a scan of a collection
    that is large enough is its own.
    """
    if not statement.joins or target.storage is None:
        return True
    is_large = target.storage.documents >= MOST_OF_IT * examined_each(statement)
    scans = statement.collection_scans >= statement.count
    return is_large and (scans or not unindexed_joins(facts, statement))


def unindexed_joins(facts: Facts, statement: StatementFacts) -> list[JoinFacts]:
    """The joins of a statement for which a collection that is not small has no index."""
    return [join for join in statement.joins if join.foreign and _lacks_index(facts, statement, join)]


def _lacks_index(facts: Facts, statement: StatementFacts, join: JoinFacts) -> bool:
    target = facts.collection(statement.database, join.collection)
    if target is None or not target.holds_documents or target.storage is None:
        return False
    return target.storage.documents > MUCH_EXAMINED and not finds_joined(target, join)


def finds_joined(target: CollectionFacts, join: JoinFacts) -> bool:
    """Whether an index of the collection joined finds its documents."""
    return "_id" in (join.foreign, *join.also) or bool(joining_indexes(target, join))


def joining_indexes(target: CollectionFacts, join: JoinFacts) -> list[IndexFacts]:
    """The indexes of the collection joined that begin with a field it is joined by."""
    fields = {join.foreign, *join.also}
    return [index for index in target.indexes if index.keys[0][0] in fields and not index.hidden]
