"""Files that are never seen half written."""

from __future__ import annotations

import os
from pathlib import Path
from stat import S_IMODE
from uuid import uuid4


def write_whole(path: Path, content: bytes) -> None:
    """Write the file beside its place, then put it there; what was there stays until then. Raises `OSError`.

    Threads and processes may write the same file at once: it is what one of them wrote. Who may read the file that was there may
    read the new one, and nobody else. A symbolic link stays: the file it leads to is written.
    """
    path = Path(os.path.realpath(path))
    beside = path.with_name(f"{path.name}.{os.getpid()}-{uuid4().hex}.part")
    try:
        if path.exists():
            beside.touch(0o600)
            beside.write_bytes(content)
            beside.chmod(S_IMODE(path.stat().st_mode))
        else:
            beside.write_bytes(content)
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)
