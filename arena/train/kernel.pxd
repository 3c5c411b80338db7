# The types of the variables of kernel.py, for the compiler; those of its functions are their annotations.

include "kernel.pxi"

cdef native.u64 GOLDEN, MIX, MIX_AGAIN
