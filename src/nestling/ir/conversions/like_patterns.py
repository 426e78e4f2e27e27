"""LIKE patterns as regular expressions that match exactly the same texts."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import Any

from nestling.ir.conversions.letters_alike import letters_alike

SPECIAL = re.compile(r"[\\^$.|?*+()\[\]{}]")


def like_parts(pattern: str, escape: str | None) -> list[tuple[str, str]] | None:
    """Characters and wildcards in order, `any` and `one`; None when the pattern ends with its escape character.

    No wildcard is among them where the escape is empty.
    """
    parts: list[tuple[str, str]] = []
    is_escaped = False
    for character in pattern:
        if not is_escaped and character == escape:
            is_escaped = True
            continue
        kind = {"%": "any", "_": "one"}.get(character, "") if not is_escaped and escape != "" else ""
        parts.append((kind, character))
        is_escaped = False
    return None if is_escaped else parts


def anchored(parts: list[tuple[str, str]], quoted: Callable[[str], str]) -> str:
    """The texts between `%`, each taken where it is met first and never given back: the search is linear in the text.

    Leading and trailing `%` of a single text are left out: an unanchored end says the same and lets an index serve a prefix.
    """
    texts: list[str] = [""]
    for kind, character in parts:
        if kind == "any":
            texts.append("")
        else:
            texts[-1] += "." if kind else quoted(character)
    between = [text for text in texts[1:-1] if text]
    return f"^{texts[0]}\\z" if len(texts) == 1 else linear(texts[0], between, texts[-1])


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


def escaped(text: str) -> str:
    """A text as a regular expression for itself."""
    return SPECIAL.sub(lambda match: "\\" + match[0], text).replace("\0", "\\x00")


def in_class(character: str) -> str:
    """A character inside a regular expression's class."""
    return "\\x00" if character == "\0" else "\\" + character if character in "\\^-[]" else character


@cache
def alike(character: str) -> str:
    """A regular expression for the characters of the same primary weight, neighbours as ranges."""
    found = next((line for line in letters_alike() if character in line), character)
    if len(found) == 1:
        return escaped(character)
    runs: list[str] = []
    for each in found:
        if runs and ord(runs[-1][-1]) + 1 == ord(each):
            runs[-1] += each
        else:
            runs.append(each)
    return f"[{''.join(map(run_in_class, runs))}]"


def run_in_class(run: str) -> str:
    """Characters that follow each other, inside a class."""
    return f"{in_class(run[0])}-{in_class(run[-1])}" if len(run) > 2 else "".join(map(in_class, run))


def primary_regex(pattern: str, escape: str | None) -> str:
    """MySQL's LIKE, whatever case and accents; an escape with nothing after it stands for itself."""
    parts = like_parts(pattern, escape)
    return anchored(like_parts(f"{pattern}{escape}", escape) or [] if parts is None else parts, alike)


def as_primary_regex(escape: str | None, before: str, after: str) -> Callable[[Any], Any]:
    """Gives a function that reads a text as a pattern and makes its regular expression, with `before` and `after` around it."""

    def convert(value: Any) -> Any:
        return primary_regex(before + value + after, escape) if isinstance(value, str) else value

    return convert


def as_regex(escape: str | None, before: str, after: str, any_ascii_case: bool) -> Callable[[Any], Any]:
    """From a text to the regular expression of the pattern it is, between these texts; NULL matches nothing."""

    def convert(value: Any) -> Any:
        if isinstance(value, int):
            value = str(value)
        if value is not None and not isinstance(value, str):
            return value
        parts = None if value is None else like_parts(before + value + after, escape)
        return "(?!)" if parts is None else anchored(parts, ascii_alike if any_ascii_case else escaped)

    return convert


def ascii_alike(character: str) -> str:
    """A regular expression for a character whatever its case, where it is a letter of ASCII."""
    if character.isascii() and character.isalpha():
        return f"[{character.lower()}{character.upper()}]"
    return escaped(character)
