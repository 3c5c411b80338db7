# The types of the variables of beliefs.py, for the compiler; those of its functions are their annotations.

include "beliefs.pxi"

cdef int[52] CARDS
cdef int[52] DRAWS
cdef int[1] DRAW_COUNT
cdef int RESOLUTION
