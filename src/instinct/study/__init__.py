"""Studies by name: what is run, and what came out."""
