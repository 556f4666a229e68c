"""The peak memory of this process."""

from pathlib import Path


def peak_mib() -> float:
    """Return the largest memory of this process so far, where the system counts it (Unix).

    What `getrusage` says includes the memory of the process that started this one.
    """
    import resource

    try:
        lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
        (peak,) = (line.split()[1] for line in lines if line.startswith("VmHWM"))
        return int(peak) / 1024
    except (OSError, ValueError):
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
