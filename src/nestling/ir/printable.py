"""Any text on the screen and in files for people: what cannot be printed is escaped or left blank."""

from __future__ import annotations


def printable(text: str, kept: str = "") -> str:
    """The text with what cannot be printed escaped as in Python, but for these characters."""
    return "".join(c if c.isprintable() or c in kept else ascii(c)[1:-1] for c in text)


def blanked(text: str) -> str:
    """The text on one line, with a blank for each character that cannot be printed."""
    return "".join(c if c.isprintable() else " " for c in text)


def markdown_code(plain: str) -> str:
    """A printable text as code in Markdown, even if it contains backticks."""
    return f"`` {plain} ``" if "`" in plain else f"`{plain}`"
