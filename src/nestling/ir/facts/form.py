"""The file form of facts: a saved file reproduces its report."""

from __future__ import annotations

import json
from datetime import datetime

from nestling.common.errors import InputError, Problem
from nestling.ir.facts.collection import Facts, Validator
from nestling.ir.noun_json import noun_text, read_noun

FORM = "nestling facts 1"
"""What the file says it is; a later, different form gets another number."""


def facts_text(facts: Facts) -> str:
    """Facts as text; `read_facts` gives them back."""
    return noun_text(facts, FORM)


def read_facts(text: str, where: str = "") -> Facts:
    """Facts from their text; raises `InputError` that says where the text is not what it should be."""
    move = "write it again: nestling doctor URI --save FILE"
    found = read_noun(Facts, FORM, text, where, what="a facts file", next_move=move)
    odd = [
        f"the validator of `{each.namespace}` is not valid"
        for each in found.collections
        if each.validator is not None and not _is_one(each.validator)
    ]
    odd += [
        f"a path of `{each.namespace}` has no steps"
        for each in found.collections
        if not all(path.steps for path in each.paths)
    ]
    if not _is_moment(found.taken):
        odd.append(f"taken: {found.taken!r} is not an ISO 8601 timestamp with a time zone")
    if odd:
        raise InputError(*(Problem(what, where, next_move=move) for what in odd))
    return found


def _is_moment(text: str) -> bool:
    try:
        return datetime.fromisoformat(text).tzinfo is not None
    except ValueError:
        return False


def _is_one(validator: Validator) -> bool:
    """Whether the text is an object of rules, and what it says of a schema another."""
    try:
        rules = json.loads(validator.text)
    except (ValueError, RecursionError):
        return False
    return isinstance(rules, dict) and isinstance(rules.get("$jsonSchema", {}), dict)
