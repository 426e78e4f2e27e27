"""Parts of a model that its tables do not declare, in sentences."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from nestling.common.errors import name_list
from nestling.ir.constraints.condition_text import PLAIN
from nestling.ir.constraints.defaults import ComputedAttribute
from nestling.ir.model import Attribute
from nestling.ir.quantity_words import agreeing, cut
from nestling.ir.statements.operators import Collation
from nestling.ir.statements.sql_dialects import POSTGRESQL
from nestling.ir.types import INTEGER, MOMENTS, NAN, TEXTS, Type, TypeName
from nestling.sources.ddl.column_type import read_type
from nestling.sources.ddl.tokens import tokens
from nestling.sources.sql.check_ddl import check_ddl, row_check_ddl
from nestling.sources.sql.engines import engine_of
from nestling.sources.sql.table_ddl import column_words, declared_columns, is_declared, undeclared_defaults

if TYPE_CHECKING:
    from collections.abc import Collection, Container, Iterable, Iterator, Mapping

    from nestling.ir.model import Entity, Model
    from nestling.sources.sql.existing import Existing


def filled_as_they_were(tables: Iterable[Existing]) -> Iterator[str]:
    """A sentence on tables that existed before."""
    there = list(tables)
    if there:
        are = agreeing(
            len(there), "already existed and is filled as it is", "already existed and are filled as they are"
        )
        yield f"{name_list(each.entity.name for each in there)} {are}"
    for each in there:
        if each.computed:
            yield f"`{each.entity.name}`: the target computes {name_list(each.computed)}; the rows' own values are not written"


def left_out_everywhere(model: Model, dialect: str, *, made: frozenset[str], views: Container[str]) -> Iterator[str]:
    """A sentence on what no table of those `made` declares; `views` exist already."""
    loose = [each.name for each in model.relationships if not each.enforced and each.child in made]
    if loose:
        are = agreeing(len(loose), "is not a foreign key", "are not foreign keys")
        yield f"{name_list(loose)} {are} here: the source does not enforce {agreeing(len(loose), 'it', 'them')} either"
    for entity in model.entities:
        if heirs := [each for each in entity.inherited_by if each in made]:
            yield f"{name_list(heirs)} {agreeing(len(heirs), 'does', 'do')} not inherit from `{entity.name}` here"
    some = [
        each.name for each in model.relationships if each.on_delete_columns and each.enforced and each.child in made
    ]
    if some and engine_of(dialect).statements != POSTGRESQL:
        refused = "PostgreSQL alone can have ON DELETE change some columns; here a parent with children is not deleted"
        yield f"{name_list(some)}: {refused}"
    kinds = {each.type.name for entity in model.entities if entity.name in made for each in entity.attributes}
    if engine_of(dialect).enforces_types and TypeName.INTEGER in kinds:
        widest = column_words(Attribute("", INTEGER), dialect)
        yield f"integers are declared as {widest}: the design does not record how wide the source's are"
    if engine_of(dialect).statements == POSTGRESQL and TypeName.BITS in kinds:
        words = column_words(Attribute("", Type(TypeName.BITS)), dialect)
        yield f"bits are declared as {words}: the design does not record whether the source's are of a fixed length"
    if names := [each.name for each in model.views if each.name not in views]:
        are, them = agreeing(len(names), "is not a view", "are not views"), agreeing(len(names), "it", "them")
        yield f"{name_list(names)} {are} here: create {them} yourself"
    if made:
        yield "non-unique indexes, triggers and permissions are not created here: the design does not record the source's"


def left_out(
    entities: Collection[Entity], model: Model, dialect: str, exact: Mapping[str, Mapping[str, str]]
) -> Iterator[str]:
    """A sentence for each kind of feature that each table lacks: first what rows may violate, one kind after the other.

    The entities are the model's with their columns' types; `exact` has the types that columns got at the end, by entity.
    """
    for of_kind in (_of_rows, _allowed, _computed, _defaults, _collations, _enums, _types):
        for entity in entities:
            columns = declared_columns(entity, model.parents_of(entity.name), dialect)
            yield from of_kind(_Made(entity, model.entity(entity.name), columns, dialect, exact[entity.name]))


@dataclass(frozen=True, slots=True)
class _Made:
    """A table created for `given`: its entity, the types of its columns, and those they got at the end."""

    entity: Entity
    given: Entity
    columns: list[tuple[Attribute, str]]
    dialect: str
    exact: Mapping[str, str]


def _computed(made: _Made) -> Iterator[str]:
    if named := name_list(each.name for each in made.entity.attributes if isinstance(each.default, ComputedAttribute)):
        yield f"`{made.entity.name}`: the source computes {named}; here an INSERT or UPDATE has to give the value"


def _defaults(made: _Made) -> Iterator[str]:
    if named := name_list(undeclared_defaults(made.entity, made.dialect)):
        yield f"`{made.entity.name}`: the default of {named} is not declared; every INSERT has to give a value"


def _enums(made: _Made) -> Iterator[str]:
    enums = [e.name for e in made.entity.attributes if e.type.name is TypeName.ENUM and e.name in made.exact]
    if enums:
        called = ", ".join(f"`{made.exact[name]}` of `{name}`" for name in enums)
        yield f"`{made.entity.name}`: the design does not record the names of enum types; here they are {called}"


def _types(made: _Made) -> Iterator[str]:
    inexact = [(each, words) for each, words in made.columns if each.name not in made.exact]
    if other := ", ".join(_retyped(made.given, inexact, made.dialect)):
        yield f"`{made.entity.name}`: declared with a different type than in the source: {other}"


def _allowed(made: _Made) -> Iterator[str]:
    says = engine_of(made.dialect).says_allowed
    left = (
        a.name
        for a, words in made.columns
        if a.allowed and not says(a, words) and not check_ddl(a, made.entity, "", words, made.dialect)
    )
    if named := name_list(left):
        yield f"`{made.entity.name}`: the allowed values of {named} are not declared"


def _collations(made: _Made) -> Iterator[str]:
    if named := name_list(each.name for each in made.entity.attributes if not _is_collated(each, made.dialect)):
        yield f"`{made.entity.name}`: texts of {named} are compared exactly here, unlike in the source"


def _of_rows(made: _Made) -> Iterator[str]:
    """The checks and the unique groups of some rows that a table does not have."""
    entity, dialect = made.entity, made.dialect
    declared = {each.name: words for each, words in made.columns}
    for check in entity.checks:
        if not row_check_ddl(check, entity, declared, dialect, PLAIN):
            yield f"`{entity.name}`: {check} is not declared"
    for unique in entity.partial_uniques:
        if not is_declared(unique, entity, dialect):
            yield f"`{entity.name}`: {unique} is not declared"


def _retyped(entity: Entity, columns: Iterable[tuple[Attribute, str]], dialect: str) -> Iterator[str]:
    """The columns whose words say another type than the attribute's, of databases that hold values to them."""
    if not engine_of(dialect).enforces_types:
        return
    for column, words in columns:
        attribute = entity.attribute(column.name)
        is_told = attribute.type.name is TypeName.ANY
        declared = read_type(list(tokens(words, dialect)), dialect, {}).type
        if not is_told and _plain(declared) != _plain(attribute.type):
            yield f"`{attribute.name}` ({cut(str(attribute.type))}) as {words}"


def _plain(kind: Type) -> Type:
    """The type without what is measured from its values."""
    if kind.element is not None:
        return replace(kind, element=_plain(kind.element))
    carried = " ".join(word for word in kind.carried.split() if word != NAN)
    return replace(kind, numbers=() if kind.name in MOMENTS else kind.numbers, carried=carried)


def _is_collated(attribute: Attribute, dialect: str) -> bool:
    """Whether the column compares texts as the source does, near enough."""
    if attribute.type.name not in TEXTS or attribute.collation is Collation.BINARY:
        return True
    collated = engine_of(dialect).column_collation
    return collated(attribute) != collated(replace(attribute, collation=Collation.BINARY))
