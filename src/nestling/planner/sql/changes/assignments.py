"""Values as attributes keep them, and the assignments of SET."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal

from sqlglot import exp

from nestling.ir.constraints.computed_attributes import computed_of
from nestling.ir.constraints.defaults import ComputedAttribute, Generated
from nestling.ir.model import Attribute, Entity
from nestling.ir.statements.algebra import Scan
from nestling.ir.statements.expression import (
    ANY,
    NULL,
    Arithmetic,
    AttributeCast,
    Call,
    Case,
    Cast,
    Column,
    Expression,
    Literal,
    Parameter,
)
from nestling.ir.statements.operands import is_integer, is_mixed_time, is_text, may_be_nan
from nestling.ir.statements.operators import ArithmeticOperator, Collation, Function, Rules
from nestling.ir.statements.write import Assignment
from nestling.ir.types import BSON_DIGITS, INTEGER, MOMENTS, SET, SINGLE, TEXT, TIMES, YEAR, TypeName
from nestling.ir.value_forms.infinite_moments import INFINITE, infinite
from nestling.ir.value_forms.odd_dates import ZERO_DATE
from nestling.planner.sql import conversions
from nestling.planner.sql.array_changes import as_text, is_written
from nestling.planner.sql.changes.defaults import default_expression
from nestling.planner.sql.changes.generated_attributes import computed, refuse_given
from nestling.planner.sql.changes.joined_writes import Others
from nestling.planner.sql.exact_decimals import exactly, written_exactly
from nestling.planner.sql.expressions import bind
from nestling.planner.sql.fractions import kept_fraction, refuse_time_as_text
from nestling.planner.sql.gaps import no_such, statement_gap
from nestling.planner.sql.mysql.bits import stored_bits
from nestling.planner.sql.mysql.mixed_types import with_all_zeros
from nestling.planner.sql.mysql.read_types import as_read, is_single
from nestling.planner.sql.mysql.times_as_text import moment_of_text, text_of_time
from nestling.planner.sql.postgresql.char_n import unfilled
from nestling.planner.sql.postgresql.given_times import given_beside
from nestling.planner.sql.postgresql.infinite_moments import refuse_infinite
from nestling.planner.sql.scope import Env, FromSource, Scope, Translation
from nestling.planner.sql.sqlite_time_texts import require_form
from nestling.planner.sql.supported_types import refuse_bits

_CHECKED = frozenset({TypeName.JSON, TypeName.TEXT, TypeName.ENUM})
"""Types not every text is a value of: JSON, PostgreSQL's that are kept as texts, among which NUL is none, and enums."""


_READ = frozenset({TypeName.JSON, TypeName.ARRAY, TypeName.TIME, TypeName.INTERVAL})
"""Types whose values have other forms in a statement than they are kept in."""


def stored(expression: Expression, attribute: Attribute, translation: Translation) -> Expression:
    """The value as the attribute keeps it; one of several types keeps the type a value is given with."""
    is_strict = translation.model.strict_types and attribute.is_of_several_types
    if attribute.type.carried == SINGLE and is_single(expression, translation):
        return expression
    if is_strict and attribute.type.name is TypeName.DECIMAL:
        expression = written_exactly(expression)
    return conversions.as_given(expression) if is_strict else _converted(expression, attribute, translation)


def _converted(expression: Expression, attribute: Attribute, translation: Translation) -> Expression:
    """The value converted to the attribute's type; constants of the right type need nothing."""
    if isinstance(expression, Cast) and isinstance(expression.operand, Literal) and _is_cast_to(attribute, expression):
        expression = expression.operand  # which is converted as it is stored
    if translation.dialect.rules is Rules.MYSQL:
        expression = _of_mysql(expression, attribute, translation)
    if isinstance(expression, Call) and is_written(expression) and attribute.type.element is not None:
        return _stored_array(expression, attribute, translation)
    if translation.model.strict_types and attribute.type.name is TypeName.DECIMAL and not attribute.is_of_several_types:
        return exactly(expression, attribute.type)
    return _stored(expression, attribute, translation)


