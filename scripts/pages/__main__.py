"""Write the generated pages into docs/."""

from scripts.pages import DOCS, pages

for name, page in pages().items():
    (DOCS / name).parent.mkdir(exist_ok=True)
    (DOCS / name).write_text(page(), encoding="utf-8")
