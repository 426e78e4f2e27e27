"""What names reveal: the role in a foreign key column's name, and the column with a row's subtype."""

from __future__ import annotations

import re
from collections.abc import Sequence

from nestling.ir.model import Entity

_KEY_SUFFIX = re.compile(r"(?<=[^\W_])(_(?:id|no|nr|num|number|fk|key|code|uuid|guid|ref)|Id|ID)$")
_KEY_SUFFIX_ANY_CASE = re.compile(r"(?<=[^\W_])_(?:id|no|nr|fk|key|uuid)$", re.IGNORECASE)
_TELLS_TYPE = re.compile(r"(?i:^(?:type|kind|dtype|discriminator)$|_(?:type|kind)$)|[a-z](?:Type|Kind)$")


def parent_role(columns: Sequence[str], parent: str) -> str:
    """The child's name for its parent: `author` for `author_id`; the parent's name if the columns do not show another one."""
    if len(columns) != 1 or columns[0].casefold() in ("id", "uuid", "key"):
        return parent
    column = columns[0]
    shorter = _KEY_SUFFIX.sub("", column)
    return shorter if shorter != column else _KEY_SUFFIX_ANY_CASE.sub("", column)


def discriminator(entity: Entity) -> str | None:
    """The attribute whose name suggests the subtype of a row: `type`, `kind`, `…_type`, simplest first."""
    found = [name for name in entity.attribute_names if _TELLS_TYPE.search(name) and name not in entity.key]
    return min(found, key=lambda name: ("_" in name, entity.attribute_names.index(name)), default=None)
