"""Fields that hold values of different types.

Why: MongoDB compares only values of the same type. A query for the number 4 does not find the text "4"; a range skips values of
another type; a sort puts all numbers before all texts.

All numbers count as one type, but a decimal fraction does not equal a double with the same digits: a query for 0.1 finds one or
the other. So fractions of both types are a finding too. So are binary values of several subtypes, such as today's UUIDs (4) and
those of old drivers (3), which never equal each other.

Example: `rating` is a number in 2,485 documents and a text such as "4" in 63.

Remedy: convert to one type, and let a validator keep it that way. Collections whose names differ only in digits, such as one for
each month, get the same type: what suits the values of all of them.

- Fields named as a code (`zip`, `phone`, `sku`) become texts, and so do whole numbers among a majority of texts, unless the
  name is that of a quantity (`qty`, `price`).
- Otherwise the values become numbers if nine in ten texts are numbers, booleans if nine in ten texts are words for booleans
  (`"true"`, `"no"`) or fewer than half of the values are the numbers 0 and 1 among booleans, dates or ObjectIds if all texts
  are such, or else the main type if that takes some of each other type.
- Booleans become numbers only among more numbers, others than 0 and 1 among them. Where all the numbers are 0 and 1 but are the
  majority, or others are among more booleans, no conversion is proposed.
- ObjectIds and booleans never become texts: an ObjectId as a text no longer finds what it refers to, and an `on` of a setting
  is no word among others.
- UUIDs of both subtypes become today's (4), keys and references alike; references to keys of one subtype become that.
- Numbers become texts too if texts are in the majority and mostly not numbers, or if a text has zeros before its digits; a
  number that the server would round when writing it stays. If all texts, or all keys of the collection that the field refers
  to, are codes of one width, numbers get their lost zeros back. If both numbers and texts are suitable, the finding is
  `likely`: check whether the type is the one you mean.
- No text becomes a number that would be written differently: `1.10` stays, because it may be the version after `1.9`, while
  `1.25` becomes a number. Only if all texts, at least three, have two decimals, like amounts of money, and there are numbers
  among them, does `1.10` become a number too.

The command leaves values that cannot be converted, and the finding says how many these are and why; run the first command again
to find the rest and correct it by hand. Texts of dates without a time zone are read as UTC; the finding says so. If the field
has a unique index, 3 and "3" would become one value: the second command finds such values, which must be corrected first. If it
has a TTL index, no text becomes a date for which MongoDB would delete the document: such texts stay. If the collection's
validator refuses writes, its type takes precedence, documents that it would refuse stay, and a separate command shows them. If
no type suits the others, such as numbers among dates, which do not say whether they count seconds or milliseconds, no
conversion is proposed.

Ignore when: the field is meant to hold anything. Null, integers among floating-point numbers, and texts among dates that no
date can represent, such as `0000-00-00` or `infinity`, do not count as mixed. Nor do texts and JSON that nestling loaded as
binary of subtypes 128 to 130, because BSON cannot hold them unchanged, among other texts, dates and documents.
"""

from __future__ import annotations

from collections.abc import Iterator

from nestling.doctor.code_widths import code_width
from nestling.doctor.common_type import (
    are_amounts,
    is_guessed,
    numbers_left,
    one_type,
    texts_left,
    types_after,
    zoneless,
)
from nestling.doctor.converting import UNCONVERTED_STAYS, asks_by_type, converting, converting_elements, finding, number
from nestling.doctor.expiring import has_outdated, outdated_first, ttl_index
from nestling.doctor.guards import single
from nestling.doctor.own_rules import allowed_kinds, allowed_number
from nestling.doctor.rule import Rule, RuleInput, Threshold
from nestling.doctor.setting import REFUSED_STAY, UNGUARDED, setting, while_fenced
from nestling.doctor.sibling_collections import in_all, siblings
from nestling.doctor.unique_values import equal_afterwards, equal_first, unique_indexes
from nestling.doctor.value_kinds import is_empty, kinds_of, unequal_numbers
from nestling.doctor.words import confidence, sampled_share
from nestling.ir.facts import ELEMENT, CollectionFacts, PathFacts
from nestling.ir.facts.binary_kinds import OF_UUIDS, UUID, binary_of
from nestling.ir.facts.path import NULL_TYPES
from nestling.ir.facts.steps import is_plain
from nestling.ir.finding import Confidence, FieldChange, Finding, Severity
from nestling.ir.quantity_words import agreeing, count

