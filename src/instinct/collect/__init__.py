"""Where datasets come from: behaviour policies, collection with them, and datasets by name."""
