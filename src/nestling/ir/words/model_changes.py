"""What an application has gained and dropped from one model to the next, in words."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from nestling.common.errors import name_list
from nestling.ir.amendments import Widened, amendments, filled_value, scale_of
from nestling.ir.design import Design
from nestling.ir.model import Attribute, Entity, Model
from nestling.ir.types import TypeName
from nestling.ir.words.model_words import attribute_words, default_words

_LEFT = "no statement reads it, and rebuilt collections no longer have it"


def changes_of_model(old: Design, new: Design) -> tuple[str, ...]:
    """A sentence for each entity that is gone, each attribute that is gone, new or another, and each reference that is new."""
    return (*_changes(old, new), *_references(old, new))


def _references(old: Design, new: Design) -> Iterator[str]:
    known = {each.joins for each in old.model.relationships}
    for link in new.model.relationships:
        if link.joins not in known and old.model.has_entity(link.child):
            yield f"`{link.child}` refers to `{link.parent}` by {name_list(link.child_attributes)}: a new relationship"


def _changes(old: Design, new: Design) -> Iterator[str]:
    amended = tuple(amendments(old.model, new.model))
    for entity in old.model.entities:
        if new.model.has_entity(entity.name):
            widened = {each.attribute for each in amended if each.entity == entity.name and isinstance(each, Widened)}
            yield from _of_entity(entity, new.model.entity(entity.name), widened)
            continue
        home = old.home_root(entity.name)
        where = (
            f"collection `{home[0].name}` stays as it is, but is no longer part of the design"
            if home
            else f"rows stay: {_LEFT}"
        )
        yield f"`{entity.name}` is gone: its {where}{maybe_renamed(entity, old.model, new.model)}"


def maybe_renamed(entity: Entity, old: Model, new: Model) -> str:
    """What to say of an entity that is gone where one with as many attributes of the same types has come; else nothing."""
    types = [each.type for each in entity.attributes]
    alike = (each for each in new.entities if [attribute.type for attribute in each.attributes] == types)
    came = next((each.name for each in alike if not old.has_entity(each.name)), None)
    return f"; if it is now `{came}`, add `--renamed {entity.name}={came}`" if came is not None else ""


def _of_entity(old: Entity, new: Entity, widened: Collection[str]) -> Iterator[str]:
    before, after = ({each.name: each for each in entity.attributes} for entity in (old, new))
    for name in dict.fromkeys((*before, *after)):
        if name not in after:
            yield f"`{old.name}.{name}` is gone: {_LEFT}"
        elif name not in before:
            was = maybe_called(after[name], old, new)
            yield f"`{old.name}.{name}` is new: {_given(after[name])} if a document has no such field{'; ' * bool(was)}{was}"
        elif before[name] != after[name]:
            words = attribute_words(before[name]), attribute_words(after[name])
            if words[0] != words[1]:
                stored = _stored(before[name], after[name], widened=name in widened)
                yield f"`{old.name}.{name}` was {words[0]} and is now {words[1]}{stored}"


def maybe_called(attribute: Attribute, old: Entity, new: Entity) -> str:
    """What to say of an attribute that is new where one of its type is gone, and may be what it was called; else nothing."""
    gone = [each for each in old.attributes if each.name not in new and each.name not in old.key]
    alike = [each.name for each in gone if each.type.name is attribute.type.name]
    if not alike:
        return ""
    return (
        f"if it is {name_list(alike, ' or ')} under a new name, add `--renamed {new.name}.{alike[0]}={attribute.name}`"
    )


def _stored(before: Attribute, after: Attribute, *, widened: bool) -> str:
    """What becomes of the values there are."""
    if widened:
        return ": its numbers are converted"
    if before.type == after.type:
        return ""
    mend = (
        "; to convert its numbers, run `UPDATE … SET column = column + 0` after the cutover"
        if _is_coarser(before, after)
        else ""
    )
    return f": stored values stay as they are, including their digits and length{mend}"


def _is_coarser(before: Attribute, after: Attribute) -> bool:
    """Whether decimals have fewer digits after the point now."""
    if not before.type.name is after.type.name is TypeName.DECIMAL:
        return False
    digits = scale_of(before.type), scale_of(after.type)
    return digits[1] is not None and (digits[0] is None or digits[0] > digits[1])


def _given(attribute: Attribute) -> str:
    """What rows have that were there before the attribute."""
    if attribute.default is None:
        return "NULL"
    default = default_words(attribute.default)
    return default if filled_value(attribute) is not None else f"NULL, not its default {default},"
