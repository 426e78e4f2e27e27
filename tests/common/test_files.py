"""Files that are never seen half written."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from nestling.common.files import write_whole


def test_threads_may_write_one_file(tmp_path: Path) -> None:
    """Each writes a file of its own first, so none takes away another's; nothing else stays."""
    path = tmp_path / "file.json"
    contents = [bytes([48 + number]) * 100_000 for number in range(8)]

    def write(content: bytes) -> None:
        for _ in range(50):
            write_whole(path, content)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(write, contents))
    assert path.read_bytes() in contents
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_stays_as_private_as_it_was(tmp_path: Path) -> None:
    """Another one in its place is read by nobody else."""
    path = tmp_path / "design.yaml"
    path.write_bytes(b"old")
    for mode in (0o600, 0o444, 0o644):
        path.chmod(mode)
        write_whole(path, b"new")
        assert (path.read_bytes(), path.stat().st_mode & 0o777) == (b"new", mode)


def test_a_link_stays(tmp_path: Path) -> None:
    """The file it leads to is written, also one that is not there yet, and one in another folder."""
    (tmp_path / "kept").mkdir()
    target, link = tmp_path / "kept" / "design.yaml", tmp_path / "design.yaml"
    link.symlink_to(Path("kept") / "design.yaml")
    for content in (b"first", b"second"):
        write_whole(link, content)
        assert (link.is_symlink(), target.read_bytes()) == (True, content)
    assert list(target.parent.iterdir()) == [target]
