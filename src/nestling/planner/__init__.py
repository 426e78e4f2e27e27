"""From a design to access paths: pure, no database in sight."""

from nestling.planner.home import home_view, home_views

__all__ = ["home_view", "home_views"]
