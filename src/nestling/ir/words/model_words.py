"""Where two models differ, in words."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace

from nestling.ir.constraints.defaults import (
    ComputedAttribute,
    ConstantDefault,
    Default,
    Generated,
    OtherDefault,
    written,
)
from nestling.ir.model import Attribute, Entity, Model
from nestling.ir.text.sql_quotes import sql_text


def difference(old: Model, new: Model) -> str:
    """The first place where they differ, their names last; empty when they are the same."""
    if old != new and is_renamed(old, new):
        return f"the old model is called `{old.name}`, the new one `{new.name}`"
    return next(_differences(old, new), "" if old == new else "the models differ in order, hierarchies or views")


def is_renamed(old: Model, new: Model) -> bool:
    """Whether nothing but the name may differ."""
    return replace(new, name=old.name) == old


def _differences(old: Model, new: Model) -> Iterator[str]:
    entities, others = ({each.name: each for each in model.entities} for model in (old, new))
    yield from _alone("entity", entities, others)
    for name in entities:
        yield from _of_entity(entities[name], others[name])
    links, other_links = ({each.name: each for each in model.relationships} for model in (old, new))
    yield from _alone("relationship", links, other_links)
    yield from (f"relationship `{name}` has changed" for name in links if links[name] != other_links[name])
    if old.strict_types != new.strict_types:
        yield f"`strict_types` is {_truth(old.strict_types)} in the old model and {_truth(new.strict_types)} in the new one"


def _of_entity(old: Entity, new: Entity) -> Iterator[str]:
    attributes, others = ({each.name: each for each in entity.attributes} for entity in (old, new))
    yield from _alone(f"attribute of `{old.name}`", attributes, others)
    for name, one in attributes.items():
        if one != others[name]:
            yield f"`{old.name}.{name}` was {attribute_words(one)} and is now {attribute_words(others[name])}"
    if (old.key, old.uniques, old.partial_uniques) != (new.key, new.uniques, new.partial_uniques):
        yield f"`{old.name}` has a different key or different unique attributes"
    if old.checks != new.checks:
        yield f"`{old.name}` has different checks"


def _truth(value: bool) -> str:
    return "true" if value else "false"


def _alone(what: str, old: Collection[str], new: Collection[str]) -> Iterator[str]:
    yield from (f"{what} `{name}` is only in the old model" for name in old if name not in new)
    yield from (f"{what} `{name}` is only in the new model" for name in new if name not in old)


def attribute_words(attribute: Attribute) -> str:
    """The type of an attribute and everything else declared about its values, in words."""
    also = f" (also {', '.join(map(str, attribute.also))})" if attribute.also else ""
    default = f" with the default {default_words(attribute.default)}" if attribute.default is not None else ""
    allowed = f" that allows {attribute.allowed}" if attribute.allowed is not None else ""
    fraction = f" that keeps {attribute.fraction}" if attribute.fraction is not None else ""
    return f"{attribute.type}{'' if attribute.nullable else ' NOT NULL'}{also}{allowed}{fraction}{default}"


def default_words(default: Default) -> str:
    """A default as SQL says it."""
    match default:
        case ConstantDefault(value=value):
            said = written(value)
            return sql_text(said) if isinstance(said, str) else str(said).lower()
        case Generated():
            return str(default)
        case ComputedAttribute(sql=sql) | OtherDefault(sql=sql):
            return sql
