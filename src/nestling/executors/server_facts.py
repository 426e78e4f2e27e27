"""Describes a server and the machine it runs on."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from pymongo.database import Database
from pymongo.errors import OperationFailure


@dataclass(frozen=True, slots=True)
class ServerDescription:
    """Version, storage engine, bytes of its cache (0 when it does not say) and the hardware in words."""

    version: str
    engine: str
    cache_bytes: float
    hardware: str


def server_facts(database: Database[Any]) -> ServerDescription:
    """Ask the server; facts that the user may not see are omitted."""
    client = database.client
    version = str(client.server_info()["version"])
    status: dict[str, Any] = {}
    host: dict[str, Any] = {}
    with suppress(OperationFailure):
        status = client.admin.command("serverStatus")
    with suppress(OperationFailure):
        host = client.admin.command("hostInfo")
    cache = status.get("wiredTiger", {}).get("cache", {}).get("maximum bytes configured", 0)
    engine = status.get("storageEngine", {}).get("name", "wiredTiger")
    return ServerDescription(version, str(engine), float(cache), _hardware(host))


def _hardware(host: dict[str, Any]) -> str:
    system, extra = host.get("system", {}), host.get("extra", {})
    cores, memory = system.get("numCores"), system.get("memSizeMB")
    words = [
        f"{cores} cores" if cores else "",
        f"{memory / 1024:.0f} GiB" if memory else "",
        str(extra.get("cpuString") or system.get("cpuArch") or ""),
    ]
    return ", ".join(word for word in words if word) or "hardware unknown"


def compression(database: Database[Any]) -> float | None:
    """Bytes on disk per byte of data, from this database's collections; None if the server cannot say."""
    with suppress(OperationFailure):
        database.client.admin.command("fsync")
        stats = database.command("dbStats")
        if stats.get("dataSize"):
            return round(float(stats["storageSize"]) / float(stats["dataSize"]), 3)
    return None
