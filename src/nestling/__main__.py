"""`python -m nestling`."""

from nestling.cli import main

main()
