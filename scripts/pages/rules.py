"""`docs/rules.md`: the rules that explanations cite."""

from nestling.emitters.explanation.explanation import rules_page


def page() -> str:
    """The page's text."""
    return rules_page()
