# The types of learned.py, for the compiler.

cimport arena.train.kernel as kernel
cimport arena.train.melds as melds
cimport arena.train.native as native
from arena.train.native cimport HandState, HandTerms, KernelNetwork, OneNetwork, i64, u64

cdef int AFTER, BEFORE, KNOCKING, BASIC, SLACK, RANKED, NO_THROW

cdef int[128] AHEAD
cdef double[32] INPUT
cdef int[8] BEST
cdef double[8] WORTH
cdef u64[312] PARTNERS

cdef bint wants(OneNetwork* networks, HandState* t) noexcept nogil
cdef int throw(OneNetwork* networks, HandState* t, HandTerms* terms) noexcept nogil
cdef int best_knock(HandState* t, HandTerms* terms) noexcept nogil
cdef int dearest(u64 cards) noexcept nogil
cdef int rank_throws(KernelNetwork* after, HandState* t, u64 held, u64 throws) noexcept nogil
cdef double output(KernelNetwork* network) noexcept nogil
cdef u64 known_of(HandState* t) noexcept nogil
cdef void write_position(HandState* t, u64 held, int thrown, i64 inputs) noexcept nogil
cdef void write_refusals(HandState* t, u64 known, u64 unseen, int thrown) noexcept nogil
cdef void write_knock(HandState* t, int card, int left) noexcept nogil
cdef int least_value(u64 cards) noexcept nogil
cdef void look_ahead(u64 held, u64 live, int now) noexcept nogil
cdef int after_throw(u64 held) noexcept nogil
cdef int sum_lowest(int count) noexcept nogil
cdef int nth_deadwood(int place) noexcept nogil
cdef int count_at_most(int most) noexcept nogil
cdef double danger(u64 known, u64 unseen, int card, u64 against) noexcept nogil
