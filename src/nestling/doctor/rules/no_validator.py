"""Collections that accept documents of any shape.

Why: a typo in a field's name, a number sent as text, a half-written document: without a validator the database accepts it, and
every reader must expect it for ever.

Example: 1,138 ratings are numbers, 63 are the text "Not yet rated".

Remedy: `nestling emit design.yaml --as jsonschema` writes one. Begin with `validationAction: "warn"`, count what would be
refused, repair it, then refuse. The draft describes fields as they will be after the commands of the report's other findings:
converted, renamed or removed.

Ignore when: the collection is scratch space, or holds other systems' messages as they arrived.
"""

from __future__ import annotations

from collections.abc import Iterator

from nestling.doctor.commands import change_collection
from nestling.doctor.rule import Rule, RuleInput, Threshold
from nestling.doctor.schema import draft, first_do
from nestling.ir.facts import NamespaceKind
from nestling.ir.finding import Finding, Severity
from nestling.ir.quantity_words import counted

RULE = Rule(
    "No validator",
    Severity.INFO,
    (Threshold("documents", "documents above which one is expected", "documents", {"nestling": 0}),),
    last=True,
)


def findings(seen: RuleInput) -> Iterator[Finding]:
    """Collections of documents without a validator."""
    for collection in seen.facts.of_documents():
        documents = collection.storage.documents if collection.storage else 0
        capped = collection.kind is NamespaceKind.CAPPED
        if collection.validator is None and not capped and documents > seen.limits["documents"].value:
            changes = seen.changes(collection)
            rules = draft(collection, changes)
            yield seen.finding(
                collection,
                "",
                f"{counted(documents, 'document')} and no validator",
                number=documents,
                limit="documents",
                cost="documents of any shape are silently accepted, and only their readers notice",
                remedy="Add a validator that warns, count what it would refuse, fix that, then let it"
                f" refuse.{first_do(changes) if rules else ''}",
                commands=(change_collection(collection, validator=rules, validationAction="warn"),) if rules else (),
            )
