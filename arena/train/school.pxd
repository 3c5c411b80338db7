# The types of the variables of school.py, for the compiler; those of its functions are their annotations.

include "school.pxi"

cdef int DECISIONS
