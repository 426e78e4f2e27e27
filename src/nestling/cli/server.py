"""`nestling server`: the embedded MongoDB in the foreground."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from nestling.cli.parts import options

if TYPE_CHECKING:
    from nestling.common.server import Server

POLL_SECONDS = 0.5


@click.command(
    "server",
    short_help="Run the embedded MongoDB until Ctrl-C; prints its URI.",
    epilog="\b\nExample:\n  nestling server --data-dir ~/shop-mongodb",
)
@click.option(
    "--data-dir",
    type=options.RESULT_FOLDER,
    metavar="DIR",
    help="Keep the data here, for later runs. Default: a temporary directory, removed at the end.",
)
@options.as_json
def command(data_dir: Path | None, as_json: bool) -> None:
    """Run the embedded MongoDB until Ctrl-C or SIGTERM. Its URI is the only line on stdout.

    It listens only on 127.0.0.1 and asks for no password: anyone on the same machine can read what is loaded into it.
    """
    from nestling.cli.parts import text
    from nestling.common.server import start_server

    with start_server(data_directory=data_dir) as server:
        try:
            _say_where(server, data_dir, as_json=as_json)
            while (ended := server.end()) is None:
                time.sleep(POLL_SECONDS)
        except KeyboardInterrupt:
            text.say("Stopping.")
            return
        raise ended


def _say_where(server: Server, data_dir: Path | None, *, as_json: bool) -> None:
    from nestling.cli.parts import text

    if as_json:
        kept = str(data_dir.absolute()) if data_dir is not None else None
        text.print_json({"uri": server.uri, "version": server.version, "origin": server.origin, "data_directory": kept})
        return
    click.echo(server.uri)
    text.say(f"{server.text()}, {f'data in {data_dir}' if data_dir else 'temporary data'}. Ctrl-C stops it.")
