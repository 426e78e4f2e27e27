"""Nothing shows a password."""

from __future__ import annotations

from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nestling.common.redaction import redact


@pytest.mark.parametrize(
    ("text", "redacted"),
    [
        ("mongodb://ada:secret@host:27017/db", "mongodb://ada:***@host:27017/db"),
        ("mongodb+srv://ada:secret@host/db?w=1", "mongodb+srv://ada:***@host/db?w=1"),
        ("mongodb://ada:p%40ss%2Fw@a:1,b:2/db", "mongodb://ada:***@a:1,b:2/db"),
        ("mongodb://ada:p@ss/w?rd@host/db", "mongodb://ada:***@host/db"),
        ("postgresql+psycopg://ada:se cr@t@host/db", "postgresql+psycopg://ada:***@host/db"),
        ("mysql://:secret@host/db", "mysql://:***@host/db"),
        ("https://token@host/", "https://***@host/"),
        ("cannot open 'mysql://ada:secret@host/db'!", "cannot open 'mysql://ada:***@host/db'!"),
        ("mongodb://ada@host/?password=secret&w=1", "mongodb://ada@host/?password=***&w=1"),
        ("mongodb://host/?tlsCertificateKeyFilePassword=secret", "mongodb://host/?tlsCertificateKeyFilePassword=***"),
        (
            "mongodb://host/?authMechanismProperties=AWS_SESSION_TOKEN:secret&w=1",
            "mongodb://host/?authMechanismProperties=***&w=1",
        ),
        ("host=h password='se cret' dbname=d", "host=h password=*** dbname=d"),
        ("from mysql://ada:one@a/x to mongodb://bob:two@b/y", "from mysql://ada:***@a/x to mongodb://bob:***@b/y"),
        ("mysql://root@a/x beside mongodb://bob:two@b/y", "mysql://root@a/x beside mongodb://bob:***@b/y"),
        ("mongodb://ada@mail.org:secret@host/db", "mongodb://ada@mail.org:***@host/db"),
        ("mongodb://ada@mail.org:p@ss:w@host/db", "mongodb://ada@mail.org:***@host/db"),
        ("mongodb://ada@mail.org:secret", "mongodb://ada@mail.org:***"),
        ("mongodb://ada@secret@host/db", "mongodb://***@host/db"),
        ("mongodb://ada%3Asecret@host/db", "mongodb://***@host/db"),
        ("postgresql://ada%253asecret@host/db", "postgresql://***@host/db"),
        (
            "postgresql://ada@h/db?user=ada&sslpassword=a:b%20c&w=1",
            "postgresql://ada@h/db?user=ada&sslpassword=***&w=1",
        ),
        ("DRIVER={PostgreSQL};UID=ada;PWD={se cr}}et};SERVER=h", "DRIVER={PostgreSQL};UID=ada;PWD=***;SERVER=h"),
        ("host=h pass=secret", "host=h pass=***"),
        ("ssl_key_passphrase=secret", "ssl_key_passphrase=***"),
        ("PGPASSWORD=secret psql", "PGPASSWORD=*** psql"),
        ("mongodb:/ada:secret@host/db", "mongodb:/ada:***@host/db"),
        ("mongodb//ada:secret@host", "mongodb//ada:***@host"),
        ("mongodb:///ada:s@cret@host/db", "mongodb:///ada:***@host/db"),
        ("`ada:secret@host:27017/db` is no address", "`ada:***@host:27017/db` is no address"),
        (
            "mongodb://host/?password=secret: the URI cannot be used",
            "mongodb://host/?password=***: the URI cannot be used",
        ),
    ],
)
def test_redact_hides_secrets_and_keeps_the_rest(text: str, redacted: str):
    """Passwords and tokens go, whatever they hold; hosts, databases and users stay."""
    assert redact(text) == redacted


@pytest.mark.parametrize(
    "text",
    [
        "mongodb://localhost:27017/db?replicaSet=rs0",
        "mongodb://a:1,b:2/db",
        "sqlite:///shop.db",
        "postgresql://app@localhost:5432/shop",
        "nestling load d.yaml --from 'postgresql+psycopg://app@localhost:5432/shop' --to mongodb://…",
        "mongodb+srv://ada%40mail.org@host/db?w=1",
        "mysql://root@localhost: the server refuses this user or password",
        "bypass=3, at 12:30 @ noon: a/b.py:12",
        "write to ada@example.org",
        "no attribute `titel` in `movie`; it has `title`",
    ],
)
def test_redact_leaves_text_without_secrets_alone(text: str):
    """What holds no secret is not changed."""
    assert redact(text) == text


@given(st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Z"], exclude_characters="*")))
def test_redact_hides_any_password_in_one_word(password: str):
    """No password without blanks survives, however odd its characters, even unescaped."""
    assert redact(f"cannot open mongodb://ada:@{password}x@host/db") == "cannot open mongodb://ada:***@host/db"


@given(st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Zl", "Zp"], exclude_characters="*@")))
def test_redact_hides_any_password_of_several_words(password: str):
    """Nor does one with raw blanks, as long as it has no raw @ and does not look like a port."""
    assert redact(f"cannot open mongodb://ada:x {password}@host/db") == "cannot open mongodb://ada:***@host/db"


@given(st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Z"], exclude_characters="*")))
def test_redact_hides_any_password_of_a_user_with_an_address(password: str):
    """A raw @ in the user's name does not let the password show."""
    hidden = "cannot open mongodb://ada@mail.org:***@host/db"
    assert redact(f"cannot open mongodb://ada@mail.org:{password}x@host/db") == hidden


@given(st.text(min_size=1), st.sampled_from(("mongodb", "postgresql+psycopg", "mysql")))
def test_redact_hides_any_password_that_is_encoded(password: str, scheme: str):
    """Nor do encoded ones, their colon encoded or not."""
    for colon in (":", "%3A", "%3a"):
        shown = redact(f"{scheme}://ada{colon}{quote(f'secret{password}', safe='')}@host/db")
        assert shown in (f"{scheme}://ada:***@host/db", f"{scheme}://***@host/db")


@pytest.mark.parametrize(
    "text",
    ["mongodb://ada:secret@host/?token=abc", "mongodb:/ada:secret@host", "ada@b:secret@host", "mongodb://a@b:c: no"],
)
def test_redact_twice_is_redact_once(text: str):
    """Redacting redacted text changes nothing."""
    once = redact(text)
    assert redact(once) == once
    assert "secret" not in once
