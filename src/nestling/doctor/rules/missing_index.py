"""Statements that read far more than they return.

Why: without an index that fits, the server reads documents only to throw them away – all of them, in the worst case.

Example: `find({city: …}).sort({date: -1})` examines 80,000 documents to return 12.

Remedy: an index on the fields compared for equality, then those sorted by, then those compared by range. Where one index serves
several statements, as it is read from both ends and a range has no direction, it is the one proposed for all of them.
In a collection with a collation no index by that collation helps a pattern: a statement of patterns alone gets an index that
compares to the letter (`locale: "simple"`), one with equalities beside them an index of these.

Ignore when: the statement runs once a night.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from nestling.doctor.rule import Rule, RuleInput, Threshold
from nestling.doctor.words import create_index, listed
from nestling.ir.facts import CollectionFacts, StatementFacts
from nestling.ir.finding import Finding, Severity
from nestling.ir.literals import quoted
from nestling.ir.paths.work import Work
from nestling.ir.quantity_words import count, counted, duration

RULE = Rule(
    "Missing index",
    Severity.WARNING,
    (
        Threshold(
            "ratio",
            "documents examined for each returned",
            "documents examined for each returned",
            {"indexwright": 10},
        ),
        Threshold(
            "documents",
            "documents one execution examines, below which it does not matter",
            "documents",
            {"nestling": 100},
        ),
    ),
)


_Keys = tuple[tuple[str, int | str], ...]


@dataclass(frozen=True, slots=True)
class _Wanted:
    """An index for a statement: fields compared for equality, those sorted by with their direction, and those compared by range.

    `simple`: it must compare texts to the letter, in a collection that otherwise compares them by a collation.
    """

    equal: tuple[str, ...]
    sort: tuple[tuple[str, int], ...]
    ranged: tuple[str, ...]
    simple: bool = False

    @property
    def keys(self) -> _Keys:
        """Its keys, in this order; each field once."""
        return (*((field, 1) for field in self.equal), *self.sort, *((field, 1) for field in self.ranged))

    def serves(self, other: _Wanted) -> bool:
        """Whether it does for a statement what the index of its own would: an index is read from both ends."""
        after = len(other.equal) + len(other.sort)
        middle = self.keys[len(other.equal) : after]
        return (
            self.simple is other.simple
            and {field for field, _ in self.keys[: len(other.equal)]} == set(other.equal)
            and middle in (other.sort, tuple((field, -direction) for field, direction in other.sort))
            and {field for field, _ in self.keys[after : after + len(other.ranged)]} == set(other.ranged)
        )


def findings(seen: RuleInput) -> Iterator[Finding]:
    """Shapes of statements that examine too much and that no index serves; one index is proposed for all that it serves."""
    found = [(statement, *lacking) for statement in seen.facts.statements if (lacking := _lacking(seen, statement))]
    proposed: dict[str, list[_Wanted]] = {}
    for _, target, wanted in sorted(found, key=lambda each: (-len(each[2].keys), each[2].keys)):
        indexes = proposed.setdefault(target.namespace, [])
        if not any(index.serves(wanted) for index in indexes):
            indexes.append(wanted)
    for statement, target, wanted in found:
        index = next(index for index in proposed[target.namespace] if index.serves(wanted))
        yield _finding(seen, target, statement, index)


def _lacking(seen: RuleInput, statement: StatementFacts) -> tuple[CollectionFacts, _Wanted] | None:
    """The collection that lacks an index for a statement, and the index; None where none is lacking."""
    target = seen.facts.collection(statement.database, statement.collection)
    if target is None or not target.holds_documents:
        return None
    wanted, each = _wanted(target, statement), statement.documents_examined / max(statement.count, 1)
    if not wanted.keys or _is_served(target, wanted, _seeking(statement)):
        return None
    is_much = _ratio(statement) > seen.limits["ratio"].value and each > seen.limits["documents"].value
    return (target, wanted) if is_much else None


def _ratio(statement: StatementFacts) -> float:
    return statement.documents_examined / max(statement.returned, 1)


def _patterns(statement: StatementFacts) -> frozenset[str]:
    """The fields that patterns are held against."""
    return frozenset(each.field for each in statement.patterns)


def _seeking(statement: StatementFacts) -> frozenset[str]:
    """Those of these fields whose patterns all seek in an index: they begin with `^` and heed case."""
    others = {each.field for each in statement.patterns if not each.anchored or each.ignores_case}
    return _patterns(statement) - others


def _wanted(target: CollectionFacts, statement: StatementFacts) -> _Wanted:
    """The index that does most for a statement.

    Keys made by a collation are no texts: no pattern can be held against them, and every document is read. Where the collection
    has one, an index that compares to the letter serves a statement that has patterns alone; equalities beside them use the
    collation, so that they are indexed without the patterns.
    """
    equal = tuple(dict.fromkeys(statement.filters[: statement.equalities]))
    sort = {field: 1 if direction > 0 else -1 for field, direction in statement.sort if field not in equal}
    after = dict.fromkeys(field for field in statement.filters[statement.equalities :] if field not in equal)
    patterns = _patterns(statement)
    if target.collation and patterns & after.keys():
        if not equal and after.keys() <= patterns:
            return _Wanted((), (), tuple(after), simple=True)
        after = dict.fromkeys(field for field in after if field not in patterns)
    return _Wanted(equal, tuple(sort.items()), tuple(field for field in after if field not in sort))


def _is_served(target: CollectionFacts, wanted: _Wanted, seeking: frozenset[str]) -> bool:
    """Whether an index begins with the fields compared for equality, or with the first field when there are none.

    One that compares by a collation serves no pattern, but the server may choose it before a better one for patterns that do not
    seek: only for those that do is another proposed beside it.
    """
    fields = {field for field, _ in wanted.keys[: max(len(wanted.equal), 1)]}
    return any(
        {field for field, _ in index.keys[: len(fields)]} == fields
        for index in target.indexes
        if not index.hidden and not (index.collation and fields <= seeking)
    )


def _finding(seen: RuleInput, target: CollectionFacts, statement: StatementFacts, index: _Wanted) -> Finding:
    each = statement.documents_examined / statement.count
    wasted = max(statement.documents_examined - statement.returned, 0) / statement.count
    mean = target.storage.mean_bytes if target.storage else 0.0
    return seen.finding(
        target,
        ", ".join(field for field, _ in _wanted(target, statement).keys),
        f"{statement.operation}, seen {counted(statement.count, 'time')}, examines {counted(each, 'document')}"
        f" to return {count(statement.returned / statement.count)}",
        number=_ratio(statement),
        limit="ratio",
        cost=f"{duration(statement.seconds)} of the server's time in what was captured",
        remedy="Index what is compared for equality, then what is sorted by, then ranges."
        + _of_patterns(target, statement, index),
        commands=(create_index(target.database, target.name, index.keys, _options(target, index)),),
        index=() if index.simple else index.keys,
        evidence={
            "examined": statement.documents_examined,
            "returned": statement.returned,
            "seconds": statement.seconds,
        },
        work=Work(scanned=wasted, read_bytes=wasted * mean),
        mean_seconds=statement.seconds / statement.count,
    )


def _of_patterns(target: CollectionFacts, statement: StatementFacts, index: _Wanted) -> str:
    """What to know where patterns meet the collection's collation."""
    if index.simple:
        keys = (
            ""
            if index.ranged[0] in _seeking(statement)
            else " The pattern is held against every key: only documents that match are then read."
        )
        return (
            " The collection compares texts by a collation, and a pattern cannot use such keys: the index compares to the letter."
            f"{keys}"
        )
    left = sorted(_patterns(statement) - {field for field, _ in index.keys}) if target.collation else []
    if not left:
        return ""
    return f" The collection compares texts by a collation: an index on {listed(left)} beside them would not help the pattern."


def _options(target: CollectionFacts, index: _Wanted) -> str:
    """Options of the index: a name of its own where the server's name for it is that of one with a collation."""
    name = "_".join(f"{field}_{way}" for field, way in index.keys)
    options = [f"name: {quoted(f'{name}_simple')}"] if any(each.name == name for each in target.indexes) else []
    options += ['collation: {locale: "simple"}'] if index.simple else []
    return f"{{{', '.join(options)}}}" if options else ""
