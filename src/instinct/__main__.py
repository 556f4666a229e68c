"""`python -m instinct` is the command `instinct`."""

from instinct.cli import main

main()
