"""The SQL servers the tests run on are what the tests expect."""

from __future__ import annotations

import sqlalchemy


def test_a_server_answers_in_postgresql(postgresql: str):
    """PostgreSQL speaks UTF-8, sorts by the C locale, and lets us create databases."""
    engine = sqlalchemy.create_engine(postgresql)
    with engine.connect() as connection:
        assert connection.exec_driver_sql("SHOW server_encoding").scalar_one() == "UTF8"
        assert connection.exec_driver_sql("SELECT 'B' < 'a'").scalar_one() is True
        assert connection.exec_driver_sql("SELECT usesuper FROM pg_user WHERE usename = user").scalar_one() is True
    engine.dispose()


def test_a_server_answers_in_mariadb(mariadb: str):
    """MariaDB speaks UTF-8 with all planes, and lets us create databases."""
    engine = sqlalchemy.create_engine(mariadb)
    with engine.connect() as connection:
        assert connection.exec_driver_sql("SELECT '🐣'").scalar_one() == "🐣"
        connection.exec_driver_sql("CREATE DATABASE nest")
        connection.exec_driver_sql("DROP DATABASE nest")
    engine.dispose()
