"""Nothing shows a password."""

from __future__ import annotations

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
        ("mongodb://ada@host/?password=secret&w=1", "mongodb://***@host/?password=***&w=1"),
        ("mongodb://host/?tlsCertificateKeyFilePassword=secret", "mongodb://host/?tlsCertificateKeyFilePassword=***"),
        (
            "mongodb://host/?authMechanismProperties=AWS_SESSION_TOKEN:secret&w=1",
            "mongodb://host/?authMechanismProperties=***&w=1",
        ),
        ("host=h password='se cret' dbname=d", "host=h password=*** dbname=d"),
        ("from mysql://ada:one@a/x to mongodb://bob:two@b/y", "from mysql://ada:***@a/x to mongodb://bob:***@b/y"),
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


def test_redact_twice_is_redact_once():
    """Redacting redacted text changes nothing."""
    once = redact("mongodb://ada:secret@host/?token=abc")
    assert redact(once) == once
