# The types of rollouts.py, for the compiler.

cimport arena.train.kernel as kernel
cimport arena.train.learned as learned
cimport arena.train.melds as melds
cimport arena.train.native as native
cimport arena.train.simple as simple
from arena.train.native cimport HandState, HandTerms, RolloutBatch, ThrowBatch, i64, u64

cdef int[52] LEFT
cdef double[7] FEATURE

cdef int play_hand(RolloutBatch* b, HandState* t, i64 place, int action) noexcept nogil
cdef int decide(RolloutBatch* b, HandState* t, HandTerms* terms, i64 place) noexcept nogil
cdef int choose(RolloutBatch* b, HandState* t, HandTerms* terms, i64 place) noexcept nogil
cdef bint is_scholar(RolloutBatch* b, HandState* t) noexcept nogil
cdef bint wants(RolloutBatch* b, HandState* t, int upcard) noexcept nogil
cdef bint lowers_deadwood(u64 held, int upcard) noexcept nogil
cdef int least_left(u64 held, u64 throws) noexcept nogil
cdef int throw(RolloutBatch* b, HandState* t, HandTerms* terms, i64 place) noexcept nogil
cdef void judge_hand(ThrowBatch* b, i64 row, u64 held, u64 seen) noexcept nogil
cdef i64 cost(u64 kept, int card, u64 live) noexcept nogil
cdef void weigh(u64 kept, int card, u64 live) noexcept nogil
cdef int cheapest(u64 held, u64 throws, u64 live) noexcept nogil
cdef int favourite(RolloutBatch* b, u64 held, u64 throws, u64 live, i64 noise) noexcept nogil

cpdef void play_out(u64 address) noexcept
cpdef void ask(u64 address) noexcept
cpdef void judge(u64 address) noexcept
