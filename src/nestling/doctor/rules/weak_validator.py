"""Validators that let everything through.

Why: a validator that only warns, is switched off, or requires nothing gives a false sense of safety.

Example: `validationAction: "warn"`, forgotten after the first week; `{$jsonSchema: {bsonType: "object"}}`.

A validator that requires something and only warns is just a hint, because validators usually begin like that, including the one
of `no-validator`.

Remedy: require the fields that every document has, give their types, and let it refuse. While documents break the rules, or not
all were examined, the command sets `validationLevel: "moderate"`, because `strict` would refuse every update of them.

Ignore when: it warns because you are switching it on right now.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from nestling.doctor.commands import change_collection
from nestling.doctor.own_rules import demands
from nestling.doctor.rule import Rule, RuleInput
from nestling.doctor.schema import draft, first_do
from nestling.ir.facts import CollectionFacts, Validator
from nestling.ir.finding import Finding, Severity
from nestling.ir.quantity_words import count, counted

RULE = Rule("Weak validator", Severity.WARNING, last=True)
_MODERATE = " The level moderate still lets documents that already break the rules be updated; once none does, set it to strict."


def findings(seen: RuleInput) -> Iterator[Finding]:
    """Validators that refuse nothing."""
    for collection in seen.facts.of_documents():
        why = _weakness(collection.validator) if collection.validator is not None else ""
        if why:
            yield _finding(seen, collection, why)


def _weakness(validator: Validator) -> str:
    """Why a validator refuses nothing, or "" if it does refuse."""
    if validator.level == "off":
        return "the validator is switched off (validationLevel: off)"
    if validator.action == "warn":
        return "the validator only warns (validationAction: warn)"
    rules = json.loads(validator.text)
    return "" if demands(rules) else "the validator requires nothing of any field"


def _finding(seen: RuleInput, collection: CollectionFacts, why: str) -> Finding:
    documents = collection.storage.documents if collection.storage else 0
    validator = collection.validator
    refuses = validator is not None and demands(json.loads(validator.text))
    refused = (validator.refused or 0) if validator is not None and refuses else 0
    changes = () if refuses else seen.changes(collection)
    fits = _all_fit(collection, documents, demands=refuses) and not changes
    level = "strict" if fits else "moderate"
    drafted = {} if refuses else draft(collection, changes)
    rules = {"validator": drafted} if drafted else {}
    command = change_collection(collection, **rules, validationLevel=level, validationAction="error")
    return seen.finding(
        collection,
        "",
        f"{why}; {count(refused)} of {counted(validator.checked, 'document')} checked would be refused"
        if validator is not None and refused
        else why,
        number=documents,
        unit="documents",
        cost="documents of any shape are stored despite the validator",
        remedy=f"Require the fields every document has, give their types, and let it refuse.{_MODERATE * (level == 'moderate')}"
        f"{first_do(changes) if drafted else ''}",
        commands=(command,) if refuses or drafted else (),
        severity=Severity.INFO if refuses and validator is not None and validator.level != "off" else None,
    )


def _all_fit(collection: CollectionFacts, documents: int, *, demands: bool) -> bool:
    """Whether every document was checked against the rules that will be in force, and none would be refused."""
    if not demands:
        return collection.sample is not None and collection.sample.exact
    validator = collection.validator
    return validator is not None and validator.refused == 0 and validator.checked >= documents
