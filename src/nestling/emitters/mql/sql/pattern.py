"""LIKE and GLOB patterns as regular expressions that match exactly the same texts."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from nestling.emitters.mql.sql.constants import Mql, is_inline, literal_value
from nestling.emitters.mql.sql.nulls import bind, both, present
from nestling.emitters.mql.sql.placeholder import Placeholder
from nestling.ir.expression import CaseRule, Expression, Like

if TYPE_CHECKING:
    from nestling.emitters.mql.sql.renderer import Renderer

_SPECIAL = re.compile(r"[\\^$.|?*+()\[\]{}]")
_ANY, _ONE = "any", "one"
Part = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Pattern:
    """A pattern known now; None is NULL."""

    value: str | None


def like_truth(node: Like, r: Renderer, *, negated: bool = False) -> Mql:
    """Whether the text matches (`negated`: does not); false when either is NULL."""
    pattern = constant_pattern(node.pattern, r)
    if pattern is None:
        return _computed_truth(node, r, negated=negated)
    if pattern.value is None:
        return False
    regex = like_regex(pattern.value, node.escape, node.case)
    return matches(node.operand, regex, node.case, r, negated=negated)


def matches(operand: Expression, regex: str | None, case: CaseRule, r: Renderer, *, negated: bool = False) -> Mql:
    """Whether a text matches a regular expression; None is one that matches nothing. False when the text is NULL."""

    def body(text: Mql) -> Mql:
        if regex is None:
            return present(text) if negated else False
        found: Mql = {"$regexMatch": {"input": text, **regex_options(regex, case)}}
        if not negated:
            return found
        return both(present(text), {"$not": [found]}) if r.nullable(operand) else {"$not": [found]}

    return bind({"text": r.value(operand)}, body)


def constant_pattern(expression: Expression, r: Renderer) -> Pattern | None:
    """The pattern when it is known before the statement runs."""
    value = r.value(expression)
    found = literal_value(value) if is_inline(value) else Placeholder("")
    if isinstance(found, Placeholder):
        return None
    return Pattern(found if isinstance(found, str) or found is None else str(found))


def _computed_truth(node: Like, r: Renderer, *, negated: bool) -> Mql:
    """The regular expression is built by the server, from the pattern's characters one by one."""
    options = {"options": "si" if node.case is CaseRule.UNICODE else "s"}

    def body(text: Mql, pattern: Mql) -> Mql:
        lower = node.case is CaseRule.ASCII
        regex = _computed_regex(pattern, node.escape)
        sides = (
            {"input": {"$toLower": text}, "regex": {"$toLower": regex}} if lower else {"input": text, "regex": regex}
        )
        found: Mql = {"$regexMatch": {**sides, **options}}
        if node.escape is not None:
            one = escaped(node.escape)
            unfinished = {
                "input": pattern,
                "regex": f"^(?:[^{_in_class(node.escape)}]|{one}.)*{one}\\z",
                "options": "s",
            }
            found = both({"$not": [{"$regexMatch": unfinished}]}, found)
        return both(present(text), present(pattern), {"$not": [found]} if negated else found)

    return bind({"text": r.value(node.operand), "pattern": r.value(node.pattern)}, body, inside=True)


_WILD = "(*)"
"""Stands for `%` until the parts between are known; no quoted text can hold it."""


def _computed_regex(pattern: Mql, escape: str | None) -> Mql:
    one = "." if escape is None else f"{escaped(escape)}(.)|[^{_in_class(escape)}]"
    characters = {"$regexFindAll": {"input": pattern, "regex": one, "options": "s"}}
    wild = {"$switch": {
        "branches": [
            {"case": {"$eq": ["$$this.match", "%"]}, "then": _WILD},
            {"case": {"$eq": ["$$this.match", "_"]}, "then": "."},
        ],
        "default": _computed_literal("$$this.match"),
    }}  # fmt: skip
    quoted: Mql = {"$first": "$$this.captures"}
    part = wild if escape is None else {"$cond": [{"$lte": [quoted, None]}, wild, _computed_literal(quoted)]}
    joined = {"$reduce": {"input": characters, "initialValue": "", "in": {"$concat": ["$$value", part]}}}
    return bind({"parts": {"$split": [joined, _WILD]}}, _computed_parts)


def _computed_parts(parts: Mql) -> Mql:
    """As `_anchored` does it."""
    inner = {"$slice": [parts, 1, {"$max": [1, {"$subtract": [{"$size": parts}, 2]}]}]}
    between = {"$cond": [{"$lt": [{"$size": parts}, 3]}, [], inner]}
    found = {"$concat": ["$$value", "(?>.*?", "$$this", ")"]}
    middle = {"$reduce": {"input": between, "initialValue": "", "in": found}}
    several = {"$concat": ["^", {"$first": parts}, middle, ".*", {"$last": parts}, "\\z"]}
    return {"$cond": [{"$eq": [{"$size": parts}, 1]}, {"$concat": ["^", {"$first": parts}, "\\z"]}, several]}