def _of_mysql(value: Expression, attribute: Attribute, translation: Translation) -> Expression:
    """What MySQL stores of a moment in a column of texts, and of a text in one of times."""
    if attribute.type.name is TypeName.TEXT:
        return _text_of_moment(value, translation)
    return _moment(value, translation) if attribute.type.name in TIMES and is_text(value) else value


def _text_of_moment(value: Expression, translation: Translation) -> Expression:
    """A moment that is computed or read, as the text that MySQL stores of it."""
    is_given = isinstance(value, Literal | Parameter)
    return value if is_given or value.type.name not in MOMENTS else text_of_time(value, translation)


def _moment(text: Expression, translation: Translation) -> Expression:
    """A text that MySQL stores in a column of times: the moment it is of, and a constant with all zeros."""
    if isinstance(text, Literal):
        return replace(text, value=with_all_zeros(text.value)) if isinstance(text.value, str) else text
    return moment_of_text(text, translation) or text


def _stored(expression: Expression, attribute: Attribute, translation: Translation) -> Expression:
    expression = _told(expression, attribute, translation)
    if (endless := _endless(expression, attribute, translation)) is not None:
        return endless
    if _holds_constants(expression, attribute, translation):
        expression = _with_stored_constants(expression, attribute, translation)
    if _is_truth(expression) and translation.dialect.is_sqlite and attribute.type.name is not TypeName.BOOLEAN:
        expression = conversions.plain(expression, translation)
    is_numeric = translation.dialect.is_sqlite and attribute.is_numeric
    fraction = kept_fraction(expression, attribute, translation)
    is_alike = expression.type == attribute.type and not getattr(expression, "mixed", False)
    may_be_whole = _may_be_whole(expression) and not translation.dialect.is_sqlite
    same = is_alike and not is_numeric and fraction is None and not may_be_whole
    is_checked = _is_checked(expression, attribute) and not translation.dialect.is_sqlite
    if (same and not is_checked) or expression == NULL:
        return expression
    if attribute.type == ANY:
        return conversions.plain(expression, translation) if translation.dialect.is_sqlite else expression
    if isinstance(expression, Literal) and is_integer(expression) and attribute.type == INTEGER:
        return expression
    expression = unfilled(expression) if attribute.type.is_char else expression
    is_kept = not attribute.type.carried or attribute.type.is_char
    is_plain = is_text(expression) and attribute.type.name is TypeName.TEXT and is_kept
    if is_plain and not is_checked and _is_short(expression, attribute, translation):
        return expression
    if isinstance(expression, Parameter):
        expression = Parameter(expression.name, attribute.type)
    lenient = _takes_more(attribute, translation.dialect.rules)
    is_strict = translation.dialect.is_sqlite and attribute.type.name in TIMES and TEXT not in attribute.also
    among = attribute.name if is_strict else ""
    if is_strict:
        require_form(expression, attribute)
    return AttributeCast(
        expression, attribute.type, translation.dialect.rules, lenient, among, is_numeric, translation.rounds, fraction
    )


def _may_be_whole(expression: Expression) -> bool:
    """Whether a value of decimals may be a whole number of the server's: one of several that became one, as 0 beside 1.5."""
    is_decimal = isinstance(expression, Literal) and isinstance(expression.value, Decimal)
    return expression.type.name is TypeName.DECIMAL and not is_decimal


def _is_checked(expression: Expression, attribute: Attribute) -> bool:
    """Whether a value of the attribute's type may still be none that it keeps."""
    kind = attribute.type
    if isinstance(expression, Parameter):
        return kind.name in _CHECKED or kind.carried == YEAR or kind.is_without_nan
    return kind.is_without_nan and may_be_nan(expression)


def _stored_array(array: Call, attribute: Attribute, translation: Translation) -> Expression:
    """An array that is written down: a constant, or its items as elements are kept."""
    constant = as_text(array)
    if constant is not None:
        return stored(constant, attribute, translation)
    assert attribute.type.element is not None
    element = replace(attribute, type=attribute.type.element)
    items = tuple(stored(each, element, translation) for each in array.arguments)
    return replace(array, arguments=items, type=attribute.type)


