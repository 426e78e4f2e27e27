"""Functions that match patterns: GLOB, and PostgreSQL's regular expressions where the server's mean the same."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from nestling.emitters.mql.sql.constants import MqlValue
from nestling.emitters.mql.sql.gaps import no_constant, rendering_gap
from nestling.emitters.mql.sql.nulls import bind, both, null_if_any, present
from nestling.emitters.mql.sql.pattern import Regex, constant_pattern, glob_regex, regex_options
from nestling.ir.statements.expression import Call
from nestling.ir.statements.operators import Function, Rules
from nestling.ir.value_forms.letter_case import LOWER_OF, UPPER_OF, known_case

if TYPE_CHECKING:
    from nestling.emitters.mql.sql.renderer import Renderer

_SHARED = re.compile(
    r"(?:[^\\\[\](){}^$*+?|\0]|\\[\\.\[\](){}^$*+?|/-]|\\d|\[\^?[A-Za-z0-9_ .,:;@#%&/(){}|*+?!-]+\]|\((?!\?)|[)^$|*+?]"
    r"|\{[0-9]+(?:,[0-9]*)?\})*"
)
"""What regular expressions of both kinds spell and mean alike."""
_DOUBLED = re.compile(r"[*+?}][*+?{]")
"""Lazy and possessive quantifiers, which are not alike."""

_PART = re.compile(r"\\.|\[[^\]]*\]|.", re.DOTALL)


def matches(node: Call, r: Renderer) -> MqlValue:
    """True, false or null."""
    regex = regex_of(node, r)
    if regex is None:
        return None
    unknown = r.nullable(node.arguments[0])
    return bind(
        {"text": r.value(node.arguments[0])}, lambda text: null_if_any([text] if unknown else [], _found(text, regex))
    )


def matches_truth(node: Call, r: Renderer, *, negated: bool = False) -> MqlValue:
    """Whether the text matches (`negated`: does not); false when it, or the pattern, is NULL."""
    regex = regex_of(node, r)
    if regex is None:
        return False

    def body(text: MqlValue) -> MqlValue:
        found = _found(text, regex)
        if not negated:
            return found
        return both(present(text), {"$not": [found]}) if r.nullable(node.arguments[0]) else {"$not": [found]}

    return bind({"text": r.value(node.arguments[0])}, body)


def _found(text: MqlValue, regex: Regex) -> MqlValue:
    if regex.text is None:
        return {"$ne": [text, text]}  # a NaN is equal to itself, too
    subject: MqlValue = {"$toLower": text} if regex.lower else text
    return {"$regexMatch": {"input": subject, **regex_options(regex.text, any_case=regex.any_case)}}


def regex_of(node: Call, r: Renderer) -> Regex | None:
    """The constant pattern's regular expression; None when the pattern is NULL."""
    pattern = constant_pattern(node.arguments[1], r)
    if pattern is None:
        raise no_constant(f"a pattern of {node.function.value} that is not a constant", node.arguments[1])
    if pattern.value is None:
        return None
    if node.function is Function.GLOB:
        return Regex(glob_regex(pattern.value))
    return _regex_of_mysql(node, pattern.value) if node.rules is Rules.MYSQL else _shared_regex(node, pattern.value)


def _regex_of_mysql(node: Call, pattern: str) -> Regex:
    """MariaDB uses the server's own library of patterns. There `.` matches no end of a line, and digits are of all scripts."""
    if not _SHARED.fullmatch(pattern) or _DOUBLED.search(pattern) or r"\d" in pattern:
        raise rendering_gap(f"the regular expression `{pattern}`")
    regex = _PART.sub(lambda found: r"[^\n]" if found[0] == "." else found[0], pattern)
    return Regex(regex, any_case=node.function is Function.MATCHES_ANY_CASE)


def _shared_regex(node: Call, pattern: str) -> Regex:
    """Letters of any case are looked for in a text in lower case, or, where there are others than A to Z, both cases of each."""
    folded = node.function is Function.MATCHES_ANY_CASE
    spread = folded and re.search("[A-Z]-[a-z]", pattern)
    if node.rules is not Rules.POSTGRESQL or not _SHARED.fullmatch(pattern) or _DOUBLED.search(pattern) or spread:
        raise rendering_gap(f"the regular expression `{pattern}`")
    regex = re.sub(r"(?<!\\)\$", r"\\z", pattern)
    if folded and not regex.isascii():
        return Regex(_in_both_cases(regex))
    return Regex(regex.lower(), lower=True) if folded else Regex(regex)


def _in_both_cases(regex: str) -> str:
    """PostgreSQL looks for the lower and the upper case of each letter."""
    if not known_case(regex):
        raise rendering_gap(f"the case of the letters of `{regex}`")
    return _PART.sub(lambda found: _both_cases(found[0]), regex)


def _both_cases(part: str) -> str:
    if part[0] == "\\":
        return part
    if part[0] == "[":
        return f"{part[:-1]}{part[1:-1].lstrip('^').swapcase()}]"
    lower, upper = part.translate(LOWER_OF), part.translate(UPPER_OF)
    return part if lower == upper else f"[{upper}{lower}]"


def _matched(node: Call, r: Renderer) -> MqlValue:
    """PostgreSQL finds the longest of the texts that match at the first place; the server too, where only one part repeats."""
    regex = regex_of(node, r)
    if regex is None:
        return None
    _require_one_length(str(regex.text))
    found = {"$regexFind": {"input": r.value(node.arguments[0]), **regex_options(str(regex.text))}}
    has_group = "(" in _PART.findall(str(regex.text))
    return bind({"found": found}, lambda x: {"$arrayElemAt": [f"{x}.captures", 0]} if has_group else f"{x}.match")


def _require_one_length(regex: str) -> None:
    """Raise a gap where texts of several lengths may match, but by one character that repeats."""
    parts = _PART.findall(regex)
    repeated = [before for before, part in pairwise(parts) if part in ("*", "+", "?", "{")]
    if len(repeated) > 1 or ")" in repeated or "|" in parts:
        raise rendering_gap(
            f"SUBSTRING by `{regex}`, in which more than one part repeats, or which has alternatives or repeated groups"
        )


PATTERNS = {
    Function.MATCHED: _matched,
    **dict.fromkeys((Function.GLOB, Function.MATCHES, Function.MATCHES_ANY_CASE), matches),
}
