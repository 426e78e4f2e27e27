"""What the names of fields and collections reveal about keys and references."""

from __future__ import annotations

import re
from enum import IntEnum

from nestling.common.words_in_names import singular_words, words
from nestling.ir.facts import ELEMENT
from nestling.ir.facts.structure import Steps

_IDS = frozenset({"id", "ids", "uuid", "guid", "ref", "refs", "fk", "key", "code", "no", "nr", "num", "number", "oid"})
_ORDINALS = frozenset({"seq", "line", "position", "index", "rank", "sku", "isbn", "slug", "iata", "icao", "ean"})
_NUMBERS = frozenset({"code", "no", "nr", "num", "number"})
_POSITIONS = frozenset({"n", "pos", "position", "idx", "index", "ord", "ordinal", "sequence"})
_GENERIC = frozenset({"id", "code", "key", "name", "number", "no", "uuid", "value", "type"})
_GLUED = re.compile(r"(?P<stem>[a-z]{3,})(?:ids?|no|key)")
_OWN = frozenset({"parent", "manager", "reports", "supervisor", "boss", "superior", "reply", "ancestor", "mentor"})
LEAST_ALIKE = 3
"""Letters an abbreviation must have."""


def last_name(steps: Steps) -> str:
    """The field's name a path ends in."""
    return next((step for step in reversed(steps) if step != ELEMENT), "")


def names_an_id(steps: Steps) -> bool:
    """Whether a column's name suggests that it identifies rows."""
    found = words(last_name(steps))
    return bool(found) and (found[-1] in _IDS | _ORDINALS or _GLUED.fullmatch(found[-1]) is not None)


def names_a_reference(steps: Steps) -> bool:
    """Whether a column's name suggests an id and cannot be a number: `editor_id`, not `table_no`."""
    found = words(last_name(steps))
    return names_an_id(steps) and found[-1] not in _ORDINALS | _NUMBERS


def names_a_position(steps: Steps) -> bool:
    """Whether a column's name says that it numbers the elements of an array: `n`, `position`, `line_seq`."""
    found = words(last_name(steps))
    return bool(found) and found[-1] in _POSITIONS


def is_generic(steps: Steps) -> bool:
    """Whether a column's name does not say what it belongs to: `_id`, `code`, `name`."""
    found = words(last_name(steps))
    return len(found) <= 1 and (not found or found[0] in _GENERIC)


def subject(steps: Steps) -> tuple[str, ...]:
    """The words for what a column refers to: `movie_id`, `movieIds` and `movie._id` are about a movie."""
    names = [step for step in steps if step != ELEMENT]
    found = words(names[-1])
    while found and found[-1] in _IDS:
        found = found[:-1]
    if not found and len(names) > 1:
        return subject(tuple(names[:-1]))
    if found and (glued := _GLUED.fullmatch(found[-1])):
        found = (*found[:-1], glued["stem"])
    return singular_words(found)


def entity_words(collection: str, node: Steps) -> tuple[str, ...]:
    """The words for the rows of a node, in the singular."""
    return singular_words(words(last_name(node) or collection))


def names_its_own(column: Steps, collection: str, node: Steps) -> bool:
    """Whether a column is called an id of these very rows, be it in short (`o_id`, of orders), or just an id."""
    mine, about = entity_words(collection, node), subject(column)
    return is_generic(column) or about == mine or (len(about) == 1 and bool(mine) and mine[-1].startswith(about[0]))


def is_own_id(column: Steps, collection: str, node: Steps) -> bool:
    """Whether a column is called the id of these very rows: `_id`, `uuid`, `comment_id` of comments."""
    said = words(last_name(column))
    return bool(said) and said[-1].endswith("id") and names_an_id(column) and names_its_own(column, collection, node)


class NameClarity(IntEnum):
    """How clearly a column's name says that it refers to a key."""

    NOT = 0
    BY_INITIAL = 1  # `d_w_id`, of warehouses
    IN_SHORT = 2  # `dept_no`, of departments
    OWN = 3  # a word for rows of the same table: `reports_to`
    IN_A_ROLE = 4  # `manager_staff_id`, of staff
    PLAINLY = 5  # `staff_id`, of staff


def says(column: Steps, collection: str, node: Steps, key: Steps, *, own: bool) -> NameClarity:
    """How clearly a column's name refers to this key of a node's rows; `own`: they are in its own table."""
    about, target = subject(column), entity_words(collection, node)
    mine, theirs = words(last_name(column)), words(last_name(key))
    named = not is_generic(key)
    if named and mine == theirs:
        return NameClarity.PLAINLY
    if not about or not target:
        return NameClarity.NOT
    if "".join(about) == "".join(target):
        return NameClarity.PLAINLY
    if about[-len(target) :] == target or (named and mine[-len(theirs) :] == theirs):
        return NameClarity.IN_A_ROLE
    if own and _OWN & set(mine):
        return NameClarity.OWN
    if _is_short(about[0], target[0]) or _is_short(about[-1], target[-1]):
        return NameClarity.IN_SHORT
    initials = "".join(word[0] for word in target)
    return NameClarity.BY_INITIAL if about[-1] == initials and names_an_id(column) else NameClarity.NOT


def names_rows(column: Steps, collection: str, node: Steps, key: Steps) -> bool:
    """Whether a column's name says whose key it holds: `guest`, `guest_name` and `guest.name` are of guests, `name` is not."""
    target = entity_words(collection, node)
    about, every = subject(column), tuple(word for step in column if step != ELEMENT for word in words(step))
    whole = (*target, *words(last_name(key)))
    return bool(target) and (about[-len(target) :] == target or every[-len(whole) :] == whole)


def _is_short(one: str, other: str) -> bool:
    """Whether one word abbreviates the other: its beginning, or some letters in order (`dept`, department)."""
    short, long = sorted((one, other), key=len)
    if len(short) < LEAST_ALIKE or short[0] != long[0]:
        return False
    common = next((n for n, (a, b) in enumerate(zip(short, long, strict=False)) if a != b), len(short))
    letters = iter(long)
    return common >= LEAST_ALIKE + 1 or common == len(short) or all(letter in letters for letter in short)


def without_prefix(name: str) -> tuple[str, ...]:
    """The words of a name without a short one at its front: `ol_w_id` and `o_w_id` are both w, id."""
    found = words(name)
    return found[1:] if len(found) > 2 and len(found[0]) <= LEAST_ALIKE else found