RULE = Rule(
    "Mixed types",
    Severity.WARNING,
    (Threshold("values", "values that are not of the field's main type", "values", {"nestling": 0}),),
    by_field=True,
)


_LOST_ZEROS = " Numbers have lost their leading zeros, such as the one of `01067`: add them by hand."


def findings(seen: RuleInput) -> Iterator[Finding]:
    """Paths with more than one type."""
    among = siblings(seen.facts.of_documents())
    for collection in seen.facts.of_documents():
        for path in collection.paths:
            kinds = kinds_of(path)
            rare = sum(kinds.values()) - next(iter(kinds.values()), 0)
            if rare > seen.limits["values"].value and not collection.spatial(path):
                yield _finding(seen, collection, path, kinds, in_all(path, collection, among))
            elif min(unequal_numbers(path)) > seen.limits["values"].value:
                yield _of_numbers(seen, collection, path)


def _finding(
    seen: RuleInput, collection: CollectionFacts, path: PathFacts, kinds: dict[str, int], everywhere: PathFacts
) -> Finding:
    """`everywhere`: the path in the collection and in its siblings, for whose values the type is chosen."""
    sample = None if path.exact else collection.sample
    named = allowed_kinds(collection, path)
    target = one_type(everywhere, kinds_of(everywhere), named)
    target = _uuids(seen, collection, path, kinds) or (target if target in kinds else "")
    kinds = {target: kinds[target]} | kinds if target else kinds
    main, *others = kinds
    odd = sum(kinds[kind] for kind in others)
    width = code_width(seen.facts, collection, path) if target == "string" and "number" in kinds else 0
    commands = _commands(collection, path, kinds, target, width)
    is_counted = target and target not in OF_UUIDS
    indexes = unique_indexes(collection, path) if is_counted and len(commands) > 1 else []
    names = {kind: "the empty text" if is_empty(path, kind) else kind for kind in kinds}
    said = ", ".join(f"{names[kind]} in {count(times)}" for kind, times in kinds.items())
    return seen.finding(
        collection,
        path.text,
        f"{said} ({sampled_share(odd, sum(kinds.values()), sample)} are not {main})",
        number=odd,
        limit="values",
        cost=_cost(main, others),
        remedy=(outdated_first(collection, path.field) if target == "date" else "")
        + equal_first(indexes)
        + _keys_first(seen, collection, path, kinds, target)
        + _remedy(path, kinds, target, said, commands=len(commands), width=width)
        + while_fenced(collection),
        commands=(
            *commands[:1],
            *equal_afterwards(collection, path, indexes, _into(collection, path, target)),
            *commands[1:],
        ),
        evidence=dict(kinds),
        confidence=Confidence.LIKELY if not named and is_guessed(path, kinds, target) else confidence(collection),
        changes=_changes(collection, path, kinds, target) if len(commands) > 1 and target not in OF_UUIDS else (),
    )


def _uuids(seen: RuleInput, collection: CollectionFacts, path: PathFacts, kinds: dict[str, int]) -> str:
    """The kind for UUIDs of both kinds: that of the key they refer to, if it has one, else today's; "" for other values."""
    if kinds.keys() != OF_UUIDS.keys():
        return ""
    for reference in seen.facts.references:
        if (reference.database, reference.collection, reference.steps) == (
            collection.database,
            collection.name,
            path.steps,
        ):
            target = seen.facts.collection(reference.database, reference.target)
            key = target.path(*reference.target_field.split(".")) if target is not None else None
            found = {binary_of(subtype) for subtype, _ in key.subtypes} if key is not None else set()
            if len(found) == 1 and found <= OF_UUIDS.keys():
                return found.pop()
    return binary_of(UUID)


