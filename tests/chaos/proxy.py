"""A small TCP proxy on loopback that can stall, and break connections: the network as it is on a bad day."""

from __future__ import annotations

import asyncio
import contextlib
from threading import Event, Thread

from nestling.common.supervised import free_port

CLOSING_ROUNDS, CLOSING_SECONDS = 200, 0.02
"""How often, and how long each time, what is still connected is given time to end."""


class Proxy:
    """Listens on `port` and hands everything on to `target`."""

    def __init__(self, target: int) -> None:
        self.port, self._target = free_port(), target
        self._loop = asyncio.new_event_loop()
        self._flows: asyncio.Event
        self._writers: set[asyncio.StreamWriter] = set()
        self._ready = Event()
        self._thread = Thread(target=self._run, daemon=True)
        self._thread.start()
        self._ready.wait()

    def stall(self) -> None:
        """Hand on nothing, until `flow`; connections stay open."""
        self._loop.call_soon_threadsafe(self._flows.clear)

    def flow(self) -> None:
        """Hand on everything again, what was held back first."""
        self._loop.call_soon_threadsafe(self._flows.set)

    def cut(self) -> None:
        """Break every connection there is."""
        self._loop.call_soon_threadsafe(self._cut)

    def close(self) -> None:
        """Listen no more."""
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()

    def _cut(self) -> None:
        for writer in list(self._writers):
            writer.transport.abort()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._flows = asyncio.Event()
        self._flows.set()
        server = self._loop.run_until_complete(asyncio.start_server(self._connected, "127.0.0.1", self.port))
        self._ready.set()
        self._loop.run_forever()
        self._loop.run_until_complete(self._end(server))
        self._loop.close()

    async def _end(self, server: asyncio.Server) -> None:
        """Break what there is, until all has ended: cancelled, what is being accepted or opened would leave its socket open.

        So would what has been accepted when the server closes and was not begun: nothing more is accepted first.
        """
        for each in server.sockets:
            self._loop.remove_reader(each)
        await asyncio.sleep(CLOSING_SECONDS)
        server.close()
        self._flows.set()
        for _ in range(CLOSING_ROUNDS):
            self._cut()
            await asyncio.sleep(CLOSING_SECONDS)  # what is broken closes its socket when the loop comes round again
            if asyncio.all_tasks() == {asyncio.current_task()} and not self._writers:
                return

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        both = {writer}
        self._writers.add(writer)
        try:
            there, away = await asyncio.open_connection("127.0.0.1", self._target)
            both.add(away)
            self._writers.add(away)
            await asyncio.gather(self._pump(reader, away), self._pump(there, writer))
        except OSError:  # the target is down
            pass
        finally:
            for each in both:
                each.transport.abort()
            self._writers -= both

    async def _pump(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError):
            while part := await reader.read(1 << 16):
                await self._flows.wait()
                writer.write(part)
                await writer.drain()
        writer.transport.abort()
