"""References to documents that do not exist.

Why: MongoDB checks no foreign keys. What a reference points to may have been deleted, never loaded, or never existed,
and a `$lookup` then gives nothing, without a word.

Example: 14,245 `comments.movie_id` and no collection of films.

Remedy: find them, then delete or mend them; delete children with their parent, in a transaction, from now on.

Ignore when: the target is in another database, or is archived on purpose.
"""

from __future__ import annotations

from collections.abc import Iterator

from nestling.doctor.rule import Rule, Seen, Threshold
from nestling.doctor.words import of_collection, quoted, sampled_share
from nestling.ir.facts import ELEMENT, Reference, Sample, field_path, steps_text
from nestling.ir.finding import Confidence, Finding, Severity
from nestling.ir.quantity_words import count

RULE = Rule(
    "Dangling reference",
    Severity.WARNING,
    (Threshold("values", "different values found nowhere, of those looked up", "values", {"nestling": 0}),),
)


def findings(seen: Seen) -> Iterator[Finding]:
    """References with values that are not there."""
    for reference in seen.facts.references:
        if reference.checked - reference.resolved > seen.limits["values"].value:
            yield _finding(seen, reference, reference.checked - reference.resolved)


def _finding(seen: Seen, reference: Reference, dangling: int) -> Finding:
    where = f"in `{reference.target}`" if reference.target else "in any collection of this database"
    part = sampled_share(dangling, reference.checked, Sample(reference.checked, "random"))
    return seen.finding(
        f"{reference.database}.{reference.collection}",
        steps_text(reference.steps),
        f"{count(dangling)} of {count(reference.checked)} values looked up are not {where}: {part}",
        number=dangling,
        limit="values",
        cost="a join along it finds nothing and says nothing",
        remedy="Find them, then delete or mend them, and delete what refers together with what it refers to from now on.",
        commands=_commands(reference),
        evidence={"checked": reference.checked, "resolved": reference.resolved},
        confidence=Confidence.LIKELY if reference.resolved else Confidence.POSSIBLE,
    )


def _commands(reference: Reference) -> tuple[str, ...]:
    """A query for all of them."""
    if not reference.target:
        return ()
    field = field_path(reference.steps)
    unwind = f"{{$unwind: {quoted('$' + field)}}}, " if reference.steps[-1] == ELEMENT else ""
    lookup = (
        f"{{$lookup: {{from: {quoted(reference.target)}, localField: {quoted(field)}, "
        f"foreignField: {quoted(reference.target_field)}, as: 'found'}}}}"
    )
    has_value = f"{{$match: {{{quoted(field)}: {{$ne: null}}}}}}, "
    stages = f"[{has_value}{unwind}{lookup}, {{$match: {{found: []}}}}, {{$project: {{{quoted(field)}: 1}}}}]"
    return (f"{of_collection(reference.database, reference.collection)}.aggregate({stages})",)
