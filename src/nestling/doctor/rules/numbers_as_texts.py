"""Quantities stored as texts.

Why: as texts `10` comes before `9.5`. A range or a sort is wrong, `$sum` counts nothing, and a query for the number finds
nothing.

Example: `price` is a text such as `9.5` in all of 900 products.

Remedy: convert the texts to numbers: amounts of money to decimals, others to integers and decimals. Texts that no number is
written like stay; run the first command again to find them. First deploy an application that reads both and writes numbers.

Digits may be codes, which are rightly texts. So a field is reported only if its name is that of a quantity (`price`, `qty`,
`weight`) and not of a code, all its texts are numbers, and none begins with a zero before other digits.

Ignore when: the texts are meant to stay as they were written, such as prices that are only shown.
"""

from __future__ import annotations

from collections.abc import Iterator

from nestling.doctor.common_type import types_after
from nestling.doctor.converting import asks_by_type, converting, finding
from nestling.doctor.name_kinds import names_a_code, names_a_quantity, names_money
from nestling.doctor.rule import Rule, RuleInput, Threshold
from nestling.doctor.setting import REFUSED_STAY, UNGUARDED, while_fenced
from nestling.ir.facts import ELEMENT, CollectionFacts, PathFacts
from nestling.ir.facts.path import NULL_TYPES
from nestling.ir.facts.steps import is_plain
from nestling.ir.finding import Confidence, FieldChange, Finding, Severity
from nestling.ir.quantity_words import count

RULE = Rule(
    "Numbers as texts",
    Severity.INFO,
    (
        Threshold(
            "values", "numbers stored as text, in a field of nothing but such numbers", "values", {"nestling": 20}
        ),
    ),
    by_field=True,
)


def findings(seen: RuleInput) -> Iterator[Finding]:
    """Fields named as quantities, with only texts of numbers."""
    for collection in seen.facts.of_documents():
        for path in collection.paths:
            numbers = _numbers(path)
            if numbers > seen.limits["values"].value:
                yield _finding(seen, collection, path, numbers)


def _numbers(path: PathFacts) -> int:
    """How many texts are numbers; 0 if others are none, or may be codes."""
    forms, texts = dict(path.forms), path.count("string") - path.empty
    are_texts = all(name in ("string", *NULL_TYPES) for name, _ in path.types)
    are_numbers = forms.get("number", 0) >= texts and not forms.get("code")
    is_named = names_a_quantity(path.steps) and not names_a_code(path.steps)
    return texts if are_texts and are_numbers and is_named else 0


def _finding(seen: RuleInput, collection: CollectionFacts, path: PathFacts, numbers: int) -> Finding:
    commands = _commands(collection, path)
    how = while_fenced(collection)
    if len(commands) > 1:
        refused = REFUSED_STAY if len(commands) > UNGUARDED else ""
        how = f" Texts that no number is written like stay as they are.{refused} {asks_by_type(['string'])}"
    return seen.finding(
        collection,
        path.text,
        f"{count(numbers)} numbers are stored as text",
        number=numbers,
        limit="values",
        cost="sorts and ranges compare its characters, and sums count nothing",
        remedy=f"If it is a quantity and no code, convert the texts to numbers, and let a validator keep it that way.{how}",
        commands=commands,
        evidence={"texts": path.count("string"), "numbers": numbers},
        confidence=Confidence.POSSIBLE,
        changes=(FieldChange(path.steps, types=types_after(path, ["string"], "number")),) if len(commands) > 1 else (),
    )


def _commands(collection: CollectionFacts, path: PathFacts) -> tuple[str, ...]:
    """Commands that find and convert the texts, if one update can."""
    if not is_plain(path.steps):
        return ()
    found = finding(collection, path.field, ["string"])
    if ELEMENT in path.steps or path.steps[0] == "_id":
        return (found,)
    into = "decimal" if names_money(path.steps) else "int"
    return found, *converting(collection, path.field, ["string"], into)
