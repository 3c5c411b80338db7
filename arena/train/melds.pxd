# The types of the variables of melds.py, for the compiler; those of its functions are their annotations.

include "melds.pxi"

cdef native.u64 DECK, ACES, NOT_ACE, NOT_LOW, NOT_KING, NOT_HIGH
cdef int[52] VALUE
cdef int[8192] RUNS_LEAVE
cdef native.u64[64] MELDS
cdef native.u64[3] CHOICE
cdef native.u64[6] PAIRS
cdef native.u64[6] KNOWN_PAIRS