def _keys_first(
    seen: RuleInput, collection: CollectionFacts, path: PathFacts, kinds: dict[str, int], target: str
) -> str:
    """A caution if keys elsewhere have the same types: references to them would dangle after the conversion."""
    if not target or path.text == "_id":
        return ""
    for other in seen.facts.of_documents():
        keys = other.path("_id")
        if other.name != collection.name and keys is not None and {*kinds} == {*kinds_of(keys)}:
            return (
                f"`_id` of `{other.name}` has these types, too: if this field refers to it, give that one type first. "
            )
    return ""


def _of_numbers(seen: RuleInput, collection: CollectionFacts, path: PathFacts) -> Finding:
    """Fractions as decimals and as doubles: decimals can represent both."""
    decimals, fractions = unequal_numbers(path)
    sample = None if path.exact else collection.sample
    field, doubles = path.field, path.count("double")
    asked = allowed_number(collection, path)
    commands: tuple[str, ...] = ()
    if is_plain(path.steps):
        commands = (finding(collection, field, ["double"]),)
        if asked in ("", "decimal") and ELEMENT not in path.steps and path.steps[0] != "_id":
            text = {"$toString": f"${field}"}
            made = {"$convert": {"input": text, "to": "decimal", "onError": f"${field}"}}
            commands += setting(collection, single(field, {"$type": "double"}), field, made)
    return seen.finding(
        collection,
        path.text,
        f"decimal in {count(decimals)}, double with a fraction in {count(fractions)}"
        f" ({sampled_share(fractions, decimals + fractions, sample)} are not decimal)",
        number=min(decimals, fractions),
        limit="values",
        cost="a decimal does not equal a double with the same digits: a query for 0.1 finds values of only one type",
        remedy=f"Convert the doubles ({count(doubles)}) to decimal, which is right for money, and let a validator"
        " keep it that way; for measurements, double throughout is right. First deploy an application that"
        " reads and writes decimals: drivers return them as a type of their"
        f" own.{REFUSED_STAY if len(commands) > UNGUARDED else while_fenced(collection)}",
        commands=commands,
        evidence={"decimal": decimals, "double": doubles, "fractions": fractions},
        confidence=confidence(collection),
    )


def _cost(main: str, others: list[str]) -> str:
    if "array" in (main, *others):
        return (
            "every reader must handle both one value and several; a sort uses the smallest or largest value of an array"
        )
    return f"queries and sorts by {main} miss the {' and '.join(others)} values"


def _is_list_or_value(main: str, others: list[str]) -> bool:
    """Whether the path holds sometimes one value and sometimes an array of them."""
    return "array" in (main, *others) and "object" not in (main, *others)


def _remedy(path: PathFacts, kinds: dict[str, int], target: str, said: str, *, commands: int, width: int) -> str:
    """What to do: an `_id` cannot be changed, and for a mixture of a value and a list, the list holds both."""
    main, *others = kinds
    kept = "let a validator keep it that way"
    if path.steps[0] == "_id":
        kind = target or main
        return f"Rewrite these documents with an `_id` of type {kind}, update what refers to them, and {kept}."
    if _is_list_or_value(main, others):
        refused = REFUSED_STAY if commands > UNGUARDED else ""
        return f"Always store an array, with one element where there is one value, and {kept}.{refused}"
    if not target:
        return (
            f"None of these types can hold the values of the others ({said}): choose one by what the values mean,"
            f" correct the others by hand, and {kept}."
        )
    some = ", ".join(f"{count(kinds[kind])} of type {kind}" for kind in others)
    if commands > 1:
        left = _left(path, kinds, target, width) + (REFUSED_STAY if commands > UNGUARDED else "")
        return (
            f"Convert what is not {target} ({some}) to {target}: {UNCONVERTED_STAYS}.{left} Correct what stays by hand, and"
            f" {kept}. {asks_by_type(others)}"
        )
    return f"Convert what is not {target} ({some}) to {target}, correct by hand what cannot be converted, and {kept}."


