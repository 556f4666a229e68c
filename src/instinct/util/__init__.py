"""Small helpers that every room may use: files, folders, hashes, JSON, cores, processes."""