def _computed_literal(character: Mql) -> Mql:
    plain = {"$regexMatch": {"input": character, "regex": "^[0-9A-Za-z]"}}
    return {"$cond": [plain, character, {"$concat": ["\\", character]}]}


def regex_options(regex: str, case: CaseRule) -> dict[str, Mql]:
    """The fields `$regexMatch` and `$match` share: dots match line ends, and Unicode's case rule is the server's own."""
    options = ("s" if "." in regex else "") + ("i" if case is CaseRule.UNICODE else "")
    return {"regex": regex, "options": options} if options else {"regex": regex}


def like_regex(pattern: str, escape: str | None, case: CaseRule) -> str | None:
    """The pattern as an anchored regular expression; None when it ends in the middle of an escape and matches nothing."""
    parts = like_parts(pattern, escape)
    return None if parts is None else _anchored(parts, case)


def like_prefix(pattern: str, escape: str | None) -> tuple[str, str] | None:
    """(text, rest of wildcards) when the pattern is a text and at most a `%` after it: what an exact LIKE asks a range for."""
    parts = like_parts(pattern, escape)
    if parts is None:
        return None
    text = "".join(value for kind, value in parts if not kind)
    wild = [kind for kind, _ in parts if kind]
    ends = not parts or parts[-1][0] == _ANY
    return (text, "".join(wild)) if not wild or (wild == [_ANY] and ends) else None


def like_parts(pattern: str, escape: str | None) -> list[Part] | None:
    """Characters and wildcards in order; None when the pattern ends with its escape character."""
    parts: list[Part] = []
    escaped = False
    for character in pattern:
        if not escaped and character == escape:
            escaped = True
            continue
        kind = {"%": _ANY, "_": _ONE}.get(character, "") if not escaped else ""
        parts.append((kind, character))
        escaped = False
    return None if escaped else parts


def _anchored(parts: list[Part], case: CaseRule) -> str:
    """The texts between `%`, each taken where it is met first and never given back: the search is linear in the text.

    Leading and trailing `%` of a single text are left out: an unanchored end says the same and lets an index serve a prefix.
    """
    texts: list[str] = [""]
    for kind, character in parts:
        if kind == _ANY:
            texts.append("")
        else:
            texts[-1] += _part_regex(kind, character, case)
    first, last = texts[0], texts[-1]
    between = [text for text in texts[1:-1] if text]
    return f"^{first}\\z" if len(texts) == 1 else linear(first, between, last)


def linear(first: str, between: list[str], last: str) -> str:
    """A text that begins with `first`, ends with `last` and has the others in this order between them."""
    if not first and not last and len(between) < 2:
        return "".join(between)
    if first and not between and not last:
        return f"^{first}"
    if last and not between and not first:
        return f"{last}\\z"
    inner = "".join(f"(?>.*?{text})" for text in between)
    return f"^{first}{inner}" + (f".*{last}\\z" if last else "")


def _part_regex(kind: str, character: str, case: CaseRule) -> str:
    if kind:
        return "."
    if case is CaseRule.ASCII and character.isascii() and character.isalpha():
        return f"[{character.lower()}{character.upper()}]"
    return escaped(character)


def escaped(text: str) -> str:
    """A text as a regular expression for itself."""
    return _SPECIAL.sub(lambda match: "\\" + match[0], text).replace("\0", "\\x00")


def glob_regex(pattern: str) -> str | None:
    """SQLite's GLOB as an anchored regular expression; None when a `[` is never closed and nothing matches."""
    texts, place = [""], 0
    while place < len(pattern):
        character = pattern[place]
        if character == "[":
            parsed = _glob_class(pattern, place + 1)
            if parsed is None:
                return None
            one, place = parsed
            texts[-1] += one
            continue
        if character == "*":
            texts.append("")
        else:
            texts[-1] += "." if character == "?" else escaped(character)
        place += 1
    between = [text for text in texts[1:-1] if text]
    return f"^{texts[0]}\\z" if len(texts) == 1 else linear(texts[0], between, texts[-1])


def _glob_class(pattern: str, place: int) -> tuple[str, int] | None:
    """The class that starts at `place`, and the place after it. `]` is literal when it comes first."""
    negated = pattern[place : place + 1] == "^"
    place += negated
    inner = ""
    if pattern[place : place + 1] == "]":
        inner, place = "\\]", place + 1
    while place < len(pattern) and pattern[place] != "]":
        character = pattern[place]
        after = pattern[place + 2 : place + 3]
        if pattern[place + 1 : place + 2] == "-" and after not in ("", "]"):
            inner += _range(character, after)
            place += 3
            continue
        inner += _in_class(character)
        place += 1
    if place >= len(pattern):
        return None
    one = f"[{'^' if negated else ''}{inner}]" if inner else ("." if negated else "(?!)")
    return one, place + 1


def _range(first: str, last: str) -> str:
    """A range whose ends are the wrong way round holds nothing but is no error in SQLite."""
    return f"{_in_class(first)}-{_in_class(last)}" if first <= last else ""


def _in_class(character: str) -> str:
    return "\\x00" if character == "\0" else "\\" + character if character in "\\^-[]" else character
