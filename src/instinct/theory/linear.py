"""The sparse linear systems behind values and occupancies."""

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import gmres, spsolve

from instinct.data import Array

Matrix = sparse.csr_array[np.float64, tuple[int, int]]

DIRECT = 500
"""Up to this size a system is factorised at once; above, the factors may fill up."""


def fixed_point(step: Matrix, target: Array, *, triangular: bool, span: float) -> Array:
    """The x with x = target + step @ x, to rounding errors.

    A triangular system is factorised in its own order, which adds nothing to it. A large one that
    is not is iterated upon, and factorised only if that does not converge quickly. The solution is
    larger than the target by up to the span, and the residual that can be asked for with it.
    """
    system = sparse.csc_array(sparse.eye_array(len(target)) - step)
    if triangular:
        return np.asarray(spsolve(system, target, permc_spec="NATURAL"))
    if len(target) > DIRECT:
        x, failed = gmres(system, target, rtol=1e-14 * span, atol=0.0, restart=50, maxiter=20)
        if not failed:
            return np.asarray(x)
    return np.asarray(spsolve(system, target))
