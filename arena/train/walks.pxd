# The types of the variables of walks.py, for the compiler; those of its functions are their annotations.

include "walks.pxi"

cdef native.u64 TENS, LOW
cdef int[15] COUNTS