def _told(expression: Expression, attribute: Attribute, translation: Translation) -> Expression:
    """With parameters of the type the attribute tells, and bits of MySQL's as it keeps them.

    MySQL: what is added to a column of integers that keeps the sum is a whole number, so that the server adds it itself.
    PostgreSQL: what days are added to for a date is one.
    """
    match expression:
        case Arithmetic(
            operator=ArithmeticOperator.ADD | ArithmeticOperator.SUBTRACT,
            left=Column() as column,
            right=Parameter() as added,
        ) if (
            translation.dialect.rules is Rules.MYSQL
            and attribute.type.name is TypeName.INTEGER
            and is_integer(column)
            and added.no_float
        ):
            return replace(expression, right=replace(added, type=INTEGER), type=INTEGER)
        case _ if translation.dialect.rules is Rules.MYSQL and attribute.type.name is TypeName.BITS:
            return stored_bits(expression, attribute.type)
        case _ if translation.dialect.rules is Rules.MYSQL:
            refuse_bits(f"storing in `{attribute.name}`", None, expression)
            if attribute.type.name is TypeName.TEXT:
                refuse_time_as_text(expression, translation)
            return expression
        case _ if translation.dialect.rules is Rules.POSTGRESQL:
            return given_beside(expression, attribute.type)
        case _:
            return expression


def _holds_constants(expression: Expression, attribute: Attribute, translation: Translation) -> bool:
    """Whether constants in it are of a type whose values are read as they are stored: JSON of its text, dates of moments, and
    MySQL's labels of theirs.
    """
    kind = attribute.type
    is_choice = isinstance(expression, Case | Call) and expression.type == TEXT
    if kind.name is TypeName.ENUM and is_choice and translation.dialect.rules is Rules.MYSQL:
        return True
    is_read = kind.name in _READ or (kind.name in MOMENTS and kind.fraction_digits <= BSON_DIGITS)
    return is_read and expression.type.name is kind.name and not translation.dialect.is_sqlite


def _with_stored_constants(expression: Expression, attribute: Attribute, translation: Translation) -> Expression:
    """The expression with each constant and parameter that may be its value as the attribute stores it."""

    def kept(part: Expression) -> Expression:
        return _with_stored_constants(part, attribute, translation)

    match expression:
        case Case(branches=branches, default=default):
            return replace(
                expression, branches=tuple((when, kept(then)) for when, then in branches), default=kept(default)
            )
        case Call(function=Function.COALESCE | Function.LEAST | Function.GREATEST, arguments=parts):
            return replace(expression, arguments=tuple(map(kept, parts)))
        case Cast(operand=Literal() as constant) if _is_cast_to(attribute, expression):
            return kept(constant)
        case Parameter() | Literal() if expression != NULL:
            lenient = _takes_more(attribute, translation.dialect.rules)
            return AttributeCast(
                expression,
                attribute.type,
                translation.dialect.rules,
                lenient,
                rounds=translation.rounds,
                fraction=kept_fraction(expression, attribute, translation),
            )
        case _:
            return expression


def _is_cast_to(attribute: Attribute, cast: Cast) -> bool:
    """Whether it is to the attribute's type; json and jsonb are one to a constant."""
    return cast.type == attribute.type or cast.type.name is attribute.type.name is TypeName.JSON


def _endless(expression: Expression, attribute: Attribute, translation: Translation) -> Expression | None:
    """PostgreSQL: the value where it is a date or moment that may be infinite, which its attribute must be too."""
    if translation.dialect.rules is not Rules.POSTGRESQL:
        return None
    if isinstance(expression, Literal) and (found := infinite(expression.value, attribute.type)) is not None:
        expression = Literal(found, attribute.type)
    if not is_mixed_time(expression):
        return None
    if INFINITE not in attribute.also or expression.type != attribute.type:
        refuse_infinite(f"storing in `{attribute.name}`", None, translation, expression)
    return expression


def _is_truth(expression: Expression) -> bool:
    return expression.type.name is TypeName.BOOLEAN and not isinstance(expression, Parameter)


def _takes_more(attribute: Attribute, rules: Rules) -> bool:
    """Whether other texts are taken than its values' own: MySQL's zero dates, its labels in any case, PostgreSQL's infinities."""
    if rules is Rules.POSTGRESQL:
        return attribute.type.name in TIMES and INFINITE in attribute.also
    if attribute.type.name is TypeName.ENUM or attribute.type.carried == SET:
        return rules is Rules.MYSQL and attribute.collation is Collation.UNICODE_CI
    return rules is Rules.MYSQL and attribute.type.name in TIMES and not {TEXT, ZERO_DATE}.isdisjoint(attribute.also)


