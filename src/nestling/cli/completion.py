"""`nestling completion`: what lets a shell complete commands, options and files."""

from __future__ import annotations

import click

from nestling.cli.parts import options

SHELLS = ("bash", "zsh", "fish")
SET_UP = {"bash": "~/.bashrc", "zsh": "~/.zshrc", "fish": "~/.config/fish/completions/nestling.fish"}


@click.command(
    "completion",
    short_help="Print what lets your shell complete commands and options.",
    epilog="\b\nExample:\n  nestling completion bash >> ~/.bashrc",
)
@click.argument("shell", type=click.Choice(SHELLS))
@options.as_json
def command(shell: str, as_json: bool) -> None:
    """Print the lines that let SHELL complete commands, options and files. They belong into the file it reads when it starts."""
    from click.shell_completion import get_completion_class

    from nestling.cli import group
    from nestling.cli.parts import text

    kind = get_completion_class(shell)
    assert kind is not None
    maker = kind(group, {}, "nestling", "_NESTLING_COMPLETE")
    script = (maker.source_template % maker.source_vars()).strip()
    if as_json:
        text.print_json({"shell": shell, "file": SET_UP[shell], "script": script})
        return
    click.echo(script)
    text.say(f"For {shell} this belongs into {SET_UP[shell]}.")
