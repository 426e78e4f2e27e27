"""The words that names of tables, fields and collections are made of, and what one of them is called.

The lists of exceptions are our own: the libraries for it (inflection 0.5, inflect 7) make `campu` of campus, `bonu` of bonus,
`len` of lens and `canva` of canvas.
"""

from __future__ import annotations

import re

_WORD = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+|[^\W\d_a-zA-Z]+")
_ACRONYMS = re.compile(r"[A-Z]{2,}s$")
_LAST = re.compile(r"[A-Z]?[a-z]+$|[A-Z]+$|[^\W\d_a-zA-Z]+$")
_SHORT = 3
"""Letters of a word that keeps its s: `gas`, `gps`."""
_ALONE = frozenset(
    {
        *("series", "species", "news", "lens", "alias", "atlas", "canvas", "bias", "christmas", "texas", "chaos"),
        *("this", "physics", "mathematics", "economics", "analytics", "logistics", "electronics", "politics"),
        *("always", "https"),
    }
)
"""Words in -s that are no plurals, beside those in -us, -is and -ss."""
_IN_US_OR_IS = frozenset(
    {
        *("menus", "skus", "cpus", "gpus", "gurus", "emus", "haikus", "tofus", "apis", "uris", "guis", "kpis"),
        *("taxis", "skis", "wikis", "kiwis", "alibis", "emojis", "bikinis", "safaris", "rabbis"),
    }
)
"""Plurals in -us and -is."""
_IN_IE = frozenset(
    {
        *("movie", "cookie", "calorie", "zombie", "genie", "pixie", "rookie", "brownie", "selfie", "hoodie"),
        *("prairie", "birdie", "smoothie", "veggie", "freebie", "foodie", "indie", "collie", "sortie", "bookie"),
        *("goalie", "hippie", "junkie", "groupie", "roadie", "caddie", "reverie", "rotisserie", "patisserie"),
        *("talkie", "magpie", "necktie", "pie", "tie", "lie", "die"),
    }
)
"""Words whose plural in -ies is not of one in -y."""
_IN_S = frozenset(
    {
        *("status", "bus", "virus", "bonus", "campus", "census", "focus", "chorus", "surplus", "radius", "genius"),
        *("corpus", "syllabus", "cactus", "octopus", "walrus", "prospectus", "apparatus", "plus", "minus", "nexus"),
        *("caucus", "iris", "alias", "atlas", "canvas", "bias", "lens", "gas"),
    }
)
"""Words whose plural in -ses is not of one in -se: `statuses`, unlike `houses`."""
_IRREGULAR = dict(
    [
        *(("children", "child"), ("people", "person"), ("men", "man"), ("women", "woman"), ("feet", "foot")),
        *(("teeth", "tooth"), ("indices", "index"), ("vertices", "vertex"), ("matrices", "matrix")),
        *(("appendices", "appendix"), ("quizzes", "quiz"), ("analyses", "analysis"), ("theses", "thesis")),
        *(("hypotheses", "hypothesis"), ("crises", "crisis"), ("axes", "axis"), ("diagnoses", "diagnosis")),
        *(("synopses", "synopsis"), ("caches", "cache"), ("niches", "niche"), ("headaches", "headache")),
        *(("shelves", "shelf"), ("halves", "half"), ("leaves", "leaf"), ("lives", "life"), ("wives", "wife")),
        *(("knives", "knife"), ("heroes", "hero"), ("potatoes", "potato"), ("tomatoes", "tomato")),
        *(("echoes", "echo"), ("vetoes", "veto"), ("ids", "id")),
    ]
)
_ENDINGS = (("ies", "y"), ("sses", "ss"), ("xes", "x"), ("ches", "ch"), ("shes", "sh"))


def words(name: str) -> tuple[str, ...]:
    """The words of a name in lower case: `customerID` and `customer_id` are customer and id."""
    return tuple(word.lower() for word in _WORD.findall(name))


def singular(name: str) -> str:
    """What one of them is called: `genres` is genre, `Track_ids` is Track_id, and `status` is status."""
    if _ACRONYMS.search(name):  # `movieIDs`
        return name[:-1]
    found = _LAST.search(name)
    return name[: found.start()] + _as_cased(found[0], _singular(found[0].casefold())) if found else name


def singular_words(found: tuple[str, ...]) -> tuple[str, ...]:
    """Words, the last of them in the singular."""
    return (*found[:-1], singular(found[-1])) if found else ()


def _as_cased(word: str, lower: str) -> str:
    """The singular in the case of the word it is of."""
    if word.isupper():
        return lower.upper()
    return lower.capitalize() if word[0].isupper() else lower


def _singular(word: str) -> str:
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if not word.endswith("s") or len(word) <= _SHORT or word in _ALONE:
        return word
    if word.endswith(("us", "is", "ss")) and word not in _IN_US_OR_IS:
        return word
    if word.removesuffix("es") in _IN_S:
        return word.removesuffix("es")
    if word.removesuffix("s") in _IN_IE:
        return word.removesuffix("s")
    for ending, left in _ENDINGS:
        if word.endswith(ending) and len(word) > len(ending) + 1:
            return word.removesuffix(ending) + left
    return word.removesuffix("s")
