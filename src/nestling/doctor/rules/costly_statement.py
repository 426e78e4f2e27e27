"""Statements that scan a collection, or take much of the time, and that no index is known to help.

Why: what reads every document, or runs JavaScript on each, takes longer with every document that comes, and pushes what others
read out of the cache. An operator that no index serves does not make it cheaper.

Example: `find({$where: "this.title.length > 300"})`, 346 ms each time, 35 % of all time captured.

Remedy: let the statement say what an index can find, and read only what it needs. Instead of `$where` and `$function` use the
operators the server has: `$expr` with `$strLenCP`, `$gt` and the like, or store what is asked for in a field of its own, and
index that. Instead of `mapReduce` and `$accumulator` use `$group` and `$merge`. These run without JavaScript, and mapReduce is
deprecated. What must read everything, such as a report, can be computed beforehand, or run on a secondary.

Statements for which `missing-index` has an index, and patterns that `unanchored-pattern` and `case-insensitive-regex` name, are
left to these rules.

Ignore when: it is a report that runs once a night.
"""

from __future__ import annotations

from collections.abc import Iterator

from nestling.doctor.rule import Rule, RuleInput, Threshold
from nestling.doctor.wanted_indexes import (
    MUCH_EXAMINED,
    MUCH_FOR_EACH,
    examined_for_each,
    is_served,
    seeking,
    shared,
    wanted_index,
)
from nestling.doctor.words import create_index, listed, share
from nestling.ir.facts import CollectionFacts, StatementFacts
from nestling.ir.finding import Confidence, Finding, Severity
from nestling.ir.paths.work import Work
from nestling.ir.quantity_words import count, counted, duration

RULE = Rule(
    "Costly statement",
    Severity.WARNING,
    (
        Threshold(
            "scanned", "documents one execution examines that scans the collection", "documents", {"nestling": 1_000}
        ),
        Threshold("share", "percent of the time captured that one statement takes", "%", {"nestling": 10}),
        Threshold("seconds", "seconds it takes altogether, below which its share says nothing", "s", {"nestling": 1}),
    ),
)
_INSTEAD = {
    "$where": "`$expr` with the operators of the server, such as `$strLenCP` and `$gt`, or a field that holds the answer and"
    " has an index",
    "$function": "the expressions of the server, such as `$map`, `$reduce` and `$regexMatch`",
    "$accumulator": "the accumulators of `$group`, such as `$sum`, `$push` and `$topN`",
    "mapReduce": "a pipeline with `$group` and `$merge`, which mapReduce is deprecated for",
}
_PLAIN = (
    "Ask for what an index can find, and for the fields that are needed alone. What must read everything, such as a report, can"
    " be computed beforehand, or run on a secondary."
)


def findings(seen: RuleInput) -> Iterator[Finding]:
    """Captured statements that cost much, those left out that other rules name."""
    total = sum(each.seconds for each in seen.facts.statements)
    for each in seen.facts.statements:
        target = seen.facts.collection(each.database, each.collection)
        if target is None or not target.holds_documents or not each.count or _is_named(target, each):
            continue
        part = 100 * each.seconds / total if total else 0.0
        scans = each.collection_scans > 0 and each.documents_examined / each.count > seen.limits["scanned"].value
        is_slow = part > seen.limits["share"].value and each.seconds > seen.limits["seconds"].value
        if is_slow or (scans and (each.scripts or examined_for_each(each) > MUCH_FOR_EACH)):
            yield _finding(seen, target, each, part, is_slow=is_slow)


def _is_named(target: CollectionFacts, statement: StatementFacts) -> bool:
    """Whether other rules tell of it: `missing-index`, or those of patterns. Scans of before there was an index are over."""
    if statement.scripts:
        return False
    wanted = wanted_index(target, statement)
    each = statement.documents_examined / statement.count
    has_index = bool(wanted.keys) and is_served(target, wanted, seeking(statement))
    if has_index and statement.collection_scans >= statement.count:
        return True
    is_missing = bool(wanted.keys) and not has_index
    if is_missing and each > MUCH_EXAMINED and examined_for_each(statement) > MUCH_FOR_EACH:
        return True
    return any(not pattern.anchored or pattern.ignores_case for pattern in statement.patterns)


def _remedy(statement: StatementFacts, *, has_index: bool) -> str:
    if not has_index:
        return f"No index serves it: index {listed(statement.filters)}, and what it sorts by."
    return " ".join(f"Instead of `{name}` use {_INSTEAD[name]}." for name in statement.scripts) or _PLAIN


def _finding(
    seen: RuleInput, target: CollectionFacts, statement: StatementFacts, part: float, *, is_slow: bool
) -> Finding:
    each = statement.documents_examined / statement.count
    runs = f" and runs JavaScript ({listed(statement.scripts)})" if statement.scripts else ""
    scans = " by scans of the collection" if statement.collection_scans else ""
    limit, number = ("share", part) if is_slow else ("scanned", each)
    mean = target.storage.mean_bytes if target.storage else 0.0
    examines = f"examines {counted(each, 'document')}{scans} to return" if not statement.by_client else "returns"
    whose = (
        "in what was captured, as the client saw it"
        if statement.by_client
        else "of the server's time in what was captured"
    )
    wanted = wanted_index(target, statement)
    lacks = bool(wanted.keys) and not statement.scripts and not is_served(target, wanted, seeking(statement))
    index = shared(wanted) if lacks and statement.by_client else None
    keys = index.keys(()) if index is not None and not index.simple else ()
    return seen.finding(
        target,
        ", ".join((*statement.scripts, *statement.filters)),
        f"{statement.operation}, seen {counted(statement.count, 'time')}, {examines}"
        f" {count(statement.returned / statement.count)}{runs}; {share(part, 100)} of the time captured",
        number=number,
        limit=limit,
        cost=f"{duration(statement.seconds)} {whose}",
        remedy=_remedy(statement, has_index=not keys),
        commands=(create_index(target.database, target.name, keys),) if keys else (),
        index=keys,
        confidence=Confidence.LIKELY if statement.by_client else Confidence.CERTAIN,
        evidence={
            "examined": statement.documents_examined,
            "returned": statement.returned,
            "seconds": statement.seconds,
        },
        severity=None if is_slow or statement.scripts else Severity.INFO,
        work=Work(scanned=each, read_bytes=each * mean),
        mean_seconds=statement.seconds / statement.count,
    )
