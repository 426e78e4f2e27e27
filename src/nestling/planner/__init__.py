"""From a design to access paths: pure, no database in sight."""
