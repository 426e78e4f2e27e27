"""`docs/patterns/*.md`: one page for each pattern that is proposed, from its module and the cases that show its form."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable
from functools import partial
from importlib import import_module
from itertools import pairwise

from nestling.patterns import pattern_names
from scripts.pages._markdown import table
from scripts.pages._pattern_case import cases, section

ALSO = {
    "computed": ("pre_aggregation",),
    "embed": ("one_to_one", "junction_with_payload", "outlier"),
    "own_collection": ("parent_reference",),
    "subset": ("log_tail",),
    "two_way_reference": ("many_to_many_one_side", "many_to_many_both_sides"),
    "extended_reference": ("snapshot",),
    "compound_index": (),
}
"""Cases that show a pattern's form beside those that begin with its name."""
TAIL = """
Whether it pays is for the costs to say: [how the least-cost design is found](../optimizer.md). All forms are in
[the catalogue](../patterns.md).
"""


def pages() -> dict[str, Callable[[], str]]:
    """File name to what makes its text."""
    return {f"patterns/{stem.replace('_', '-')}.md": partial(_page, stem) for stem in pattern_names()}


def titles() -> dict[str, str]:
    """Stem of each pattern to what it is called."""
    return {stem: _said(stem)[0] for stem in pattern_names()}


def shown_by() -> dict[str, tuple[str, ...]]:
    """Stem of each pattern to the cases that show its form."""
    names = [case.name for case in cases()]
    return {
        stem: tuple(dict.fromkeys((*(n for n in names if n.startswith(stem)), *ALSO.get(stem, ()))))
        for stem in pattern_names()
    }


def _page(stem: str) -> str:
    title, about = _said(stem)
    by_name = {case.name: case for case in cases()}
    shown = [section(by_name[name]) for name in shown_by()[stem]]
    module = import_module(f"nestling.patterns.{stem}")
    proposes = inspect.cleandoc(module.candidates.__doc__ or "")
    parts = [f"# {title}", about, f"**What it proposes.** {proposes}", _numbers(stem), *shown]
    return "\n\n".join(part.strip() for part in parts if part.strip()) + "\n" + TAIL


def _said(stem: str) -> tuple[str, str]:
    """The title and the text of a pattern's docstring, which begins `Title (codes): text`."""
    text = inspect.cleandoc(import_module(f"nestling.patterns.{stem}").__doc__ or stem)
    first, _, rest = text.partition("\n\n")
    head, _, said = first.replace("\n", " ").partition(": ")
    title = re.sub(r" \([^)]*\)", "", head)
    return title.rstrip("."), "\n\n".join(part for part in (f"{said[:1].upper()}{said[1:]}", rest) if part)


def _numbers(stem: str) -> str:
    """The module's constants that carry a docstring, with what they are."""
    body = ast.parse(inspect.getsource(import_module(f"nestling.patterns.{stem}"))).body
    rows = []
    for at, after in pairwise(body):
        match at, after:
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=ast.Constant(value=value)),
                ast.Expr(value=ast.Constant(value=str(said))),
            ):
                rows.append((f"`{name}`", f"{value:,}" if isinstance(value, int) else value, " ".join(said.split())))
            case _:
                pass
    return table(("number", "value", "what"), rows) if rows else ""
