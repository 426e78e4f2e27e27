"""Statements that scan a collection, or take much of the time, and that no known index would help.

Why: a statement that reads every document, or runs JavaScript on each, takes longer with every new document, and displaces the
data of other readers from the cache. The use of an operator without index support does not make it cheaper.

Example: `find({$where: "this.title.length > 300"})`, 346 ms each time, 35 % of all time captured.

Remedy: give the statement a condition that an index supports, and let it read only what it needs. Instead of `$where` and
`$function` use the server's operators: `$expr` with `$strLenCP`, `$gt` and the like, or store the value in a field of its own,
and index that. Instead of `mapReduce` and `$accumulator` use `$group` and `$merge`. These run without JavaScript, and mapReduce
is deprecated. A statement that must read everything, such as a report, can be computed beforehand, or run on a secondary.

Statements for which `missing-index` or `unindexed-lookup` has an index, and patterns that `unanchored-pattern` and
`case-insensitive-regex` name, are left to these rules. A statement that had the index it wants, and still examined far more
than it returned when it was last seen, is told here, with what is known of the reason.

Ignore when: it is a report that runs once a night.
"""

from __future__ import annotations

from collections.abc import Iterator

from nestling.doctor.commands import create_index
from nestling.doctor.examined import (
    MUCH_EXAMINED,
    MUCH_FOR_EACH,
    accounts_for,
    examined_each,
    examined_for_each,
    is_worth_an_index,
    matching_share,
    reads_keys_alone,
    unindexed_joins,
)
from nestling.doctor.rule import Rule, RuleInput, Threshold
from nestling.doctor.unhelpful_indexes import StillExamining, is_over, still_examining, why_unhelpful
from nestling.doctor.wanted_indexes import lacking_indexes, shared
from nestling.doctor.words import listed, share
from nestling.ir.facts import CollectionFacts, Facts, StatementFacts
from nestling.ir.finding import Confidence, Finding, Severity
from nestling.ir.paths.work import Work
from nestling.ir.quantity_words import count, counted, duration

RULE = Rule(
    "Costly statement",
    Severity.WARNING,
    (
        Threshold(
            "scanned",
            "documents examined per execution by a collection scan, or with an index that does not help",
            "documents",
            {"nestling": 1_000},
        ),
        Threshold("share", "share of the captured time that one statement takes", "%", {"nestling": 10}),
        Threshold("seconds", "seconds it takes in total; with fewer, its share does not matter", "s", {"nestling": 1}),
    ),
)
_INSTEAD = {
    "$where": "`$expr` with the server's operators, such as `$strLenCP` and `$gt`, or an indexed field that holds"
    " the answer",
    "$function": "the server's expressions, such as `$map`, `$reduce` and `$regexMatch`",
    "$accumulator": "the accumulators of `$group`, such as `$sum`, `$push` and `$topN`",
    "mapReduce": "a pipeline with `$group` and `$merge`: mapReduce is deprecated",
}
_PLAIN = (
    "Use conditions that an index supports, and read only the fields that are needed. What must read everything,"
    " such as a report, can be computed in advance, or run on a secondary."
)


def findings(seen: RuleInput) -> Iterator[Finding]:
    """Captured statements that cost much, except those that other rules name."""
    total = sum(each.seconds for each in seen.facts.statements)
    for each in seen.facts.statements:
        target = seen.facts.collection(each.database, each.collection)
        if target is None or not target.holds_documents or not each.count or _is_named(seen.facts, target, each):
            continue
        part = 100 * each.seconds / total if total else 0.0
        scans = each.collection_scans > 0 and examined_each(each) > seen.limits["scanned"].value
        is_slow = part > seen.limits["share"].value and each.seconds > seen.limits["seconds"].value
        is_much = scans and (each.scripts or examined_for_each(target, each) > MUCH_FOR_EACH)
        still = still_examining(seen.facts, target, each, seen.limits["scanned"].value)
        if is_slow or is_much or still:
            yield _finding(seen, target, each, part, is_slow=is_slow, still=still)


