"""References to documents that do not exist.

Why: MongoDB checks no foreign keys. The target of a reference may have been deleted, never loaded, or never existed, and a
`$lookup` then silently finds nothing.

Example: 14,245 `comments.movie_id` and no collection of films.

Remedy: find them, then delete or repair them; in an array only the elements with a dangling reference, never the document
around them. From now on, delete children with their parent, in a transaction. Texts of ObjectIds or of numbers whose targets
exist after conversion have the wrong type, and nothing is missing: convert the field. The same holds for UUIDs in another
binary subtype, as old drivers write them (3), which have the same bytes. If an index of the key ignores case, so does this
rule. Without an index of the key, the first command creates one: the query looks each value up.

The rule counts the documents, or elements of arrays, that hold such a reference: in collections of up to 50,000 documents all
of them, in larger ones in 10,000 documents, and the share then has a confidence interval. If the target has no index on the key
and more than 10,000 documents, or counting would take more than a third of the remaining time, 300 different values are looked
up instead. A field whose name does not suggest a collection is a reference if more of its values are keys of one collection
than chance explains; for that, collections of up to 120,000 documents and 64 MB are read.

A reference to any of several collections (`about_id` beside `about_kind`) dangles where none of them has the value: what is
missing in one is looked up in the twelve largest others. If another collection has some of it and no document of the target,
the target's documents seem to be moved there: the finding names this archive, and the command leaves out what it holds.

Ignore when: the target is in another database, or is archived on purpose. The `_id` of elements and sub-documents, which
drivers such as Mongoose add to each, is taken for a reference only if more than a few of its values are found elsewhere.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace

from nestling.doctor.commands import aggregate, in_database
from nestling.doctor.common_type import types_after
from nestling.doctor.converting import UNCONVERTED_STAYS, asks_by_type, converting, converting_elements, finding, number
from nestling.doctor.lookup_indexes import creating_first, index_first
from nestling.doctor.rule import Rule, RuleInput, Threshold
from nestling.doctor.setting import REFUSED_STAY, UNGUARDED, while_fenced
from nestling.doctor.value_kinds import kinds_of
from nestling.doctor.words import sampled_share
from nestling.ir.facts import ELEMENT, Facts, PathFacts, ReferenceFacts, Sample, arrays_on, field_path, steps_text
from nestling.ir.facts.binary_kinds import OF_UUIDS, binary_of
from nestling.ir.facts.path import NUMBERS
from nestling.ir.finding import Confidence, FieldChange, Finding, Severity
from nestling.ir.programs.compiled import Mql
from nestling.ir.quantity_words import agreeing, count, counted
from nestling.ir.words.reference_words import looked_up

RULE = Rule(
    "Dangling reference",
    Severity.WARNING,
    (Threshold("references", "references that lead to nothing, of those looked at", "references", {"nestling": 0}),),
)


def findings(seen: RuleInput) -> Iterator[Finding]:
    """References with values that do not exist."""
    for each in seen.facts.references:
        reference = replace(each, target="") if each.others else each
        dangling = reference.dangling if reference.held else reference.checked - reference.resolved
        if dangling > seen.limits["references"].value:
            yield _finding(seen, reference, dangling)


def _finding(seen: RuleInput, reference: ReferenceFacts, dangling: int) -> Finding:
    said = _how_many(reference, dangling)
    if reference.converted:
        said += f"; {looked_up(reference)}"
    said += "".join(
        f"; {counted(held, 'missing value')} {agreeing(held)} in `{name}`" for name, held in reference.archives
    )
    return seen.finding(
        f"{reference.database}.{reference.collection}",
        steps_text(reference.steps),
        said,
        number=dangling,
        limit="references",
        cost="a join on it silently finds nothing",
        remedy=_to_convert(seen, reference) if reference.converted else _to_mend(seen, reference),
        commands=_conversion(seen, reference) if reference.converted else _commands(seen, reference),
        evidence={
            "held": reference.held,
            "dangling": reference.dangling,
            "checked": reference.checked,
            "resolved": reference.resolved,
            "converted": reference.converted,
        },
        confidence=Confidence.LIKELY if reference.resolved or reference.converted else Confidence.POSSIBLE,
        changes=_changes(seen, reference) if reference.converted else (),
    )


def _how_many(reference: ReferenceFacts, dangling: int) -> str:
    """How many dangle: documents or elements that hold one or, if these were not counted, different values."""
    where = f"in `{reference.target}`" if reference.target else "in any collection of this database"
    if not reference.held:
        part = sampled_share(dangling, reference.checked, Sample(reference.checked, "random"))
        looked_up = counted(reference.checked, "value")
        return f"{count(dangling)} of {looked_up} looked up {agreeing(dangling)} not {where}: {part}"
    sample = Sample(reference.held, "all" if reference.whole else "random")
    noun = "element" if ELEMENT in reference.steps else "document"
    return (
        f"{count(dangling)} of {counted(reference.held, noun)} {agreeing(dangling, 'refers', 'refer')} to documents"
        f" that are not {where}: {sampled_share(dangling, reference.held, sample)}"
    )


def _to_mend(seen: RuleInput, reference: ReferenceFacts) -> str:
    """What to do with values that exist in no type: delete only what holds nothing but the reference."""
    if not reference.target:
        return "Find out what they refer to: it may be in another database. Fix them only if it is gone."
    first = _of_archives(reference) + _of_other_types(seen, reference) + index_first(*_key(seen, reference))
    if ELEMENT not in reference.steps:
        return (
            f"{first}Find them, then delete or fix them. From now on, delete referring documents together with what they"
            " refer to."
        )
    return (
        f"{first}Find them, then fix these elements or remove them from their arrays; keep the documents around them and"
        " the other elements. From now on, remove elements together with what they refer to."
    )


def _of_archives(reference: ReferenceFacts) -> str:
    """A caution where documents of the target seem to be moved elsewhere: what refers to them is no mistake."""
    if not reference.archives:
        return ""
    names = " and ".join(f"`{name}`" for name, _ in reference.archives)
    return f"Documents seem to be moved to {names}: what refers to them is not lost, and the query leaves it out. "


def _of_other_types(seen: RuleInput, reference: ReferenceFacts) -> str:
    """A caution if the field holds types that no key has: so few may be such that none of them was looked up."""
    holder = seen.facts.collection(reference.database, reference.collection)
    path, keys = holder.path(*reference.steps) if holder is not None else None, _types(_target(seen, reference))
    others = sorted((_types(path) & {"string", "number", "objectId", *OF_UUIDS}) - keys) if keys else []
    if not others:
        return ""
    return (
        f"Values of type {' and '.join(others)} may exist in the type of the key: convert them before you delete any. "
    )


def _to_convert(seen: RuleInput, reference: ReferenceFacts) -> str:
    """What to do with values of another type: nothing is missing until they are looked up with the right type."""
    key, into = f"`{reference.target_field}` of `{reference.target}`", reference.converts
    if _keys_differ(seen, reference):
        return f"What they refer to has {into} for {key}: give the key one type, delete nothing, then run the doctor again."
    is_mixed = bool(_types(_target(seen, reference)) & set(_other_types(seen, reference)))
    first = f"Some values of {key} have their type, too: give the key one type first. " if is_mixed else ""
    is_rest = reference.checked - reference.resolved > reference.converted
    rest = " Then run the doctor again: only what is found in neither type is missing." if is_rest else ""
    asks = f" {asks_by_type(_other_types(seen, reference))}" if ELEMENT not in reference.steps else ""
    anew = (
        " An `_id` cannot be changed: insert such documents again with the new one."
        if reference.steps[0] == "_id"
        else ""
    )
    where = seen.facts.collection(reference.database, reference.collection)
    refused = while_fenced(where) if where is not None else ""
    refused = REFUSED_STAY if len(_conversion(seen, reference)) > UNGUARDED else refused
    return f"{first}Convert them to {into}, the type of {key}, and delete none: {UNCONVERTED_STAYS}.{anew}{refused}{rest}{asks}"


def _keys_differ(seen: RuleInput, reference: ReferenceFacts) -> bool:
    """Whether the keys have to be converted: most values are found unchanged, among keys of several types."""
    target = _target(seen, reference)
    kinds = _types(target)
    if target is not None and next(iter(kinds_of(target)), "") == reference.converts:
        return False  # it is the values that are to become like most keys
    return reference.resolved > reference.converted and {reference.converts, *_other_types(seen, reference)} <= kinds


def _other_types(seen: RuleInput, reference: ReferenceFacts) -> list[str]:
    """The types of the values to convert."""
    if reference.converts in OF_UUIDS:
        return [OF_UUIDS[reference.converts]]
    if reference.converts != "string":
        return ["string"]
    holder = seen.facts.collection(reference.database, reference.collection)
    return sorted(_types(holder.path(*reference.steps) if holder is not None else None) & {"objectId", "number"})


def _types(path: PathFacts | None) -> set[str]:
    if path is None:
        return set()
    subtypes = {binary_of(subtype) for subtype, _ in path.subtypes}
    return subtypes | {"number" if name in NUMBERS else name for name, _ in path.types}


def _target(seen: RuleInput, reference: ReferenceFacts) -> PathFacts | None:
    target = seen.facts.collection(reference.database, reference.target)
    return target.path(reference.target_field) if target is not None else None


def _conversion(seen: RuleInput, reference: ReferenceFacts) -> tuple[str, ...]:
    """Commands that find the values of another type, and convert them if one update can."""
    where = seen.facts.collection(reference.database, reference.collection)
    keys = seen.facts.collection(reference.database, reference.target)
    if where is None or keys is None:
        return ()
    if _keys_differ(seen, reference):
        return (finding(keys, reference.target_field, [reference.converts]),)
    field = field_path(reference.steps)
    target, into, kinds = _target(seen, reference), reference.converts, _other_types(seen, reference)
    found = finding(where, field, kinds)
    if reference.steps[0] == "_id" or target is None:
        return (found,)
    into = number(target) if into == "number" else into
    if ELEMENT not in reference.steps:
        return found, *converting(where, field, kinds, into, width=target.code_width)
    return found, *converting_elements(where, reference.steps, kinds, into, width=target.code_width)


def _changes(seen: RuleInput, reference: ReferenceFacts) -> tuple[FieldChange, ...]:
    """The types that the field has after the commands were run."""
    holder = seen.facts.collection(reference.database, reference.collection)
    path = holder.path(*reference.steps) if holder is not None else None
    if path is None or len(_conversion(seen, reference)) < 2 or reference.converts in OF_UUIDS:
        return ()
    return (FieldChange(path.steps, types=types_after(path, _other_types(seen, reference), reference.converts)),)


def _commands(seen: RuleInput, reference: ReferenceFacts) -> tuple[str, ...]:
    """A query for all of them: the value, and the `_id` of the document that holds it; for arrays one row for each element."""
    if not reference.target:
        return ()
    first = creating_first(*_key(seen, reference))
    field = field_path(reference.steps)
    fields = {"localField": field, "foreignField": reference.target_field}
    unwound: list[Mql] = [{"$unwind": f"${array}"} for array in arrays_on(reference.steps)]
    stages: tuple[Mql, ...] = (
        *unwound,
        {"$match": {field: {"$ne": None, "$not": {"$type": ["array", "object"]}}}},
        {"$lookup": {"from": reference.target, **fields, "as": "found"}},
        {"$match": {"found": []}},
        *(stage for name, _ in reference.archives for stage in _not_in(name, field)),
        {"$project": {field: 1}},
    )
    options = {"collation": json.loads(reference.collation)} if reference.collation else {}
    return *first, aggregate(in_database(reference.database, reference.collection), stages, **options)


def _not_in(archive: str, field: str) -> tuple[Mql, Mql]:
    """The stages that leave out values of a field which are keys of an archive."""
    return {"$lookup": {"from": archive, "localField": field, "foreignField": "_id", "as": "found"}}, {
        "$match": {"found": []}
    }


def _key(seen: RuleInput, reference: ReferenceFacts) -> tuple[Facts, str, str, str]:
    """Where the values are looked up."""
    return seen.facts, reference.database, reference.target, reference.target_field