def _left(path: PathFacts, kinds: dict[str, int], target: str, width: int) -> str:
    """How many of the values stay as they are, and why."""
    if target == "date":
        return _zone(path) + _texts_left(path, kinds, target)
    if target == "string":
        left = numbers_left(path) if "number" in kinds else 0
        stay = agreeing(left, "stays", "stay")
        them = agreeing(left, "it", "them")
        rounded = f" Of these numbers, {count(left)} {stay} because the server would round {them}." if left else ""
        if width:
            return f"{rounded} Numbers get the leading zeros they have lost: all texts have {width} digits."
        return rounded + (_LOST_ZEROS if "number" in kinds and "code" in dict(path.forms) else "")
    return _texts_left(path, kinds, target)


def _zone(path: PathFacts) -> str:
    """How texts without a time zone are read, and where to say otherwise."""
    times = zoneless(path)
    if not times:
        return ""
    return (
        f" Of these texts, {count(times)} {agreeing(times, 'names', 'name')} no time zone and {agreeing(times)} read"
        " as UTC: if another is meant, set `timezone:` in the command, such as `timezone: 'Europe/Berlin'`."
    )


def _texts_left(path: PathFacts, kinds: dict[str, int], target: str) -> str:
    """How many of the texts stay as they are, and why."""
    otherwise, others = texts_left(path, target, kinds.get("string", 0))
    reasons = []
    if otherwise:
        stay = agreeing(otherwise, "stays", "stay")
        reasons.append(
            f"{count(otherwise)} {stay} because a number would be written differently (`1.10` would become `1.1`:"
            " the same amount, but another version)"
        )
    if others:
        reasons.append(f"{count(others)} cannot be read as {target}")
    return f" Of these texts, {' and '.join(reasons)}." if reasons else ""


def _changes(
    collection: CollectionFacts, path: PathFacts, kinds: dict[str, int], target: str
) -> tuple[FieldChange, ...]:
    """The types of its values after the commands."""
    main, *others = kinds
    if _is_list_or_value(main, others):
        return (FieldChange(path.steps, types=(*(name for name in NULL_TYPES if path.count(name)), "array")),)
    stay = others if target == "date" and has_outdated(collection, path.field) else ()
    return (FieldChange(path.steps, types=tuple(dict.fromkeys((*stay, *types_after(path, others, target))))),)


def _commands(
    collection: CollectionFacts, path: PathFacts, kinds: dict[str, int], target: str, width: int
) -> tuple[str, ...]:
    """Commands that find the values of other types, and convert them if one update can; the rest stays."""
    if not is_plain(path.steps):
        return ()
    field, (main, *others) = path.field, kinds
    found = finding(collection, field, others)
    if _is_list_or_value(main, others) and "[]" not in path.steps:
        which = single(field, {"$exists": True, "$ne": None})
        return found, *setting(collection, which, field, [f"${field}"])
    if path.steps[0] == "_id" or not target:
        return (found,)
    into = _into(collection, path, target)
    if ELEMENT in path.steps:
        return found, *_of_elements(collection, path, others, into, width)
    amounts, zones = are_amounts(path), zoneless(path) > 0
    return found, *converting(collection, field, others, into, amounts=amounts, zoneless=zones, width=width)


def _into(collection: CollectionFacts, path: PathFacts, target: str) -> str:
    """The BSON type that the values of a type become."""
    return (allowed_number(collection, path) or number(path)) if target == "number" else target


def _of_elements(
    collection: CollectionFacts, path: PathFacts, kinds: list[str], into: str, width: int
) -> tuple[str, ...]:
    """Commands that convert elements of an array, or a field of documents in it; none if a TTL index uses the field."""
    if into == "date" and ttl_index(collection, path.field) is not None:
        return ()
    zones = zoneless(path) > 0
    amounts = are_amounts(path)
    return converting_elements(collection, path.steps, kinds, into, amounts=amounts, zoneless=zones, width=width)
