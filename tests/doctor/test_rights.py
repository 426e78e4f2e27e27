"""What a user may not ask is named, and the rest is found all the same."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pymongo import MongoClient

from nestling.common.errors import PermissionDenied
from nestling.common.server import Server
from nestling.pipeline import capture, facts_of
from tests.cli.commands import nestling
from tests.doctor.faults import FAULTS, clean
from tests.doctor.looking import found, places
from tests.servers import PASSWORD, guarded_mongod


@pytest.fixture(scope="module")
def guarded(mongod: Server) -> Iterator[str]:
    """The address of a mongod with access control, with a faulty database, a user who may read it and one who may nothing."""
    with guarded_mongod() as address, MongoClient[dict[str, Any]](f"mongodb://root:{PASSWORD}@{address}") as client:
        clean(client.shop)
        FAULTS["mixed-types"].plant(client.shop, True)
        client.admin.command("createUser", "reader", pwd="readersecret", roles=[{"role": "read", "db": "shop"}])
        client.admin.command("createUser", "nobody", pwd="nobodysecret", roles=[])
        yield address


def test_the_read_role_is_enough(guarded: str) -> None:
    """A user who may only read one database gets every finding; what needs more is named once."""
    facts = facts_of(f"mongodb://reader:readersecret@{guarded}/shop?authSource=admin")
    assert places(found(facts)) == {("mixed-types", "things", "rating")}
    told = {each.what: each.why for each in facts.skipped}
    assert "--rest 0" in told.pop("whether others use the server")
    assert set(told.values()) == {"the user may not do this"}
    assert "server uptime (serverStatus)" in {each.what for each in facts.skipped}


@pytest.mark.thorough
def test_the_databases_a_reader_may_see_are_found(guarded: str) -> None:
    """Without a database in the URI, those the user may read are looked at."""
    facts = facts_of(f"mongodb://reader:readersecret@{guarded}/?authSource=admin")
    assert facts.databases == ("shop",)


def test_a_user_who_may_nothing_is_told_so(guarded: str) -> None:
    """No right at all is an error in words, or a report that names everything it could not see."""
    uri = f"mongodb://nobody:nobodysecret@{guarded}/shop?authSource=admin"
    with pytest.raises(PermissionDenied, match="nothing") as caught:
        facts_of(uri)
    assert "nobodysecret" not in str(caught.value)


def test_what_a_reader_may_not_see_of_statements_is_named(guarded: str) -> None:
    """Profiler, log and query statistics need more than `read`: a capture says so and is empty, and shows no password."""
    captured = capture([f"mongodb://reader:readersecret@{guarded}/shop?authSource=admin"])
    assert captured.seen == ()
    assert {each.what for each in captured.skipped} >= {"the profiler of shop", "the server's log"}
    assert {each.why for each in captured.skipped} == {"the user may not do this"}


def test_a_capture_that_may_not_look_says_so(guarded: str) -> None:
    """Where the user may not look, nobody says that nothing was asked, or that the profiler is off."""
    done = nestling("capture", f"mongodb://reader:readersecret@{guarded}/shop?authSource=admin")
    assert (done.code, done.out) == (2, "")
    assert "the user may not see which statements the server received: the profiler of shop" in done.err
    assert "setProfilingLevel" not in done.err
    assert "readersecret" not in done.err


@pytest.mark.thorough
def test_a_readers_model_is_written(guarded: str, tmp_path: Path) -> None:
    """What a reader may not see are gaps of a model that is complete otherwise: exit code 0."""
    uri = f"mongodb://reader:readersecret@{guarded}/shop?authSource=admin"
    done = nestling("inspect", uri, "-o", "model.yaml", "--design-out", "today.yaml", cwd=tmp_path)
    assert done.code == 0, done.err
    assert (tmp_path / "model.yaml").exists()
    assert "gap: the profiler of shop, shop.system.profile, the server's log: the user may not do this" in done.err
