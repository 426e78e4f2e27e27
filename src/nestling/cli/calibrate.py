"""`nestling calibrate`: measures the cost of work on your server."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from nestling.cli import FINE
from nestling.cli.parts import options

if TYPE_CHECKING:
    from nestling.pipeline import Calibrated


@click.command(
    "calibrate",
    short_help="Measure what reads and writes cost on your server.",
    epilog="\b\nExample:\n  nestling calibrate mongodb://localhost -o profile.yaml",
)
@click.argument("uri", required=False)
@options.output_file("the profile")
@click.option("--name", default="calibrated", show_default=True, metavar="NAME", help="What to call the profile.")
@click.option(
    "--seconds",
    type=options.FiniteRange(5, 150),
    default=75.0,
    show_default=True,
    help="How long to measure, not counting loading.",
)
@options.as_json
def command(uri: str | None, output: Path | None, name: str, seconds: float, as_json: bool) -> int:
    """Measure what reads and writes cost on the server at URI: a profile by which `design` weighs alternatives.

    Works in scratch databases of its own and drops them. Without URI it measures the embedded MongoDB. Run it when the server has
    little else to do.
    """
    from nestling.cli.parts import text
    from nestling.cli.parts.progress import progress
    from nestling.cost.profile_text import profile_text
    from nestling.pipeline import calibrate

    text.check_place(output)
    with progress(enabled=not as_json) as watch:
        made = calibrate(uri, name=name, seconds=seconds, watch=watch)
    if output is not None:
        text.write_result(output, profile_text(made.profile))
    if as_json:
        text.print_json(calibrate_json(made))
    else:
        show(made)
        if output is None:
            text.say("Not saved: add -o cost.yaml to write a profile for `nestling design --profile`.")
        else:
            text.say(f"Wrote {output}")
            text.say_next(
                f"nestling design SOURCE --workload workload.sql --profile {text.argument(output)} -o design.yaml"
            )
    return FINE


def calibrate_json(made: Calibrated) -> dict[str, object]:
    """The documented shape: name, identity, compression, coefficients, measurements."""
    profile = made.profile
    identity = profile.identity
    return {
        "name": profile.name,
        "identity": {
            "server": identity.server,
            "engine": identity.engine,
            "cache_bytes": int(identity.cache_bytes),
            "hardware": identity.hardware,
        },
        "compression": profile.compression,
        "coefficients": {
            each.name: {"seconds": each.seconds, "unit": each.unit, "doubt": each.doubt, "source": each.source}
            for each in profile.coefficients
        },
        "measurements": [
            {"name": each.name, "seconds": each.seconds, "q_error": error}
            for each, error in zip(made.measurements, made.errors, strict=True)
        ],
    }


def show(made: Calibrated) -> None:
    """Print the coefficients, and how well they fit the measurements."""
    from nestling.cli.parts.table import table
    from nestling.cli.parts.text import counted

    identity = made.profile.identity
    title = f"MongoDB {identity.server}, {identity.engine}, {identity.hardware}"
    rows = [
        (each.name, f"{each.seconds:.3g}", each.unit, f"±{each.doubt:.0%}", each.source.split(",")[0])
        for each in made.profile.coefficients
    ]
    table(title, ("coefficient", "seconds", "unit", "doubt", "source"), rows, right=(1, 3))
    errors = sorted(made.errors)
    half, most = errors[len(errors) // 2], errors[int(len(errors) * 0.95)]
    click.echo(
        f"\n{counted(len(errors), 'experiment')}; predicted and measured times differ by a factor of {half:.2f} "
        f"(median), {most:.2f} (p95)."
    )
