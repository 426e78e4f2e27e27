"""One collation for the whole read: MongoDB compares all texts of an operation in the same way, so all must agree.

SQLite's NOCASE and RTRIM are computed in each comparison. Only the server can compare texts regardless of case and accents.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from nestling.common.trees import rebuilt
from nestling.ir.design import Design
from nestling.ir.model import Model
from nestling.ir.statements import algebra as a
from nestling.ir.statements.algebra import Relation
from nestling.ir.statements.expression import Compare, Expression, InList, Literal
from nestling.ir.statements.operators import Collation, Comparison
from nestling.ir.storage.collations import identity_is_collated
from nestling.ir.types import TEXT
from nestling.planner.reads.agreeing_keys import keys_agree
from nestling.planner.reads.any_case import in_any_case
from nestling.planner.reads.compared_texts import (
    collations_of,
    is_told_alike,
    labels_of,
    may_be_text,
    said_exactly,
    scanned,
    without_collation,
)
from nestling.planner.reads.determined import telling
from nestling.planner.reads.traverse import everything


def collated(relation: Relation, design: Design) -> list[tuple[Relation, Collation]]:
    """The forms of a relation, the likely better one first, each with the collation of the whole read.

    Where all that is compared regardless of case are labels of enums, a second form compares these exactly. The one suits
    indexes on texts, which have a collation; the other an `_id` of several parts, which only an exact comparison finds.
    """
    form, collation = with_one_collation(relation, design)
    exact = rebuilt(relation, _of_labels) if collation is Collation.UNICODE_CI else relation
    if exact is relation or Collation.UNICODE_CI in set(collations_of(exact)):
        return [(form, collation)]
    forms = [(form, collation), (exact, Collation.BINARY)]
    return forms[::-1] if any(_has_exact_parts(design, name) for name in scanned(relation)) else forms


def _has_exact_parts(design: Design, entity: str) -> bool:
    """Whether rows of the entity lie in documents with an `_id` of several parts, whose index compares exactly."""
    stores = [place.store for place in design.places[entity]]
    return any(len(store.collection.id) > 1 and not identity_is_collated(design, store) for store in stores)


def with_one_collation(relation: Relation, design: Design) -> tuple[Relation, Collation]:
    """Return the relation without collations, and its collation if all its texts are compared by one that only the server knows.

    The keys by which documents are found must use it too, or two that differ in case would be mixed up. Keys of a group that
    follow from others are compared by whichever collation suits the rest.
    """
    if not any(
        isinstance(each, a.GroupBy) and Collation.UNICODE_CI in each.collations for each in everything(relation)
    ):
        return _with_one(relation, design)
    found, collation = _with_one(rebuilt(relation, _following(Collation.UNICODE_CI, design.model)), design)
    if collation is Collation.UNICODE_CI:
        return found, collation
    return _with_one(rebuilt(relation, _following(Collation.BINARY, design.model)), design)


def has_two_collations(relation: Relation, design: Design) -> bool:
    """Whether it contains both texts that only the server can compare and others: no single operation can read both."""
    found, collation = with_one_collation(relation, design)
    return collation is not Collation.UNICODE_CI and Collation.UNICODE_CI in set(collations_of(found))


def _following(rule: Collation, model: Model) -> Callable[[object], object | None]:
    """Groups whose keys are compared by the rule where they follow from others: these decide which rows are of one group."""

    def change(value: object) -> object | None:
        if not isinstance(value, a.GroupBy) or Collation.UNICODE_CI not in value.collations:
            return None
        keys, rules = [key.expression for key in value.keys], value.collations
        are_texts = [*map(may_be_text, keys)]
        sure = {place for place, each in enumerate(rules) if each is Collation.BINARY or not are_texts[place]}
        kept = telling(keys, value.input, model, sure)
        chosen = tuple(rule if are_texts[place] and place not in kept else each for place, each in enumerate(rules))
        return replace(value, input=rebuilt(value.input, change), collations=chosen)

    return change


def _with_one(relation: Relation, design: Design) -> tuple[Relation, Collation]:
    if Collation.UNICODE_CI not in (found := set(collations_of(relation))):
        by_index = in_any_case(relation, design)
        return (relation, Collation.BINARY) if by_index is None else (by_index, Collation.UNICODE_CI)
    said, entities = relation, [*scanned(relation)]
    if Collation.BINARY in found and len(entities) == 1:
        said = rebuilt(relation, said_exactly)
        found = set(collations_of(said))
    if found != {Collation.UNICODE_CI} or not keys_agree(design, entities):
        return rebuilt(relation, _of_labels), Collation.BINARY
    return rebuilt(said, without_collation), Collation.UNICODE_CI


def _of_labels(value: object) -> object | None:
    """Replace a constant compared with an enum by the label that equals it regardless of case, and compare exactly."""
    match value:
        case Compare(Comparison.EQUAL | Comparison.NOT_EQUAL, left, right) if _are_plain(left, (right,)):
            return replace(value, right=_label(left, right), collation=Collation.BINARY)
        case InList(operand=operand, items=items) if _are_plain(operand, items):
            return replace(value, items=tuple(_label(operand, each) for each in items), collation=Collation.BINARY)
        case _:
            return None


def _are_plain(enum: Expression, constants: Sequence[Expression]) -> bool:
    """Whether all are texts in plain letters that no collation takes for another one but for their case."""
    texts = [each.value for each in constants if isinstance(each, Literal) and isinstance(each.value, str)]
    plain = all(text.isascii() and text == text.rstrip() for text in texts)
    return is_told_alike(enum) and plain and len(texts) == len(constants)


def _label(enum: Expression, constant: Expression) -> Expression:
    """The label that the constant is in another case, or the constant itself."""
    assert isinstance(constant, Literal)
    folded = str(constant.value).casefold()
    return next((Literal(label, TEXT) for label in labels_of(enum) if label.casefold() == folded), constant)
