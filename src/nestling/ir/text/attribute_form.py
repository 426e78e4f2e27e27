"""A column of the `model` section."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, assert_never

from pydantic import Field

from nestling.common.errors import Problem
from nestling.ir.constraints.allowed import Allowed, Scalar, number
from nestling.ir.constraints.defaults import (
    ComputedAttribute,
    ConstantDefault,
    Default,
    Generated,
    OtherDefault,
    constant,
    written,
)
from nestling.ir.fraction import Fraction, has_fraction
from nestling.ir.model import Attribute
from nestling.ir.statements.operators import Collation
from nestling.ir.text.form import FileMap, FormProblems, Texts, without, words_schema
from nestling.ir.text.yaml_reader import YamlPath
from nestling.ir.text.yaml_writer import Plain
from nestling.ir.types import NUMBERS, TEXTS, Type, TypeName


class AllowedForm(FileMap):
    """What is allowed of the values of a type: some of them, a range of numbers, or texts of some length; NULL always is."""

    values: list[str | int | float] = Field([], description="the allowed values, texts or numbers")
    minimum: int | float | str | None = Field(None, description="the least number")
    maximum: int | float | str | None = Field(None, description="the greatest number")
    exclusive_minimum: bool = Field(False, description="whether numbers must be above the minimum, not equal to it")
    exclusive_maximum: bool = Field(False, description="whether numbers must be below the maximum, not equal to it")
    minimum_length: int | None = Field(None, description="the fewest characters")
    maximum_length: int | None = Field(None, description="the most characters")

    def to_ir(self, kind: Type, path: YamlPath, findings: FormProblems) -> Allowed | None:
        """What is allowed; None when it cannot be read, which is noted."""

        def scalar(value: str | float) -> Scalar:
            return str(value) if kind.name not in NUMBERS and isinstance(value, str) else number(value)

        def allowed() -> Allowed:
            return Allowed(
                tuple(map(scalar, self.values)),
                None if self.minimum is None else number(self.minimum),
                None if self.maximum is None else number(self.maximum),
                self.exclusive_minimum,
                self.exclusive_maximum,
                self.minimum_length,
                self.maximum_length,
            )

        return findings.read(allowed, path, otherwise=None)

    @staticmethod
    def from_ir(allowed: Allowed) -> Plain:
        """The constraint on values as plain values for a file."""
        entries = {
            "values": [_written(value) for value in allowed.values],
            "minimum": None if allowed.minimum is None else _written(allowed.minimum),
            "maximum": None if allowed.maximum is None else _written(allowed.maximum),
            "exclusive_minimum": allowed.exclusive_minimum,
            "exclusive_maximum": allowed.exclusive_maximum,
            "minimum_length": allowed.minimum_length,
            "maximum_length": allowed.maximum_length,
        }
        return without(entries, exclusive_minimum=False, exclusive_maximum=False)


class AttributeForm(FileMap):
    """A column: `decimal(10,2)!` (NOT NULL), or with the other types its values were seen to have."""

    short_key = "type"
    type: str = Field(description="a conceptual type, with `!` when it is NOT NULL: integer!, text, decimal(10,2)")
    nullable: bool | None = Field(None, description="whether it may be NULL; the same as a type without `!`")
    also: Texts = Field([], description="other types its values were seen to have")
    default: bool | int | float | str | None = Field(None, description="the value if a row gives none; NULL by default")
    generated: Annotated[str, words_schema(Generated)] | None = Field(
        None, description="what the database generates if a row gives no value"
    )
    default_sql: str | None = Field(None, description="a default that only the source can compute")
    computed: str | None = Field(
        None, description="SQL over the row's other columns from which every write computes it"
    )
    collation: Annotated[str, words_schema(Collation)] | None = Field(
        None, description="how its texts are compared; the model's collation by default"
    )
    allowed: AllowedForm | None = Field(None, description="which values of its type are allowed; all by default")
    fraction_digits: int | None = Field(
        None, description="for times: how many fractional digits of a second are stored, 0 to 6; all by default"
    )
    fraction_cut: bool = Field(
        False, description="whether further digits are cut off, as in MariaDB; rounded by default"
    )
    source_is_finer: bool = Field(
        False,
        description="whether rows of the source have further digits, which are cut off when read (`--milliseconds`)",
    )

    def to_ir(
        self, name: str, path: YamlPath, findings: FormProblems, texts: Collation = Collation.BINARY
    ) -> Attribute:
        """The attribute; a type that cannot be read counts as `any`. `texts` is the collation of texts that say none."""
        text = self.type.strip()
        required = text.endswith("!")
        if self.nullable is not None and required == self.nullable and required:
            what = f"`{self.type}` says NOT NULL and `nullable: true` says NULL"
            findings.problems.append(Problem(what=what, path=path, next_move="keep one"))
        kind = _type(text.removesuffix("!"), (*path, "type"), findings)
        also = tuple(_type(other, (*path, "also", number), findings) for number, other in enumerate(self.also))
        nullable = not required if self.nullable is None else self.nullable
        unsaid = texts if kind.name in TEXTS else Collation.BINARY
        rule = findings.word(Collation, self.collation, (*path, "collation"), otherwise=unsaid)
        allowed = self.allowed.to_ir(kind, (*path, "allowed"), findings) if self.allowed is not None else None
        fraction = self._fraction(kind, path, findings)
        return Attribute(name, kind, nullable, also, self._default(kind, path, findings), rule, allowed, fraction)

    def _fraction(self, kind: Type, path: YamlPath, findings: FormProblems) -> Fraction | None:
        if self.fraction_digits is not None and not has_fraction(kind):
            what = f"`fraction_digits` is only for times, not for `{kind}`"
            findings.problems.append(Problem(what=what, path=path, next_move="remove it"))
            return None
        is_finer = self.source_is_finer
        return findings.read(
            lambda: Fraction.of(self.fraction_digits, cut=self.fraction_cut, source_is_finer=is_finer),
            (*path, "fraction_digits"),
            otherwise=None,
        )

    def _default(self, kind: Type, path: YamlPath, findings: FormProblems) -> Default | None:
        said = [name for name in ("default", "generated", "default_sql", "computed") if getattr(self, name) is not None]
        if len(said) > 1:
            what = f"{' and '.join(f'`{name}`' for name in said)} exclude each other"
            findings.problems.append(Problem(what=what, path=path, next_move="keep one"))
        if self.default is not None:
            return constant(self.default, kind)
        if self.default_sql is not None:
            return OtherDefault(self.default_sql)
        if self.computed is not None:
            return ComputedAttribute(self.computed)
        if self.generated is None:
            return None
        return findings.word(Generated, self.generated, (*path, "generated"), otherwise=Generated.NUMBER)

    @staticmethod
    def from_ir(attribute: Attribute, texts: Collation = Collation.BINARY) -> Plain:
        """The attribute as plain values for a file: a text if its type and nullability say everything."""
        text = f"{attribute.type}{'' if attribute.nullable else '!'}"
        unsaid = texts if attribute.type.name in TEXTS else Collation.BINARY
        rule = str(attribute.collation) if attribute.collation is not unsaid else None
        entries = {
            "also": [str(other) for other in attribute.also],
            **_default_entry(attribute.default),
            "collation": rule,
            "allowed": AllowedForm.from_ir(attribute.allowed) if attribute.allowed is not None else None,
            **_fraction_entries(attribute.fraction),
        }
        more = without(entries, fraction_cut=False, source_is_finer=False)
        return {"type": text} | more if more else text


def _written(value: Scalar) -> str | int | float:
    """A constant as files write it: a number as one wherever it comes back as the same."""
    if isinstance(value, Decimal) and Decimal(str(float(value))) == value:
        return float(value)
    return str(value) if isinstance(value, Decimal) else value


def _fraction_entries(fraction: Fraction | None) -> dict[str, object]:
    if fraction is None:
        return {}
    entries: dict[str, object] = {"fraction_digits": fraction.digits, "fraction_cut": fraction.cut}
    return entries | {"source_is_finer": fraction.source_is_finer}


def _default_entry(default: Default | None) -> dict[str, object]:
    match default:
        case None:
            return {}
        case ConstantDefault(value=value):
            return {"default": written(value)}
        case Generated():
            return {"generated": str(default)}
        case OtherDefault(sql=sql):
            return {"default_sql": sql}
        case ComputedAttribute(sql=sql):
            return {"computed": sql}
        case _:
            assert_never(default)


def _type(text: str, path: YamlPath, findings: FormProblems) -> Type:
    return findings.read(lambda: Type.parse(text), path, otherwise=Type(TypeName.ANY))
