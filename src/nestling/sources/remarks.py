"""Notes on features of a source that a model lacks, in the same words for DDL files and live databases."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nestling.ir.milliseconds import cut_moments, fine_moments
from nestling.ir.model import Attribute, Entity, Model
from nestling.ir.quantity_words import agreeing, counted, first_of
from nestling.ir.statements.operators import Collation
from nestling.ir.storage.names import collection_name, stored_name
from nestling.ir.types import NUMBERS, TEXTS, TypeName

_MAYBE_NUMBERS = frozenset({TypeName.BOOLEAN, TypeName.ANY})
"""Types, other than those of numbers, whose values may equal numbers."""
MOST_COLUMNS_NAMED = 3
"""Names shown of a longer list."""


def carried(declared: str) -> str:
    """A type that has no conceptual one."""
    if declared.rpartition(".")[2] == "citext":
        return (
            f"type `{declared}` is carried as text whose comparisons ignore the case of A to Z; the case of other letters, "
            "which PostgreSQL ignores too except in databases with the C locale, matters in `=` and ORDER BY"
        )
    return f"type `{declared}` is stored as it is read, but cannot be computed with"


def computed(table: str, column: str) -> str:
    """The remark on a generated column."""
    return (
        f"`{table}.{column}` is computed by the database: it is stored as a plain attribute that statements recompute"
    )


def widths(columns: list[str]) -> Iterator[str]:
    """A note on MySQL's integers of less than 64 bits, if there are any."""
    if columns:
        are = agreeing(len(columns), "is an integer", "are integers")
        yield (
            f"{first_of(columns, MOST_COLUMNS_NAMED)} {are} of less than 64 bits, a limit that is lost: MongoDB takes any "
            "64-bit integer; if that matters, set `minimum` and `maximum` under `allowed` of the attribute in the model"
        )


def set_by_updates(table: str, column: str) -> str:
    """MySQL's ON UPDATE CURRENT_TIMESTAMP."""
    return f"`{table}.{column}` is ON UPDATE CURRENT_TIMESTAMP, which is not carried over: let each statement write the time"


def invisible(table: str, column: str) -> str:
    """MySQL's INVISIBLE columns."""
    return (
        f"`{table}.{column}` is INVISIBLE: in the source `SELECT *` and an INSERT without column names leave it out, here they "
        "do not"
    )


def view_left_out(view: str, *, materialized: bool) -> str:
    """A note on a view that is not used."""
    return f"{'materialized ' * materialized}view `{view}` is left out: its data is in its tables"


def sequence_left_out(name: str) -> str:
    """A note on MariaDB's sequence, which is listed among its tables."""
    return f"sequence `{name}` is left out: if a table takes its numbers from it, assign them in the application"


def history_left_out(table: str) -> str:
    """A note on a MariaDB table that keeps the history of its rows."""
    return f"`{table}` is WITH SYSTEM VERSIONING: its current rows are read, and their history is left out"


def routine_left_out(kind: str, name: str) -> str:
    """A note on something that a database executes itself: a trigger, a function; `kind` is its SQL keyword."""
    return f"{kind.lower()} `{name}` is left out: its work is left to the application"


def inherited(table: str, parent: str) -> str:
    """A table whose rows are another's, too, in the source."""
    return (
        f"`{table}` inherits from `{parent}`: in the source its rows are also rows of `{parent}`, here they are not; "
        f"statements over `{parent}` have to say `ONLY {parent}`, and name `{table}` where its rows are meant, too"
    )


def checked_at_end(tables: list[str]) -> Iterator[str]:
    """A note on tables with deferred foreign keys (one entry per key), if there are any."""
    if tables:
        keys, named = counted(len(tables), "foreign key"), first_of(list(dict.fromkeys(tables)), MOST_COLUMNS_NAMED)
        yield (
            f"{keys} of {named} {agreeing(len(tables))} checked when a transaction ends (INITIALLY DEFERRED);"
            " nestling checks each statement: write parents before their children. `unload` declares them without it"
        )


def policies_left_out(table: str) -> str:
    """A note on a table with row-level security."""
    return f"row-level security of `{table}` is left out: MongoDB has none, so each query of the application has to filter by it"


def unique_for_some(table: str) -> str:
    """A partial unique index."""
    return f"a unique index of `{table}` covers some rows only: it makes no attribute unique, the application has to enforce it"


def nulls_once(table: str, columns: Sequence[str]) -> str:
    """A UNIQUE NULLS NOT DISTINCT over columns that may be NULL."""
    return (
        f"UNIQUE NULLS NOT DISTINCT ({', '.join(columns)}) of `{table}` is read as UNIQUE: "
        "that NULL occurs once only is for the application to enforce"
    )


def unique_prefix(table: str, columns: Sequence[str], prefixes: Sequence[str]) -> str:
    """A unique index over the first characters of texts."""
    return (
        f"UNIQUE ({', '.join(columns)}) of `{table}` is over the first characters of {', '.join(prefixes)} in the source, and "
        "over all of them here: the application has to enforce it for texts that only begin alike"
    )


