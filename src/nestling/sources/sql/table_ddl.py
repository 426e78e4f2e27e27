"""A model's entities as CREATE TABLE statements whose columns keep every conceptual value exactly."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from nestling.ir.constraints.condition_text import Writing, condition_text
from nestling.ir.constraints.defaults import ComputedAttribute
from nestling.ir.statements.sql_dialects import MYSQL, POSTGRESQL, SQLITE
from nestling.sources.row_checks import compares_alike
from nestling.sources.sql.check_ddl import check_ddl, row_check_ddl
from nestling.sources.sql.default_ddl import default_ddl
from nestling.sources.sql.engines import engine_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from nestling.ir.constraints.partial_unique import PartialUnique
    from nestling.ir.constraints.row_check import RowCheck
    from nestling.ir.model import Attribute, Entity, Model, Relationship


def place_of(entity: str, dialect: str) -> tuple[str | None, str]:
    """Schema and table of an entity: a single name without schemas."""
    schema, dot, name = entity.partition(".")
    return (schema, name) if engine_of(dialect).has_schemas and dot and schema and name else (None, entity)


def quote(name: str, preparer: Any) -> str:
    """A name in the dialect's quotes; some preparers double percent signs for drivers that take them for parameters."""
    quoted: str = preparer.quote_identifier(name)
    return quoted.replace("%%", "%") if "%%" in preparer.quote_identifier("%") else quoted


def writing_of(dialect: str, preparer: Any) -> Writing:
    """How the dialect writes names and texts."""
    return Writing(lambda name: quote(name, preparer), engine_of(dialect).text_literal)


def keyed_alike(entity: Entity, model: Model, dialect: str) -> Entity:
    """The entity with foreign keys of the same types as their parents' keys, as servers require."""
    alike = replace(entity, attributes=tuple(_keyed_alike(a, entity, model, dialect) for a in entity.attributes))
    links = (link.child_attributes for link in declared(model.parents_of(entity.name)))
    return engine_of(dialect).fitting(alike, [*filter(None, (entity.key, *entity.uniques)), *links])


def _keyed_alike(attribute: Attribute, entity: Entity, model: Model, dialect: str) -> Attribute:
    own = engine_of(dialect).ranged(attribute)
    key = _key_referred_to(attribute, entity, model, frozenset())
    if key is None:
        return own
    ranged = engine_of(dialect).ranged(key)
    return replace(
        own,
        type=ranged.type,
        also=tuple(dict.fromkeys((*own.also, *ranged.also))),
        collation=own.collation if _is_keyed(own.name, entity) else ranged.collation,
    )


def _key_referred_to(
    attribute: Attribute, entity: Entity, model: Model, seen: frozenset[tuple[str, str]]
) -> Attribute | None:
    """The attribute at the end of the chain of foreign keys of the same type from this one; None if there is none."""
    found = None
    for link in model.parents_of(entity.name):
        parent = model.entity(link.parent)
        for child, name in zip(link.child_attributes, link.parent_attributes, strict=True):
            key = parent.attribute(name)
            if child == attribute.name and key.type.name is attribute.type.name and (parent.name, name) not in seen:
                met = seen | {(entity.name, child), (parent.name, name)}
                found = _key_referred_to(key, parent, model, met) or key
    return found


def create_table(entity: Entity, links: Sequence[Relationship], dialect: str, preparer: Any) -> str:
    """The CREATE TABLE statement; the foreign keys `links` are declared in it where they cannot be added later (SQLite)."""
    words = declared_columns(entity, links, dialect)
    parts = [_column(a, entity, declared, dialect, preparer) for a, declared in words]
    if entity.key:
        parts.append(f"PRIMARY KEY ({_names(entity.key, preparer)})")
    parts.extend(f"UNIQUE ({_names(unique, preparer)})" for unique in entity.uniques)
    if engine_of(dialect).declares_links_first:
        parts.extend(_foreign_key(link, dialect, preparer) for link in declared(links))
    checks = (check_ddl(a, entity, quote(a.name, preparer), declared, dialect) for a, declared in words)
    parts.extend(filter(None, checks))
    parts.extend(row_checks(entity, words, dialect, preparer).values())
    options = engine_of(dialect).table_options
    return f"CREATE TABLE {_table(entity.name, dialect, preparer)} (\n  " + ",\n  ".join(parts) + f"\n){options}"


