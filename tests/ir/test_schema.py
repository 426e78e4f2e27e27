"""The published JSON Schemas are those of the forms, and accept what nestling prints."""

from __future__ import annotations

import json
from functools import cache

import jsonschema
import pytest
import yaml

from nestling.ir.reading import Reading
from nestling.ir.text import write_proposal, write_reading
from nestling.ir.text.schema import KINDS, FileKind, generated_schema, published_schema
from nestling.ir.text.yaml_loader import Loader
from tests.cases.pattern_case import PatternCase, pattern_cases


@pytest.mark.parametrize("kind", KINDS)
def test_published_schema_is_the_generated_one(kind: FileKind) -> None:
    """`python -m nestling.ir.text.schema` has been run since the forms last changed, and gives a valid schema."""
    assert published_schema(kind) == generated_schema(kind)
    jsonschema.Draft202012Validator.check_schema(json.loads(published_schema(kind)))


@pytest.mark.parametrize("case", pattern_cases(), ids=lambda case: case.name)
def test_schema_accepts_files(case: PatternCase) -> None:
    """Editors find nothing wrong with a design people wrote, nor with a design or model nestling printed."""
    proposal = case.proposal
    validate("design", case.proposal_text)
    validate("design", write_proposal(proposal))
    validate("model", write_reading(Reading(proposal.design.model, statistics=proposal.statistics)))


def test_schema_refuses_unknown_keys() -> None:
    """Editors mark a key that the reader would refuse."""
    with pytest.raises(jsonschema.ValidationError, match="colour"):
        validate("model", "nestling: 1\nmodel: {name: x, entities: {}, colour: red}\n")


def validate(kind: FileKind, text: str) -> None:
    """Check the text against a published schema; a date in YAML is text to us."""
    value = json.loads(json.dumps(yaml.load(text, Loader=Loader), default=str))
    validator(kind).validate(value)


@cache
def validator(kind: FileKind) -> jsonschema.Draft202012Validator:
    """A validator by a published schema, which is known to be one."""
    return jsonschema.Draft202012Validator(json.loads(published_schema(kind)))
