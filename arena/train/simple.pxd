# The types of simple.py, for the compiler.

cimport arena.train.kernel as kernel
cimport arena.train.learned as learned
cimport arena.train.melds as melds
cimport arena.train.native as native
from arena.train.native cimport HandState, HandTerms, u64

cdef int LONGEST
cdef u64[96] MELDS
cdef u64[2] BEST

cdef u64 rotate_suits(u64 held) noexcept nogil
cdef u64 laid_cards(u64 held) noexcept nogil
cdef void lay_melds(u64 held, int count, int first, u64 used, int points) noexcept nogil
cdef int list_melds(u64 held) noexcept nogil
cdef int list_runs(u64 held, int length, int found) noexcept nogil
cdef int highest(u64 cards) noexcept nogil
cdef bint takes(u64 held, int upcard, int limit) noexcept nogil
cdef int throw(u64 held, int taken, int limit) noexcept nogil
cdef int choose(HandState* t, HandTerms* terms) noexcept nogil
cdef int legal_throw(HandState* t, HandTerms* terms) noexcept nogil
