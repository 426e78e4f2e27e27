"""Statements that read far more than they return.

Why: without a suitable index, the server reads documents only to discard them – in the worst case, all of them.

Example: `find({city: …}).sort({date: -1})` examines 80,000 documents to return 12.

Remedy: an index on the fields compared for equality, then those sorted by, then those compared by range. Where one index serves
several statements, there is one finding, which names all of them: an index is read from both ends, a range has no direction, and
fields compared for equality may stand in any order, so that those of one statement begin the index of another. An index that is
there and begins the new one is redundant then; the commands hide it, and drop it later.
In a collection with a collation no index by that collation helps a pattern: a statement of patterns alone gets an index that
compares to the letter (`locale: "simple"`), one with equalities beside them an index of these.
A pattern that may match anywhere, or ignores case, narrows no index: alone it gets none, and the rules `unanchored-pattern` and
`case-insensitive-regex` say what to do; beside other fields it comes last.
An `$or` uses indexes only where each of its branches has one: there is a finding for each that is missing.
The answer of a count or a `$group` does not say how many documents matched, so a sample is asked. Where it is not known, the
index is told as possible, unless the field has too few values for it. Where more than a tenth of the documents match, an index
makes most statements slower; a count that reads the index alone gets one unless most match.
Documents that a `$lookup` examines are no reason for an index on the collection it starts from: `unindexed-lookup` tells of them.

Ignore when: the statement runs once a night.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nestling.doctor.commands import create_index, hide_first, index_keys
from nestling.doctor.covering_indexes import is_same
from nestling.doctor.examined import (
    MUCH_EXAMINED,
    MUCH_FOR_EACH,
    accounts_for,
    examined_each,
    examined_for_each,
    is_worth_an_index,
)
from nestling.doctor.rule import Rule, RuleInput, Threshold
from nestling.doctor.wanted_indexes import (
    DirectedKeys,
    SharedIndex,
    WantedIndex,
    lacking_indexes,
    patterns_of,
    seeking,
    shared,
)
from nestling.doctor.words import listed, share
from nestling.ir.facts import CollectionFacts, IndexFacts, StatementFacts, field_path
from nestling.ir.finding import Confidence, Finding, Severity
from nestling.ir.paths.work import Work
from nestling.ir.programs.compiled import Mql
from nestling.ir.quantity_words import agreeing, count, counted, duration

RULE = Rule(
    "Missing index",
    Severity.WARNING,
    (
        Threshold(
            "ratio",
            "documents examined for each returned",
            "documents examined for each returned",
            {"indexwright": MUCH_FOR_EACH},
        ),
        Threshold(
            "documents",
            "documents examined per execution; fewer do not matter",
            "documents",
            {"nestling": MUCH_EXAMINED},
        ),
    ),
)


def findings(seen: RuleInput) -> Iterator[Finding]:
    """Statements that examine too much and that no index serves; one finding for each index, with all statements it serves."""
    found = [
        (statement, target, wanted)
        for statement in seen.facts.statements
        for target, wanted in _lacking(seen, statement)
    ]
    targets = {target.namespace: target for _, target, _ in found}
    for namespace, target in targets.items():
        mine = [(statement, wanted) for statement, its, wanted in found if its.namespace == namespace]
        indexes = _shared_by_all(seen, target, [wanted for _, wanted in mine])
        serving = [
            (statement, next(each for each in indexes if each.shared_with(wanted) == each))
            for statement, wanted in mine
        ]
        for index in indexes:
            served = list(dict.fromkeys(statement for statement, its in serving if its == index))
            beside = [each for each in indexes if each != index and any((one, each) in serving for one in served)]
            if served:
                yield _finding(seen, target, served, index, beside)


def _shared_by_all(seen: RuleInput, target: CollectionFacts, wanted: Sequence[WantedIndex]) -> list[SharedIndex]:
    """As few indexes as possible that together serve all wanted ones; fields of references come first where possible."""
    made: list[SharedIndex] = []
    for each in sorted(wanted, key=lambda each: (-len(each.keys), -len(each.equal), each.keys)):
        place, index = next(
            ((place, index) for place, old in enumerate(made) if (index := old.shared_with(each)) is not None),
            (len(made), shared(each)),
        )
        made[place : place + 1] = [index]
    for field in _followed(seen, target):
        alone = WantedIndex((field,), (), ())
        made = [index.shared_with(alone) or index for index in made]
    return made


def _followed(seen: RuleInput, target: CollectionFacts) -> list[str]:
    """The fields of references that no index begins with: other rules advise one."""
    here = (target.database, target.name)
    references = (each for each in seen.facts.references if (each.database, each.collection) == here)
    begun = {index.keys[0][0] for index in target.indexes if not index.hidden}
    return [field for each in references if (field := field_path(each.steps)) not in begun]


def _lacking(seen: RuleInput, statement: StatementFacts) -> Iterator[tuple[CollectionFacts, WantedIndex]]:
    """The indexes that a statement lacks, with their collection."""
    target = seen.facts.collection(statement.database, statement.collection)
    if target is None or not target.holds_documents or examined_each(statement) <= seen.limits["documents"].value:
        return
    is_worth_it = is_worth_an_index(target, statement, seen.limits["ratio"].value)
    if is_worth_it and accounts_for(seen.facts, target, statement):
        yield from ((target, wanted) for wanted in lacking_indexes(target, statement))


def _finding(
    seen: RuleInput,
    target: CollectionFacts,
    served: Sequence[StatementFacts],
    index: SharedIndex,
    beside: Sequence[SharedIndex],
) -> Finding:
    served = sorted(served, key=lambda each: (-each.seconds, each.operation))
    alone = {each.keys[0][0] for each in target.indexes if len(each.keys) == 1}
    keys = index.keys(alone)
    times, seconds = sum(each.count for each in served), sum(each.seconds for each in served)
    wasted = sum(each.documents_examined * max(1 - 1 / examined_for_each(target, each), 0) for each in served) / times
    mean = target.storage.mean_bytes if target.storage else 0.0
    known = [each for each in served if not each.gathers or each.matched is not None]
    wasting = [each for each in known if examined_for_each(target, each) > seen.limits["ratio"].value]
    sure = [each for each in served if not each.gathers]
    words = dict.fromkeys(_of_patterns(target, each, index) for each in served)
    redundant = [] if index.simple else [each for each in target.indexes if _begins(each, keys, target)]
    names = listed(each.name for each in redundant)
    then = (
        (
            f" It also serves everything that {names} {agreeing(len(redundant), 'serves', 'serve')}: hide"
            f" {agreeing(len(redundant), 'that one', 'those')} now, and drop {agreeing(len(redundant), 'it', 'them')}"
            " later."
        )
        if redundant
        else ""
    )
    return seen.finding(
        target,
        ", ".join(field for field, _ in keys),
        "; ".join(_told(target, each) for each in served),
        number=max(examined_for_each(target, each) for each in wasting) if wasting else max(map(examined_each, served)),
        limit="ratio" if wasting else "documents",
        cost=f"{duration(seconds)} of server time in the capture{', with the other branches' if beside else ''}",
        remedy=f"Index {index.order}.{_for_branches(served, [each.keys(alone) for each in beside])}{''.join(words)}{then}",
        commands=(
            create_index(target.database, target.name, keys, **_options(target, index, keys)),
            *(command for each in redundant for command in hide_first(target, each.name)),
        ),
        index=() if index.simple else keys,
        drops=[each.name for each in redundant],
        evidence={
            "examined": sum(each.documents_examined for each in served),
            "returned": sum(each.returned for each in served),
            "seconds": seconds,
        },
        work=Work(scanned=wasted, read_bytes=wasted * mean),
        mean_seconds=seconds / times,
        confidence=Confidence.CERTAIN if sure else Confidence.LIKELY if known else Confidence.POSSIBLE,
    )


def _told(target: CollectionFacts, statement: StatementFacts) -> str:
    seen = f"{statement.operation}, seen {counted(statement.count, 'time')}, examines"
    examined = counted(examined_each(statement), "document")
    if not statement.gathers:
        return f"{seen} {examined} to return {count(statement.returned / statement.count)}"
    if statement.matched is None:
        return f"{seen} {examined} to compute an answer from those that match, whose number is not known"
    return f"{seen} {examined} to compute an answer from about {share(statement.matched, 1)} of {target.name}"


def _for_branches(served: Sequence[StatementFacts], beside: Sequence[DirectedKeys]) -> str:
    """What an `$or` needs besides."""
    if not any(each.branches for each in served):
        return ""
    others = " and ".join(f"`{index_keys(keys)}`" for keys in beside)
    also = f"create {others} as well" if others else "the other branches have theirs"
    return f" An `$or` uses indexes only if each of its branches has one: {also}."


def _begins(index: IndexFacts, keys: DirectedKeys, target: CollectionFacts) -> bool:
    """Whether an existing index does no more than one with these keys would."""
    is_plain = not index.is_special and index.collation == target.collation
    return is_plain and is_same(index.keys, keys[: len(index.keys)])


def _of_patterns(target: CollectionFacts, statement: StatementFacts, index: SharedIndex) -> str:
    """What to know about patterns that cannot seek in an index, and about patterns in a collection with a collation."""
    if index.simple:
        why = "The collection has a collation, and no pattern can use the keys of its indexes"
        return f" {why}: this index compares texts exactly."
    left = sorted(patterns_of(statement) - {field for field, _ in index.keys(())}) if target.collation else []
    if not left:
        return _of_slow(statement)
    return f" The collection has a collation: adding {listed(left)} to the index would not help the pattern."


def _of_slow(statement: StatementFacts) -> str:
    """Which findings cover its patterns that cannot use an index."""
    slow = [each for each in statement.patterns if each.field not in seeking(statement)]
    if not slow:
        return ""
    fields = sorted({each.field for each in slow})
    rules = sorted({"case-insensitive-regex" if each.ignores_case else "unanchored-pattern" for each in slow})
    return (
        f" It does not help {agreeing(len(fields), 'the pattern', 'the patterns')} on {listed(fields)}: see"
        f" {listed(rules)}."
    )


def _options(target: CollectionFacts, index: SharedIndex, keys: DirectedKeys) -> Mql:
    """Options of the index: a name of its own if the server's default name is taken by one with a collation."""
    name = "_".join(f"{field}_{way}" for field, way in keys)
    options: Mql = {"name": f"{name}_simple"} if any(each.name == name for each in target.indexes) else {}
    return options | ({"collation": {"locale": "simple"}} if index.simple else {})
