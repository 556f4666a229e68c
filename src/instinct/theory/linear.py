"""Solve the sparse linear systems of values and occupancies."""

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import gmres, spsolve

from instinct.data import Array

Matrix = sparse.csr_array[np.float64, tuple[int, int]]

DIRECT_SIZE = 500
"""Systems up to this size are factorized directly. The factors of larger ones may fill up."""


def fixed_point(step: Matrix, target: Array, *, triangular: bool, span: float) -> Array:
    """Return the x with x = target + step @ x, up to rounding errors.

    A triangular system is factorized in its own order, which causes no fill-in. A large system
    that is not triangular is solved by GMRES, and factorized only if GMRES does not converge.
    The solution may be larger than the target by a factor of the span, so the tolerance of the
    residual grows with the span.
    """
    system = sparse.csc_array(sparse.eye_array(len(target)) - step)
    if triangular:
        return np.asarray(spsolve(system, target, permc_spec="NATURAL"))
    if len(target) > DIRECT_SIZE:
        x, failed = gmres(system, target, rtol=1e-14 * span, atol=0.0, restart=50, maxiter=20)
        if not failed:
            return np.asarray(x)
    return np.asarray(spsolve(system, target))