def checked_late(table: str, columns: Sequence[str]) -> str:
    """A DEFERRABLE key or UNIQUE constraint."""
    return (
        f"UNIQUE ({', '.join(columns)}) of `{table}`{IS_DEFERRABLE}: rows may break it until a statement or transaction ends; "
        "nestling checks each document that is written: where rows swap values, give them values of no row first. `unload` "
        "declares it without DEFERRABLE"
    )


IS_DEFERRABLE = " is DEFERRABLE"


def unique_by_expression(table: str, index: str = "") -> str:
    """A note on a unique index over an expression; `index`: its name and keys, if known."""
    named = f"unique index {index}" if index else "a unique index"
    return (
        f"{named} of `{table}` is over an expression: it makes no attribute unique, the application has to enforce it"
    )


def unique_as_read(model: Model) -> Iterator[str]:
    """A note on texts that are unique by a language's rules together with others that are not, if there are any.

    The server compares all texts of an index in the same way: exactly, so that it refuses nothing that the source accepts.
    """
    told = [
        f"`{entity.name}.{attribute.name}`"
        for entity in model.entities
        for attribute in entity.attributes
        if any(attribute.name in group and _is_mixed(entity, group) for group in (entity.key, *entity.uniques))
        and attribute.type.name is TypeName.TEXT  # an enum keeps its labels in one spelling
        and attribute.collation is Collation.UNICODE_CI
    ]
    if told:
        are = agreeing(len(told))
        difference = "on MongoDB such texts are different values"
        yield f"{first_of(told, MOST_COLUMNS_NAMED)} {are} unique regardless of case and accents: {difference}"


def moments(model: Model) -> Iterator[str]:
    """A note on timestamps with microseconds, which become texts, and one on those cut to milliseconds."""
    cut, fine = _names(cut_moments(model)), _names(fine_moments(model))
    if cut:
        they = agreeing(len(cut), "is a date with milliseconds", "are dates with milliseconds")
        yield f"{first_of(cut, MOST_COLUMNS_NAMED)} {they}: finer digits are cut off when rows are read, as requested"
    if fine:
        have, are = agreeing(len(fine), "has", "have"), agreeing(len(fine), "it is", "they are")
        move = "keys are not cut" if cut else "use --milliseconds if milliseconds are enough"
        kept = f"{are} stored as ISO text, which sorts chronologically"
        why = f"{first_of(fine, MOST_COLUMNS_NAMED)} {have} microseconds, which BSON dates do not have"
        yield f"{why}: {kept}; {move}" if cut else f"{move}: {why}, so {kept}"


def _names(found: Iterator[tuple[Entity, Attribute]]) -> list[str]:
    return [f"`{entity.name}.{attribute.name}`" for entity, attribute in found]


def unlike_keys(model: Model) -> Iterator[str]:
    """A note on each foreign key of numbers that refers to anything else, or of anything else to numbers."""
    for link in model.relationships:
        child, parent = model.entity(link.child), model.entity(link.parent)
        for mine, its in zip(link.child_attributes, link.parent_attributes, strict=True):
            one, other = child.attribute(mine), parent.attribute(its)
            if _are_unlike(one, other):
                its_own = f"`{link.name}`: `{child.name}.{mine}` is {one.type}"
                refers = f"refers to `{parent.name}.{its}`, which is {other.type}"
                yield f"{its_own} and {refers}: values of different types are never equal; give both the same type"


def stored_otherwise(model: Model) -> Iterator[str]:
    """A note on names that MongoDB does not allow or reserves, with their replacements."""
    named = [(each.name, collection_name(each.name)) for each in model.entities]
    named += [
        (f"{each.name}.{attribute}", stored_name(attribute))
        for each in model.entities
        for attribute in each.attribute_names
        if stored_name(attribute) != attribute and each.key != (attribute,)
    ]
    found = [f"`{name}` as `{stored}`" for name, stored in named if name != stored]
    if found:
        why = "MongoDB does not allow names that are empty, start with `$` or `system.`, contain a dot or are `_id`"
        some = first_of(found, MOST_COLUMNS_NAMED)
        yield f"stored under other names: {some}: {why}; use these names in commands you write yourself"


def _are_unlike(one: Attribute, other: Attribute) -> bool:
    """Whether one holds only numbers and the other none."""
    names = [{each.name for each in (attribute.type, *attribute.also)} for attribute in (one, other)]
    if any(each & _MAYBE_NUMBERS for each in names):
        return False
    return bool(names[0] & NUMBERS) != bool(names[1] & NUMBERS)


def _is_mixed(entity: Entity, group: tuple[str, ...]) -> bool:
    texts = [each for each in map(entity.attribute, group) if each.type.name in TEXTS]
    return len({each.collation for each in texts}) > 1
