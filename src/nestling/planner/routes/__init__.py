"""Routes from changed documents to the holders of what follows from them, derived from the upkeeps' triggers."""

from nestling.planner.routes.all_routes import routes_of
from nestling.planner.routes.search import anchor_path, search
from nestling.planner.routes.shared import shared

__all__ = ["anchor_path", "routes_of", "search", "shared"]
