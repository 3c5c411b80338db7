# The types of the variables of simple.py, for the compiler; those of its functions are their annotations.

include "simple.pxi"

cdef int LONGEST
cdef native.u64[96] MELDS
cdef native.u64[2] BEST
