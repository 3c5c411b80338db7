# The types of melds.py, for the compiler.

cimport arena.train.native as native
from arena.train.native cimport u64

cdef u64 DECK, ACES, NOT_ACE, NOT_LOW, NOT_KING, NOT_HIGH
cdef int[52] VALUE
cdef int[8192] RUNS_LEAVE
cdef u64[64] MELDS
cdef u64[3] CHOICE
cdef u64[6] PAIRS
cdef u64[6] KNOWN_PAIRS

cdef int deadwood(u64 held) noexcept nogil
cdef int runs_leave(u64 held) noexcept nogil
cdef u64 triples(u64 held) noexcept nogil
cdef int with_sets(u64 held, u64 triple, int least) noexcept nogil
cdef int lower(u64 rest, u64 triple, int least) noexcept nogil
cdef u64 best_throws(u64 held, u64 throws) noexcept nogil
cdef int points(u64 held) noexcept nogil
cdef int after_lay_offs(u64 caller, u64 held) noexcept nogil
cdef u64 extends(u64 held) noexcept nogil
cdef u64 laid_off(u64 runs, u64 fourths, u64 held) noexcept nogil
cdef u64 ends(u64 runs) noexcept nogil
cdef void choose(u64 held) noexcept nogil
cdef void arrange(u64 held, u64 rest, u64 runs, u64 fourths, int count, int first, int least) noexcept nogil
cdef int list_melds(u64 held) noexcept nogil
cdef int insert(u64 meld, int found) noexcept nogil
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
