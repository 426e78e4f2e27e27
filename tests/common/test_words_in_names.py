"""What names are made of, and what one of many is called."""

from __future__ import annotations

import pytest

from nestling.common.words_in_names import singular, singular_words, words


def test_words_of_a_name() -> None:
    """In lower case, however they are put together, with letters of every language and numbers."""
    assert words("customerID") == words("customer_id") == ("customer", "id")
    assert "".join(words("Straßen_2")) == "straßen2"


@pytest.mark.parametrize(
    ("many", "one"),
    [
        *(("genres", "genre"), ("cities", "city"), ("movies", "movie"), ("boxes", "box"), ("branches", "branch")),
        *(("dishes", "dish"), ("addresses", "address"), ("houses", "house"), ("statuses", "status"), ("buses", "bus")),
        *(("lenses", "lens"), ("caches", "cache"), ("analyses", "analysis"), ("people", "person"), ("menus", "menu")),
        *(("apis", "api"), ("tags", "tag"), ("Track_ids", "Track_id"), ("movieIds", "movieId"), ("userIDs", "userID")),
        *(("orderStatuses", "orderStatus"), ("CITIES", "CITY"), ("Movies", "Movie"), ("URLs", "URL"), ("pies", "pie")),
    ],
)
def test_one_of_them(many: str, one: str) -> None:
    """The last word in the singular, in its own case; one is called the same again."""
    assert singular(many) == one
    assert singular(one) == one


@pytest.mark.parametrize(
    "name",
    ["status", "analysis", "address", "series", "news", "lens", "bus", "gas", "gps", "species", "x", "_", "", "x1"],
)
def test_what_is_no_plural_stays(name: str) -> None:
    """Not every word in -s is one of many."""
    assert singular(name) == name


def test_words_with_the_last_in_the_singular() -> None:
    """Only the last: `news_items` are about news."""
    assert singular_words(("news", "items")) == ("news", "item")
    assert singular_words(()) == ()