def _is_short(text: Expression, attribute: Attribute, translation: Translation) -> bool:
    """Whether a text certainly has no more characters than the attribute takes, and none it does not keep.

    SQLite's attributes take any number.
    """
    if translation.dialect.is_sqlite or not attribute.type.numbers:
        return True
    most = attribute.type.numbers[0]
    if isinstance(text, Literal) and isinstance(text.value, str):
        return len(text.value) <= most
    has_no_blanks = text.type.is_char or not attribute.type.is_char
    return has_no_blanks and bool(text.type.numbers) and text.type.numbers[0] <= most


def attribute_named(entity: Entity, node: exp.Expr) -> Attribute:
    """The attribute a name stands for; raises WorkloadError with those there are."""
    for attribute in entity.attributes:
        if attribute.name.casefold() == node.name.casefold():
            return attribute
    raise no_such("column", node.name, entity.attribute_names, node, of=entity.name)


def assignments(
    nodes: Sequence[exp.Expr], entity: Entity, env: Env, others: Others | None = None
) -> tuple[Assignment, ...]:
    """The assignments of SET, one for each attribute; values may mention the `others` a write joins."""
    found: dict[str, Assignment] = {}
    for node in nodes:
        if not isinstance(node, exp.EQ) or not isinstance(node.this, exp.Column):
            raise statement_gap(_no_column(node), node)
        attribute = attribute_named(entity, node.this)
        if not is_default(node.expression):
            refuse_given(attribute, node)
        elif isinstance(attribute.default, ComputedAttribute):
            continue
        value = stored(_assigned(node.expression, attribute, env, others), attribute, env.translation)
        if env.dialect.rules is Rules.MYSQL and others is None:  # from left to right: what follows sees the new value
            env = _having(env, attribute.name, value)
        found[attribute.name] = Assignment(attribute.name, value)
    after = env
    for change in found.values():
        after = _having(after, change.attribute, change.expression)
    for attribute in computed_of(entity, found):
        value = stored(computed(attribute, after), attribute, env.translation)
        after = _having(after, attribute.name, value)
        found[attribute.name] = Assignment(attribute.name, value)
    return tuple(found.values())


def _no_column(node: exp.Expr) -> str:
    """What is assigned to other than one column."""
    if isinstance(node.this, exp.Bracket):
        return "an assignment to an element of an array or JSON; assign the whole column"
    return "an assignment of several columns"


def _assigned(node: exp.Expr, attribute: Attribute, env: Env, others: Others | None) -> Expression:
    if not is_default(node) or any(name.upper() == "DEFAULT" for name in env.known()):
        if others is None:
            return bind(node, env)
        return others.value(node, attribute.type, lambda value: stored(value, attribute, env.translation))
    found = default_expression(attribute, env, node)
    if found is None and isinstance(attribute.default, Generated):
        raise statement_gap(f"a new {attribute.default} assigned with DEFAULT", node)
    return found or NULL


def _having(env: Env, name: str, value: Expression) -> Env:
    """The environment with `value` in place of a column of the target, which is the first source."""
    value = as_read(value, env.translation)
    target, *others = env.scope.sources
    columns = tuple((known, value if known == name else column) for known, column in target.columns)
    return replace(env, scope=Scope((replace(target, columns=columns), *others)))


def is_default(node: exp.Expr) -> bool:
    """Whether it is the word DEFAULT."""
    if isinstance(node, exp.Column):
        return not node.table and not node.this.args.get("quoted") and node.name.upper() == "DEFAULT"
    return isinstance(node, exp.Var) and node.name.upper() == "DEFAULT"


def refuse(node: exp.Expr, *clauses: str) -> None:
    """Raise a gap for the first of the clauses the statement has."""
    for clause in clauses:
        if node.args.get(clause):
            raise statement_gap(f"{node.key.upper()} with {clause.rstrip('_').upper()}", node)


def source_of(name: str, scan: Scan) -> FromSource:
    """The scan under a name."""
    return FromSource(name, tuple((column.name, column) for column in scan.columns))
