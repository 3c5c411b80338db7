# The types of related.py, for the compiler.

cimport arena.train.melds as melds
cimport arena.train.native as native
from arena.train.native cimport u64

cdef u64 DECK, ACES, NOT_ACE, NOT_LOW, NOT_KING, NOT_HIGH
cdef u64[6] PAIRS
cdef u64[6] KNOWN_PAIRS

cdef u64 pairs(u64 held) noexcept nogil
cdef u64 completes(u64 held) noexcept nogil
cdef u64 near(u64 held) noexcept nogil
cdef u64 meldable(u64 held) noexcept nogil
cdef u64 in_runs(u64 held) noexcept nogil
cdef u64 rotate(u64 held, int by) noexcept nogil
cdef void find_pairs(u64 possible, u64 known) noexcept nogil
cdef int pairs_with(int card) noexcept nogil
cdef int known_pairs_with(int card) noexcept nogil
cdef int ways(u64 others, u64 live) noexcept nogil
