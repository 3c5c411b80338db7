# The types of beliefs.py, for the compiler.

cimport arena.train.kernel as kernel
cimport arena.train.native as native
cimport arena.train.simple as simple
from arena.train.native cimport BeliefBatch, OneDecision, Particle, PublicDecision, i64, u64

cdef int[52] CARDS
cdef int[52] DRAWS
cdef int[1] DRAW_COUNT
cdef int RESOLUTION

cdef void deal(BeliefBatch* b) noexcept nogil
cdef int list_cards(u64 cards) noexcept nogil
cdef double weigh(BeliefBatch* b, i64 count, i64 number) noexcept nogil
cdef double share_of(BeliefBatch* b, Particle* p, PublicDecision* d) noexcept nogil
cdef void keep(BeliefBatch* b, i64 count, i64 number, double total) noexcept nogil
cdef void decide(BeliefBatch* b, Particle* p, i64 number) noexcept nogil
cdef void exchange(BeliefBatch* b, Particle* p, i64 decisions) noexcept nogil
cdef void swap_cards(Particle* p, int one, int other, OneDecision* made, i64 decisions) noexcept nogil
cdef bint explains(BeliefBatch* b, Particle* p, i64 decisions) noexcept nogil
cdef bint makes(Particle* p, PublicDecision* d, i64 number, i64 limit) noexcept nogil

cpdef void believe(u64 address) noexcept
