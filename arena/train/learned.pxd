# The types of the variables of learned.py, for the compiler; those of its functions are their annotations.

include "learned.pxi"

cdef int AFTER, BEFORE, KNOCKING, BASIC, SLACK, RANKED, NO_THROW
cdef int[128] AHEAD
cdef double[32] INPUT
cdef int[8] BEST
cdef double[8] WORTH
cdef native.u64[312] PARTNERS