def row_checks(
    entity: Entity, columns: Sequence[tuple[Attribute, str]], dialect: str, preparer: Any
) -> dict[RowCheck, str]:
    """The constraints for row checks, each with its name if the table allows names for them."""
    declared = {each.name: words for each, words in columns}
    names: set[str] = set()
    found: dict[RowCheck, str] = {}
    for check in entity.checks:
        ddl = row_check_ddl(check, entity, declared, dialect, writing_of(dialect, preparer))
        is_named = check.name and check.name not in names and engine_of(dialect).statements != MYSQL
        names.add(check.name)
        if ddl:
            found[check] = f"CONSTRAINT {quote(check.name, preparer)} {ddl}" if is_named else ddl
    return found


def partial_indexes(entity: Entity, dialect: str, preparer: Any) -> Iterator[tuple[PartialUnique, str, str]]:
    """The partial unique indexes of an entity's table, if supported: each with its name and its statement."""
    for number, unique in enumerate(entity.partial_uniques):
        if not is_declared(unique, entity, dialect):
            continue
        name = unique.name or f"{place_of(entity.name, dialect)[1]}_unique_{number + 1}"
        on = f"{_table(entity.name, dialect, preparer)} ({', '.join(_keys(unique, preparer))})"
        where = condition_text(unique.condition, writing_of(dialect, preparer))
        yield unique, name, f"CREATE UNIQUE INDEX {quote(name, preparer)} ON {on} WHERE {where}"


def is_declared(unique: PartialUnique, entity: Entity, dialect: str) -> bool:
    """Whether an index of the dialect can be over the same rows."""
    statements = engine_of(dialect).statements
    is_known = statements != MYSQL and (not unique.lower or unique.ascii is (statements == SQLITE))
    return is_known and compares_alike(unique.condition, entity, statements)


def _keys(unique: PartialUnique, preparer: Any) -> Iterator[str]:
    names = ((name, quote(name, preparer)) for name in unique.attributes)
    return (f"lower({quoted})" if name in unique.lower else quoted for name, quoted in names)


def staged_types(entity: Entity, model: Model, dialect: str) -> dict[str, str]:
    """The column types of a table of ours, as wide as they may become, by attribute."""
    keyed = keyed_alike(entity, model, dialect)
    links = model.parents_of(entity.name)
    wide = replace(keyed, attributes=widened(keyed, links, dialect))
    words = declared_columns(wide, links, dialect)
    return {each.name: _type(each, declared, dialect) for each, declared in words}


def create_staged(name: str, place: Attribute, types: Mapping[str, str], dialect: str, preparer: Any) -> str:
    """The statement that creates a temporary table with such columns and a position: all nullable, for any row."""
    words = {place.name: column_words(place, dialect), **types}
    columns = (f"{quote(column, preparer)} {declared}" for column, declared in words.items())
    key = f"PRIMARY KEY ({quote(place.name, preparer)})"
    options = engine_of(dialect).table_options
    return f"CREATE TEMPORARY TABLE {quote(name, preparer)} ({', '.join((*columns, key))}){options}"


def declared_columns(entity: Entity, links: Sequence[Relationship], dialect: str) -> list[tuple[Attribute, str]]:
    """The attributes with the types of their columns."""
    keyed = _indexed(entity, links)
    return [(a, column_words(a, dialect, keyed=a.name in keyed)) for a in entity.attributes]


