"""From declared tables to a `Model`: which foreign keys are relationships, their names, and what they form together.

Every relational source ends here, so that a DDL file and the live database created from it yield the same model. The rules:

- a foreign key is a relationship; over unique columns, or over the child's own key, it is 1:1;
- names are `<parent>_<child>`, or `<parent>_<child>_by_<columns>` if several foreign keys join the same two tables;
- a table whose key (or a NOT NULL unique group) is exactly two foreign keys is a junction: a many-to-many with its name;
- tables that share their key with a common parent are its subtypes, if there are two or a column gives the type.

Whatever cannot become part of a model is a gap. Names do not depend on the order in which a source lists its tables.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations

from nestling.common.errors import suggest
from nestling.ir.constraints.constraint_names import unusual
from nestling.ir.free_names import free_name
from nestling.ir.model import Cardinality, Entity, Hierarchy, ManyToMany, Model, OnDelete, Relationship
from nestling.ir.quantity_words import first_of
from nestling.ir.reading import Gap, GapKind
from nestling.sources.checks import Left, ReadCheck, carried, left_to_applications, with_partial_uniques
from nestling.sources.json_checks import kept_as_text
from nestling.sources.remarks import checked_at_end
from nestling.sources.roles import discriminator, parent_role
from nestling.sources.tables import ForeignKey, Table, find_name


@dataclass
class _Findings:
    """Observations on the way."""

    gaps: list[Gap] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    unenforced: list[str] = field(default_factory=list)

    def gap(self, what: str, where: str = "", kind: GapKind = GapKind.NOTIMPL) -> None:
        self.gaps.append(Gap(kind, what, where))


def shape(
    tables: Sequence[Table], model_name: str, dialect: str = "", read_check: ReadCheck | None = None
) -> tuple[Model, tuple[Gap, ...], tuple[str, ...]]:
    """Return the model of the tables, the gaps (what could not become part of it) and notes for people.

    `read_check` parses CHECK conditions over rows; without it they are omitted.
    """
    findings = _Findings()
    entities = _entities(tables, findings)
    left: list[Left] = []
    for name, table in _first(tables, entities):
        entities[name], found = carried(entities[name], table, dialect, read_check)
        left += found
        findings.notes += kept_as_text(entities[name], table.checks, dialect)
        entities[name], said = with_partial_uniques(entities[name], table, dialect, read_check)
        findings.notes += said
    keys = {name: tuple(_foreign_keys(table, entities, findings)) for name, table in _first(tables, entities)}
    junctions = {name: pair for name in entities if (pair := _junction(entities[name], keys[name]))}
    names = _relationship_names(keys, junctions)
    model = Model(
        name=model_name,
        entities=tuple(entities.values()),
        relationships=tuple(
            _relationship(names[child, key], entities[child], key) for child in entities for key in keys[child]
        ),
        many_to_many=tuple(
            ManyToMany(child, child, names[child, left], names[child, right])
            for child, (left, right) in junctions.items()
        ),
        hierarchies=tuple(_hierarchies(entities, keys, names)),
    )
    deferred = [f"`{name}`" for name, table in _first(tables, entities) for key in table.foreign_keys if key.deferred]
    about_keys = (*_unenforced(findings.unenforced), *checked_at_end(deferred))
    notes = (*findings.notes, *about_keys, *left_to_applications(left))
    return model, tuple(findings.gaps), notes


def _unenforced(keys: Sequence[str]) -> Iterator[str]:
    """One note for all foreign keys nothing enforces; a source may declare hundreds."""
    if keys:
        yield f"foreign keys that are not enforced, so rows without a parent may exist: {first_of(keys, 5)}"


# --- entities --------------------------------------------------------------------------------------------------------


def _first(tables: Sequence[Table], entities: Mapping[str, Entity]) -> Iterator[tuple[str, Table]]:
    """The table each entity was made from: the first of its name."""
    by_name = {table.name: table for table in reversed(tables)}
    return ((name, by_name[name]) for name in entities)


def _entities(tables: Sequence[Table], findings: _Findings) -> dict[str, Entity]:
    entities: dict[str, Entity] = {}
    for table in tables:
        if table.name in entities:
            findings.gap(
                f"table `{table.name}` is declared twice; the first declaration counts", table.where, GapKind.INPUT
            )
        elif not table.columns:
            findings.gap(f"table `{table.name}` has no columns", table.where, GapKind.INPUT)
        else:
            entities[table.name] = _entity(table, findings)
    return entities


def _entity(table: Table, findings: _Findings) -> Entity:
    columns = {column.name: column for column in reversed(table.columns)}
    for name, times in Counter(column.name for column in table.columns).items():
        if times > 1:
            findings.gap(
                f"column `{name}` of `{table.name}` is declared twice; the first declaration counts", table.where
            )
    key = _known_columns(table, table.key, columns, "key", findings)
    uniques: list[tuple[str, ...]] = []
    for declared in table.uniques:
        unique = _known_columns(table, declared, columns, "unique constraint", findings)
        if unique and set(unique) not in [set(key), *map(set, uniques)]:
            uniques.append(unique)
    ordered = tuple(columns[name] for name in dict.fromkeys(column.name for column in table.columns))
    names = unusual(table.names, table.name, key, uniques)
    return Entity(table.name, ordered, key, tuple(uniques), constraint_names=names, inherited_by=table.inherited_by)


def _known_columns(
    table: Table, names: Sequence[str], columns: Collection[str], what: str, findings: _Findings
) -> tuple[str, ...]:
    """The names as the table spells them, in order and without duplicates; none, and a gap, if one does not exist."""
    found = []
    for name in names:
        known = find_name(name, columns)
        if known is None:
            said = f"the {what} of `{table.name}` names `{name}`; {suggest(name, reversed(list(columns)))}"
            findings.gap(said, table.where)
            return ()
        found.append(known)
    return tuple(dict.fromkeys(found))


# --- foreign keys ----------------------------------------------------------------------------------------------------


_STRICTEST = (OnDelete.RESTRICT, OnDelete.SET_DEFAULT, OnDelete.SET_NULL, OnDelete.CASCADE)


def _foreign_keys(table: Table, entities: Mapping[str, Entity], findings: _Findings) -> Iterator[ForeignKey]:
    """The table's foreign keys with names as declared and without duplicates; a gap for each that is impossible.

    Of duplicates the one counts that is enforced and lets fewest rows be deleted, in whatever order the source lists them.
    """
    found: dict[tuple[str, frozenset[tuple[str, str]]], ForeignKey] = {}
    for declared in table.foreign_keys:
        label = f"foreign key ({', '.join(declared.columns)}) of `{table.name}` to `{declared.table}`"
        problem, key = _resolved(declared, entities[table.name], entities)
        if key is None:
            findings.gap(f"{label}: {problem}", declared.where or table.where)
            continue
        pairs = key.table, frozenset(zip(key.columns, key.referenced_columns, strict=True))
        if pairs in found:
            findings.notes.append(f"{label} is declared twice")
        found[pairs] = min(found.get(pairs, key), key, key=_looseness)
    for key in found.values():
        if not (key.enforced and key.valid):
            findings.unenforced.append(f"`{table.name}` ({', '.join(key.columns)})")
        yield key


def _looseness(key: ForeignKey) -> tuple[bool, bool, int, int]:
    deleted, updated = _STRICTEST.index(key.on_delete), _STRICTEST.index(OnDelete(key.on_update.value))
    return not key.enforced, not key.valid, deleted, updated


def _resolved(key: ForeignKey, child: Entity, entities: Mapping[str, Entity]) -> tuple[str, ForeignKey | None]:
    """The key with names as declared, or what is wrong with it."""
    parent_name = find_name(key.table, entities)
    if parent_name is None:
        return f"no table `{key.table}`; {suggest(key.table, entities).replace('it has', 'there is', 1)}", None
    parent = entities[parent_name]
    columns = tuple(find_name(name, child.attribute_names) or "" for name in key.columns)
    if "" in columns:
        name = key.columns[columns.index("")]
        return f"no column `{name}` in `{child.name}`; {suggest(name, child.attribute_names)}", None
    if not key.referenced_columns and not parent.key:
        return f"`{parent.name}` has no key", None
    wanted = key.referenced_columns or parent.key
    referenced = tuple(find_name(name, parent.attribute_names) or "" for name in wanted)
    if "" in referenced:
        name = wanted[referenced.index("")]
        return f"no column `{name}` in `{parent.name}`; {suggest(name, parent.attribute_names)}", None
    if not columns or not len(columns) == len(referenced) == len(set(columns)) == len(set(referenced)):
        return f"{len(set(columns))} columns refer to {len(set(referenced))}", None
    if set(referenced) not in [set(parent.key), *map(set, parent.uniques)]:
        return f"{', '.join(referenced)} of `{parent.name}` is not unique", None
    only = tuple(find_name(name, columns) or "" for name in key.on_delete_columns)
    if "" in only:
        return f"ON DELETE sets `{key.on_delete_columns[only.index('')]}`, which is not in the foreign key", None
    return "", replace(key, columns=columns, table=parent.name, referenced_columns=referenced, on_delete_columns=only)


def _relationship(name: str, child: Entity, key: ForeignKey) -> Relationship:
    unique = any(set(group) <= set(key.columns) for group in (child.key, *child.uniques) if group)
    return Relationship(
        name=name,
        parent=key.table,
        child=child.name,
        parent_attributes=key.referenced_columns,
        child_attributes=key.columns,
        cardinality=Cardinality.ONE_TO_ONE if unique else Cardinality.ONE_TO_MANY,
        required=key.enforced and key.valid and not any(child.attribute(column).nullable for column in key.columns),
        parent_role=parent_role(key.columns, key.table),
        child_role=child.name,
        on_delete=_on_delete(child, key),
        on_update=key.on_update,
        enforced=key.enforced,
        on_delete_columns=_on_delete_columns(child, key),
    )


def _on_delete(child: Entity, key: ForeignKey) -> OnDelete:
    """SET NULL on a NOT NULL column prevents the deletion of the parent, as RESTRICT does."""
    is_refused = any(child.always_has(column) for column in key.on_delete_columns or key.columns)
    return OnDelete.RESTRICT if key.on_delete is OnDelete.SET_NULL and is_refused else key.on_delete


def _on_delete_columns(child: Entity, key: ForeignKey) -> tuple[str, ...]:
    """The columns that ON DELETE sets, if they are not all of the foreign key."""
    is_some = len(key.on_delete_columns) < len(key.columns) and _on_delete(child, key) is not OnDelete.RESTRICT
    return key.on_delete_columns if is_some else ()


def _relationship_names(
    keys: Mapping[str, Sequence[ForeignKey]], taken_names: Collection[str]
) -> dict[tuple[str, ForeignKey], str]:
    """A name per foreign key; the shortest form that no other relationship and no junction has."""
    pairs = Counter((key.table, child) for child in keys for key in keys[child])
    names: dict[tuple[str, ForeignKey], str] = {}
    taken = set(taken_names)
    every = [(child, key) for child in keys for key in keys[child]]
    for child, key in sorted(
        every, key=lambda each: (each[0], each[1].columns, each[1].table, each[1].referenced_columns)
    ):
        plain = f"{key.table}_{child}"
        long = f"{plain}_by_{'_'.join(key.columns)}"
        is_plain = pairs[key.table, child] == 1 and plain not in taken
        names[child, key] = plain if is_plain else free_name(long, taken)
        taken.add(names[child, key])
    return names


# --- what foreign keys add up to -------------------------------------------------------------------------------------


def _junction(entity: Entity, keys: Sequence[ForeignKey]) -> tuple[ForeignKey, ForeignKey] | None:
    """The two foreign keys that are together the entity's key or a NOT NULL unique group, in the group's order."""
    solid = [unique for unique in entity.uniques if not any(entity.attribute(name).nullable for name in unique)]
    for group in filter(None, (entity.key, *solid)):
        for pair in combinations(keys, 2):
            left, right = sorted(
                pair, key=lambda key: [group.index(c) if c in group else len(group) for c in key.columns]
            )
            overlap = set(left.columns) <= set(right.columns) or set(right.columns) <= set(left.columns)
            if not overlap and {*left.columns, *right.columns} == set(group):
                return left, right
    return None


def _hierarchies(
    entities: Mapping[str, Entity],
    keys: Mapping[str, Sequence[ForeignKey]],
    names: Mapping[tuple[str, ForeignKey], str],
) -> Iterator[Hierarchy]:
    shared = {child: key for child, entity in entities.items() if (key := _shared_key(entity, keys[child], entities))}
    for supertype in entities.values():
        subtypes = tuple(
            names[child, key]
            for child, key in shared.items()
            if key.table == supertype.name and not _is_under(supertype.name, child, shared)
        )
        tells = discriminator(supertype)
        # a `type` that refers to a table classifies rows; alone it does not make a detail table a subtype
        is_reference = any(tells in key.columns for key in keys[supertype.name])
        if len(subtypes) > 1 or (subtypes and tells and not is_reference):
            yield Hierarchy(supertype.name, supertype.name, subtypes)


def _shared_key(entity: Entity, keys: Sequence[ForeignKey], entities: Mapping[str, Entity]) -> ForeignKey | None:
    """The first foreign key by which the entity shares its whole key with another entity's key."""
    for key in keys:
        if key.table == entity.name or set(key.columns) != set(entity.key):
            continue
        if set(key.referenced_columns) == set(entities[key.table].key):
            return key
    return None


def _is_under(name: str, other: str, shared: Mapping[str, ForeignKey]) -> bool:
    """Whether shared keys lead from `name` up to `other`."""
    seen: set[str] = set()
    while name in shared and name not in seen:
        seen.add(name)
        name = shared[name].table
        if name == other:
            return True
    return False
