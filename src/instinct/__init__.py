"""What offline RL data teaches regardless of the reward."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from instinct.audits.audit import Audit, audit

__version__ = "0.1.0"
__all__ = ["Audit", "__version__", "audit"]


def __getattr__(name: str) -> Any:
    """`instinct.audit` is imported when it is first asked for: it brings everything with it."""
    if name not in ("Audit", "audit"):
        raise AttributeError(f"module 'instinct' has no attribute {name!r}")
    from instinct.audits import audit as module

    return getattr(module, name)