def widened(entity: Entity, links: Sequence[Relationship], dialect: str) -> tuple[Attribute, ...]:
    """The attributes with columns for longer texts and finer moments; each is itself where its column is never changed."""
    keyed = _indexed(entity, links)
    return tuple(engine_of(dialect).widened(a, keyed=a.name in keyed) for a in entity.attributes)


def _indexed(entity: Entity, links: Sequence[Relationship]) -> frozenset[str]:
    linked = {name for link in declared(links) for name in link.child_attributes}
    return frozenset(linked.union(entity.key, *entity.uniques))


def declared(links: Sequence[Relationship]) -> tuple[Relationship, ...]:
    """The relationships that become foreign keys: later rows need not satisfy those that the source does not enforce."""
    return tuple(link for link in links if link.enforced)


def foreign_key_ddl(link: Relationship, model: Model, dialect: str, preparer: Any) -> str:
    """The statement that adds a relationship's foreign key to its child's table."""
    table = _table(model.entity(link.child).name, dialect, preparer)
    return f"ALTER TABLE {table} ADD {_foreign_key(link, dialect, preparer)}"


def _table(entity: str, dialect: str, preparer: Any) -> str:
    schema, name = place_of(entity, dialect)
    return f"{quote(schema, preparer)}.{quote(name, preparer)}" if schema else quote(name, preparer)


def _names(names: Sequence[str], preparer: Any) -> str:
    return ", ".join(quote(name, preparer) for name in names)


def undeclared_defaults(entity: Entity, dialect: str) -> tuple[str, ...]:
    """The attributes whose default the columns cannot express."""
    return tuple(
        each.name
        for each in entity.attributes
        if not isinstance(each.default, ComputedAttribute)
        and default_ddl(each, entity, column_words(each, dialect, keyed=_is_keyed(each.name, entity)), dialect) is None
    )


def retyped_column(entity: Entity, links: Sequence[Relationship], name: str, dialect: str, preparer: Any) -> str:
    """The statement that gives a column of an entity's table the type that its attribute has now."""
    attribute, kind = next(each for each in declared_columns(entity, links, dialect) if each[0].name == name)
    declared = _column(attribute, entity, kind, dialect, preparer)
    return engine_of(dialect).retyped(_table(entity.name, dialect, preparer), quote(name, preparer), kind, declared)


def _is_keyed(name: str, entity: Entity) -> bool:
    return any(name in group for group in (entity.key, *entity.uniques))


def _column(attribute: Attribute, entity: Entity, declared: str, dialect: str, preparer: Any) -> str:
    default = default_ddl(attribute, entity, declared, dialect) or ""
    required = "" if attribute.nullable else "NOT NULL"
    return " ".join(filter(None, (_name_and_type(attribute, declared, dialect, preparer), required, default)))


def _name_and_type(attribute: Attribute, declared: str, dialect: str, preparer: Any) -> str:
    return f"{quote(attribute.name, preparer)} {_type(attribute, declared, dialect)}"


def _type(attribute: Attribute, declared: str, dialect: str) -> str:
    return " ".join(filter(None, (declared, engine_of(dialect).column_collation(attribute))))


def _foreign_key(link: Relationship, dialect: str, preparer: Any) -> str:
    own, theirs = _names(link.child_attributes, preparer), _names(link.parent_attributes, preparer)
    only = f" ({_names(link.on_delete_columns, preparer)})" if link.on_delete_columns else ""
    is_left = link.on_delete.value == "restrict" or (only and dialect != POSTGRESQL)
    action = "" if is_left else f" ON DELETE {link.on_delete.value.upper()}{only}"
    action += "" if link.on_update.value == "restrict" else f" ON UPDATE {link.on_update.value.upper()}"
    return f"FOREIGN KEY ({own}) REFERENCES {_table(link.parent, dialect, preparer)} ({theirs}){action}"


def column_words(attribute: Attribute, dialect: str, *, keyed: bool = False) -> str:
    """The type of the column that keeps an attribute's values."""
    return engine_of(dialect).column_words(attribute, keyed=keyed)
