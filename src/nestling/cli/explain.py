"""`nestling explain`: why a design is as it is."""

from __future__ import annotations

from pathlib import Path

import click

from nestling.cli.parts import options


@click.command(
    "explain",
    short_help="Explain a design: questions, numbers, rules, alternatives.",
    epilog="\b\nExample:\n  nestling explain design.yaml product_review",
)
@options.design_file
@click.argument("about", metavar="[NAME]", required=False)
@click.option(
    "--all", "everything", is_flag=True, help="Everything known about the design, not only what was decisive."
)
@options.as_json
def command(design: Path, about: str | None, everything: bool, as_json: bool) -> None:
    """Explain why a design is as it is: the numbers found, the rules cited, and what else was possible.

    NAME is a relationship, an entity or a statement: everything about it is shown. Without NAME, each decision is shown with what
    decided it; --all adds the rest. Every rule cited is either published guidance, named with its source, or marked as nestling's
    own.
    """
    from nestling.cli.parts import text
    from nestling.emitters.explanation.short_text import short_text
    from nestling.emitters.explanation.text import explanation_text
    from nestling.pipeline import explain, read_proposal

    proposal = read_proposal(design)
    explained = explain(proposal, about)
    if as_json:
        from dataclasses import asdict

        text.print_json(asdict(explained))
        return
    if about is None and proposal.design.model.relationships and not explained.decisions:
        text.say("This design was written by hand: it has no decisions to explain.")
    width = text.prose_width()
    if about is None and not everything:
        text.page(short_text(explained, width=width))
        return
    text.page(explanation_text(explained, lacking_first=about is not None, width=width))
