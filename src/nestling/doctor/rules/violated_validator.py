"""Documents that the collection's own validator would refuse.

Why: a validator checks documents when they are written. Older ones stay as they are – until an update touches one of them and
fails, in production, for a reason that has nothing to do with the update.

Example: 63 of 2,548 documents lack the number that has been required since spring.

Remedy: find and repair them, or set `validationLevel: "moderate"` until that is done.

While a migration's cutover is under way, nestling's own validator refuses every insert and update. If the cutover was
interrupted, it is still there: `nestling migrate … --cutover` goes on, `--abort` gives the collection its own validator again.
Do not loosen it: writes that the migration does not see are missing in the new design.

Ignore when: the documents are never changed again.
"""

from __future__ import annotations

from collections.abc import Iterator

from nestling.doctor.commands import find, here, own_validator
from nestling.doctor.rule import Rule, RuleInput, Threshold
from nestling.doctor.words import sampled_share
from nestling.ir.facts import CollectionFacts, Sample, Validator
from nestling.ir.finding import Confidence, Finding, Severity
from nestling.ir.quantity_words import count, counted

RULE = Rule(
    "Violated validator",
    Severity.ERROR,
    (Threshold("documents", "documents the validator would refuse", "documents", {"nestling": 0}),),
)


def findings(seen: RuleInput) -> Iterator[Finding]:
    """Collections with documents that their validator would refuse."""
    for collection in seen.facts.of_documents():
        validator = collection.validator
        if validator is not None and (validator.refused or 0) > seen.limits["documents"].value:
            yield _finding(seen, collection, validator, validator.refused or 0)


def _finding(seen: RuleInput, collection: CollectionFacts, validator: Validator, refused: int) -> Finding:
    documents = collection.storage.documents if collection.storage else validator.checked
    exact = validator.checked >= documents
    sample = Sample(validator.checked, "all" if exact else "random")
    if validator.is_fence:
        return _fenced(seen, collection, refused)
    fails = validator.action != "warn" and validator.level == "strict"
    return seen.finding(
        collection,
        "",
        f"{count(refused)} of {counted(validator.checked, 'document')} checked"
        f" ({sampled_share(refused, validator.checked, sample)}) would be refused by the validator",
        number=refused,
        limit="documents",
        cost="every update of one of them fails" if fails else "readers that trust the validator come across them",
        remedy=f"Find and fix them; {_meanwhile(validator)}.",
        commands=(find(here(collection), {"$nor": [own_validator(collection)]}),),
        severity=None if fails else Severity.WARNING,
        confidence=Confidence.CERTAIN if exact else Confidence.LIKELY,
    )


def _meanwhile(validator: Validator) -> str:
    """What happens to updates of these documents until then."""
    if validator.action == "warn":
        return "the validator only warns, so updates of them pass meanwhile"
    if validator.level != "strict":
        return f"its validationLevel is {validator.level}, so updates of them pass meanwhile"
    return "until then, validationLevel: moderate lets them be updated"


def _fenced(seen: RuleInput, collection: CollectionFacts, refused: int) -> Finding:
    return seen.finding(
        collection,
        "",
        "every insert and update is refused: the cutover of a migration is under way, or was interrupted",
        number=refused,
        limit="documents",
        cost="applications cannot write",
        remedy="If no `nestling migrate` is running, `nestling migrate … --cutover` continues, and `--abort` undoes"
        " the migration. Leave the validator as it is: it belongs to the migration, and writes that get past"
        " it are missing in the new design.",
    )
