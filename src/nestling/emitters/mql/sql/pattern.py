"""LIKE and GLOB patterns in the server's terms: regular expressions, known now or made by the server."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeGuard

from nestling.emitters.conversions.like_patterns import anchored, escaped, in_class, like_parts, linear, primary_regex
from nestling.emitters.mql.sql.constants import Mql, is_inline, literal_value
from nestling.emitters.mql.sql.gaps import gap
from nestling.emitters.mql.sql.nulls import bind, both, present
from nestling.emitters.mql.sql.placeholder import Placeholder, WildPattern
from nestling.ir.expression import Call, CaseRule, Expression, Function, Like

if TYPE_CHECKING:
    from nestling.emitters.mql.sql.renderer import Renderer


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
    if node.case is CaseRule.PRIMARY:
        return _given_truth(node, r, negated=negated)
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
                "regex": f"^(?:[^{in_class(node.escape)}]|{one}.)*{one}\\z",
                "options": "s",
            }
            found = both({"$not": [{"$regexMatch": unfinished}]}, found)
        return both(present(text), present(pattern), {"$not": [found]} if negated else found)

    return bind({"text": r.value(node.operand), "pattern": r.value(node.pattern)}, body, inside=True)


def _given_truth(node: Like, r: Renderer, *, negated: bool) -> Mql:
    """By MySQL's collations: the regular expression is made of the parameter when it is given."""
    given = _given_pattern(node, r)
    if given is None:
        made = (
            "made of columns or several parameters"
            if isinstance(node.pattern, Call)
            else "that is no constant or parameter"
        )
        raise gap(f"LIKE whatever case and accents with a pattern {made}")

    def body(text: Mql, pattern: Mql) -> Mql:
        found: Mql = {"$regexMatch": {"input": text, "regex": pattern, "options": "s"}}
        return both(present(text), present(pattern), {"$not": [found]} if negated else found)

    return bind({"text": r.value(node.operand), "pattern": given}, body, total=True)


def _given_pattern(node: Like, r: Renderer) -> Mql:
    """The one parameter a pattern is made of, maybe between constants; None for any other pattern."""
    parts = node.pattern.arguments if _is_concat(node.pattern) else (node.pattern,)
    values = [literal_value(value) for value in map(r.value, parts) if is_inline(value)]
    given = [value for value in values if isinstance(value, Placeholder)]
    texts = [value for value in values if isinstance(value, str)]
    if len(given) != 1 or len(texts) + 1 < len(parts):
        return None
    place = values.index(given[0])
    pattern = WildPattern(node.escape, "".join(texts[:place]), "".join(texts[place:]))
    return {"$literal": replace(given[0], pattern=pattern)}


def _is_concat(pattern: Expression) -> TypeGuard[Call]:
    return isinstance(pattern, Call) and pattern.function is Function.CONCAT


_WILD = "(*)"
"""Stands for `%` until the parts between are known; no quoted text can hold it."""


def _computed_regex(pattern: Mql, escape: str | None) -> Mql:
    one = "." if escape is None else f"{escaped(escape)}(.)|[^{in_class(escape)}]"
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
    """As `anchored` does it."""
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
    if case is CaseRule.PRIMARY:
        return primary_regex(pattern, escape)
    parts = like_parts(pattern, escape)
    return None if parts is None else anchored(parts, lambda character: _quoted(character, case))


def like_prefix(pattern: str, escape: str | None) -> tuple[str, str] | None:
    """(text, rest of wildcards) when the pattern is a text and at most a `%` after it: what an exact LIKE asks a range for."""
    parts = like_parts(pattern, escape)
    if parts is None:
        return None
    text = "".join(value for kind, value in parts if not kind)
    wild = [kind for kind, _ in parts if kind]
    ends = not parts or parts[-1][0] == "any"
    return (text, "".join(wild)) if not wild or (wild == ["any"] and ends) else None


def _quoted(character: str, case: CaseRule) -> str:
    if case is CaseRule.ASCII and character.isascii() and character.isalpha():
        return f"[{character.lower()}{character.upper()}]"
    return escaped(character)


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
        inner += in_class(character)
        place += 1
    if place >= len(pattern):
        return None
    one = f"[{'^' if negated else ''}{inner}]" if inner else ("." if negated else "(?!)")
    return one, place + 1


def _range(first: str, last: str) -> str:
    """A range whose ends are the wrong way round holds nothing but is no error in SQLite."""
    return f"{in_class(first)}-{in_class(last)}" if first <= last else ""
