"""The peak memory of this process."""


def peak_mib() -> float:
    """Return the largest memory of this process so far, where the system counts it (Unix)."""
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
