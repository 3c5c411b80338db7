# The types of the variables of rollouts.py, for the compiler; those of its functions are their annotations.

include "rollouts.pxi"

cdef int[52] LEFT
cdef double[7] FEATURE
