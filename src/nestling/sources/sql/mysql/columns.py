"""MySQL columns as in the model – lengths, labels, fractional seconds – if rows and keys with them fit."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from nestling.ir.fraction import MOST_DIGITS
from nestling.ir.statements.operators import Collation
from nestling.ir.text.sql_quotes import sql_text
from nestling.ir.types import MOMENTS, TypeName

if TYPE_CHECKING:
    from nestling.ir.model import Attribute, Entity

KEY_CHARACTERS = 190
"""Text in a key needs a length; this many characters of four bytes fit the shortest limit of any version."""
KEY_BYTES = 3_072
"""The most bytes of a key's columns."""
ROW_BYTES = 65_535
"""The most bytes of a row's columns; of texts without a length a pointer counts."""
_LETTER, _OTHER = 4, 32
"""The most bytes of a letter, and of a value of any other type: of a decimal, or of the pointer to a long text."""
_MOST_CHARACTERS = 16_383
_MOST_OF_CHAR = 255
_MOST_LABELS = 1_000


def text_words(attribute: Attribute, *, keyed: bool) -> str:
    """The type of a column of texts."""
    length = _length(attribute)
    if length is not None and attribute.type.is_char and length <= _MOST_OF_CHAR and not attribute.also:
        return f"char({length})"
    if keyed:
        return f"varchar({min(length or KEY_CHARACTERS, KEY_BYTES // _LETTER)})"
    is_short = length is not None and length <= _MOST_CHARACTERS and not attribute.also
    return f"varchar({length})" if is_short else "longtext"


def enum_words(attribute: Attribute) -> str:
    """The column type of an enum, or of texts if there are other values or labels that MySQL considers equal."""
    labels = attribute.type.values
    is_fit = all(
        label and len(label) <= _MOST_OF_CHAR and label.isprintable() and label == label.strip() for label in labels
    )
    if attribute.collation is not Collation.BINARY:
        is_fit = is_fit and all(map(str.isascii, labels)) and len({label.casefold() for label in labels}) == len(labels)
    if attribute.also or not is_fit or not 0 < len(set(labels)) == len(labels) <= _MOST_LABELS:
        return "text"
    return f"enum({','.join(sql_text(label).replace(chr(92), chr(92) * 2) for label in labels)})"


def moment_words(attribute: Attribute) -> str:
    """The type of a column of moments: of as many digits of a second as the source's has."""
    digits = digits_kept(attribute)
    return f"datetime({digits})" if digits else "datetime"


def digits_kept(attribute: Attribute) -> int:
    """The fractional digits of a timestamp column; all possible ones if the source has more than the model."""
    kept = attribute.fraction
    is_known = kept is not None and not kept.source_is_finer and attribute.type.fraction_digits <= kept.digits
    return kept.digits if kept is not None and is_known else MOST_DIGITS


def fitting(entity: Entity, groups: Iterable[Sequence[str]]) -> Entity:
    """The entity with shorter texts in keys, and some others without a length, where they would be too long for MySQL.

    `groups` are the attributes of each of its keys, unique groups and foreign keys, on either side.
    """
    groups = [*groups]
    keyed = {name for group in groups for name in group}
    for group in groups:
        entity = _shortened(entity, group)
    while _width(entity, keyed) > ROW_BYTES:
        free = [each for each in entity.attributes if each.name not in keyed and _length(each) is not None]
        free = [each for each in free if text_words(each, keyed=False) != "longtext"]
        if not free:
            break
        widest = max(free, key=_bytes)
        entity = _with(entity, replace(widest, type=replace(widest.type, numbers=())))
    return entity


def _shortened(entity: Entity, group: Sequence[str]) -> Entity:
    """The entity with texts shortened to a length that fits if those of a key are too long together."""
    parts = [entity.attribute(name) for name in group]
    if sum(_bytes(each, keyed=True) for each in parts) <= KEY_BYTES and not any(map(_is_cut, parts)):
        return entity
    for each in parts:
        length = _length(each)
        if length is not None and length > KEY_CHARACTERS:
            entity = _with(entity, replace(each, type=replace(each.type, numbers=(KEY_CHARACTERS,), carried="")))
    return entity


def _is_cut(attribute: Attribute) -> bool:
    return (_length(attribute) or 0) > KEY_BYTES // _LETTER


def _with(entity: Entity, attribute: Attribute) -> Entity:
    changed = (attribute if each.name == attribute.name else each for each in entity.attributes)
    return replace(entity, attributes=tuple(changed))


def _length(attribute: Attribute) -> int | None:
    """The most characters of a plain text or `char`; None without a declared length."""
    kind = attribute.type
    is_plain = kind.name is TypeName.TEXT and not kind.values and (not kind.carried or kind.is_char)
    return kind.numbers[0] if is_plain and len(kind.numbers) == 1 and kind.numbers[0] > 0 else None


def _width(entity: Entity, keyed: Collection[str]) -> int:
    """The most bytes of a row, including the bytes for NULL flags."""
    return sum(_bytes(each, keyed=each.name in keyed) for each in entity.attributes) + len(entity.attributes) // 8 + 1


def _bytes(attribute: Attribute, *, keyed: bool = False) -> int:
    kind, length = attribute.type.name, _length(attribute)
    if length is not None and text_words(attribute, keyed=keyed) != "longtext":
        return length * _LETTER + 2
    if kind in MOMENTS or kind is TypeName.INTEGER:
        return 8
    if keyed and kind in (TypeName.TEXT, TypeName.ENUM, TypeName.BYTES):
        return KEY_CHARACTERS * _LETTER + 2
    return {TypeName.TIME: 82, TypeName.INTERVAL: 322, TypeName.UUID: 144, TypeName.OBJECT_ID: 96}.get(kind, _OTHER)
