"""Functions that match patterns: GLOB, and PostgreSQL's regular expressions where the server's mean the same."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from nestling.emitters.mql.sql.constants import Mql
from nestling.emitters.mql.sql.gaps import gap
from nestling.emitters.mql.sql.nulls import bind, both, null_if_any, present
from nestling.emitters.mql.sql.pattern import constant_pattern, glob_regex, regex_options
from nestling.ir.expression import Call, CaseRule, Function, Rules

if TYPE_CHECKING:
    from nestling.emitters.mql.sql.renderer import Renderer

_SHARED = re.compile(
    r"(?:[^\\\[\](){}^$*+?|\0]|\\[\\.\[\](){}^$*+?|/-]|\\d|\[\^?[A-Za-z0-9_ .,:;@#%&/(){}|*+?!-]+\]|\((?!\?)|[)^$|*+?]"
    r"|\{[0-9]+(?:,[0-9]*)?\})*"
)
"""What regular expressions of both kinds spell and mean alike."""
_DOUBLED = re.compile(r"[*+?}][*+?{]")
"""Lazy and possessive quantifiers, which are not alike."""


@dataclass(frozen=True, slots=True)
class Regex:
    """A regular expression of the server's: `text` None matches nothing; `lower`: it is for texts in lower case.

    `case` is how it takes other letters than A to Z.
    """

    text: str | None
    lower: bool = False
    case: CaseRule = CaseRule.EXACT


def matches(node: Call, r: Renderer) -> Mql:
    """True, false or null."""
    regex = regex_of(node, r)
    if regex is None:
        return None
    unknown = r.nullable(node.arguments[0])
    return bind(
        {"text": r.value(node.arguments[0])}, lambda text: null_if_any([text] if unknown else [], _found(text, regex))
    )


def matches_truth(node: Call, r: Renderer, *, negated: bool = False) -> Mql:
    """Whether the text matches (`negated`: does not); false when it, or the pattern, is NULL."""
    regex = regex_of(node, r)
    if regex is None:
        return False

    def body(text: Mql) -> Mql:
        found = _found(text, regex)
        if not negated:
            return found
        return both(present(text), {"$not": [found]}) if r.nullable(node.arguments[0]) else {"$not": [found]}

    return bind({"text": r.value(node.arguments[0])}, body)


def _found(text: Mql, regex: Regex) -> Mql:
    if regex.text is None:
        return {"$ne": [text, text]}  # a NaN is equal to itself, too
    subject: Mql = {"$toLower": text} if regex.lower else text
    return {"$regexMatch": {"input": subject, **regex_options(regex.text, regex.case)}}


def regex_of(node: Call, r: Renderer) -> Regex | None:
    """The constant pattern's regular expression; None when the pattern is NULL."""
    pattern = constant_pattern(node.arguments[1], r)
    if pattern is None:
        raise gap(f"a pattern of {node.function.value} that is no constant")
    if pattern.value is None:
        return None
    if node.function is Function.GLOB:
        return Regex(glob_regex(pattern.value))
    return _shared_regex(node, pattern.value)


def _shared_regex(node: Call, pattern: str) -> Regex:
    """Ignoring case is the server's own habit only where there are other letters than A to Z, of which it knows more than one."""
    folded = node.function is Function.MATCHES_ANY_CASE
    spread = folded and re.search("[A-Z]-[a-z]", pattern)
    if node.rules is not Rules.POSTGRESQL or not _SHARED.fullmatch(pattern) or _DOUBLED.search(pattern) or spread:
        raise gap(f"the regular expression `{pattern}`")
    regex = re.sub(r"(?<!\\)\$", r"\\z", pattern)
    if folded and not regex.isascii():
        return Regex(regex, case=CaseRule.UNICODE)
    return Regex(regex.lower(), lower=True) if folded else Regex(regex)


PATTERNS = {Function.GLOB: matches, Function.MATCHES: matches, Function.MATCHES_ANY_CASE: matches}