def _is_named(facts: Facts, target: CollectionFacts, statement: StatementFacts) -> bool:
    """Whether other rules tell of it: of an index that is missing, or of patterns. What was before there was an index is over."""
    if statement.scripts:
        return False
    if is_over(facts, target, statement):
        return True
    is_much = examined_each(statement) > MUCH_EXAMINED and is_worth_an_index(target, statement, MUCH_FOR_EACH)
    if is_much and not accounts_for(facts, target, statement) and unindexed_joins(facts, statement):
        return True
    if is_much and accounts_for(facts, target, statement) and lacking_indexes(target, statement):
        return True
    return any(not pattern.anchored or pattern.ignores_case for pattern in statement.patterns)


def _remedy(target: CollectionFacts, statement: StatementFacts, still: StillExamining | None) -> str:
    """What to do instead, and why no index is what is needed."""
    if statement.scripts:
        return " ".join(f"Instead of `{name}` use {_INSTEAD[name]}." for name in statement.scripts)
    if still is not None:
        return why_unhelpful(target, statement, still)
    matching = matching_share(target, statement)
    if matching is None or not lacking_indexes(target, statement) or reads_keys_alone(target, statement):
        return _PLAIN
    return (
        f"No index on {listed(statement.compared)} helps: about {share(matching, 1)} of the documents match. {_PLAIN}"
    )


def _did(statement: StatementFacts, still: StillExamining | None) -> str:
    """What an execution did: in the mean, or the latest one, where that had indexes which did not help."""
    if statement.by_client:
        return f"returns {count(statement.returned / statement.count)}"
    if still is not None:
        names, last = listed(dict.fromkeys(index.name for index in still.indexes)), still.last
        scan = " in a collection scan" if "COLLSCAN" in last.plan else ""
        return (
            f"last examined {counted(last.examined, 'document')}{scan} to return {count(last.returned)}, although"
            f" {names} existed"
        )
    scans = " in collection scans" if statement.collection_scans else ""
    examined = counted(examined_each(statement), "document")
    return f"examines {examined}{scans} to return {count(statement.returned / statement.count)}"


def _finding(
    seen: RuleInput,
    target: CollectionFacts,
    statement: StatementFacts,
    part: float,
    *,
    is_slow: bool,
    still: StillExamining | None,
) -> Finding:
    each = examined_each(statement) if still is None else still.last.examined
    runs = f" and runs JavaScript ({listed(statement.scripts)})" if statement.scripts else ""
    limit, number = ("share", part) if is_slow else ("scanned", each)
    mean = target.storage.mean_bytes if target.storage else 0.0
    whose = "in the capture, as measured by the client" if statement.by_client else "of server time in the capture"
    lacking = lacking_indexes(target, statement) if statement.by_client and not statement.scripts else ()
    indexes = [index.keys(()) for index in map(shared, lacking) if not index.simple]
    no_index = f"No index serves it: index {listed(statement.compared)} and the fields it sorts by."
    return seen.finding(
        target,
        ", ".join((*statement.scripts, *statement.compared)),
        f"{statement.operation}, seen {counted(statement.count, 'time')}, {_did(statement, still)}{runs};"
        f" {share(part, 100)} of the captured time",
        number=number,
        limit=limit,
        cost=f"{duration(statement.seconds)} {whose}",
        remedy=no_index if indexes else _remedy(target, statement, still),
        commands=tuple(create_index(target.database, target.name, keys) for keys in indexes),
        index=indexes[0] if len(indexes) == 1 else (),
        confidence=Confidence.LIKELY if statement.by_client else Confidence.CERTAIN,
        evidence={
            "examined": statement.documents_examined,
            "returned": statement.returned,
            "seconds": statement.seconds,
        },
        severity=None if is_slow or still or statement.scripts else Severity.INFO,
        work=Work(scanned=each, read_bytes=each * mean),
        mean_seconds=statement.seconds / statement.count,
    )
