# The types of kernel.py, for the compiler.

cimport arena.train.melds as melds
cimport arena.train.native as native
from arena.train.native cimport HandBatch, HandState, HandTerms, Score, i64, u64, u8

cdef u64 GOLDEN, MIX, MIX_AGAIN

cdef int random_below(HandState* t, u64 below) noexcept nogil
cdef void shuffle(HandState* t) noexcept nogil
cdef void start(HandState* t, HandTerms* terms) noexcept nogil
cdef void deal_next(HandState* t, HandTerms* terms) noexcept nogil
cdef u64 throwable(HandState* t, HandTerms* terms) noexcept nogil
cdef u64 knocks(u64 held, u64 throws, int limit) noexcept nogil
cdef bint may_big_gin(HandState* t, HandTerms* terms) noexcept nogil
cdef bint may_take_last(HandState* t, HandTerms* terms) noexcept nogil
cdef bint may_throw(HandState* t, HandTerms* terms, int action) noexcept nogil
cdef bint is_legal(HandState* t, HandTerms* terms, int action) noexcept nogil
cdef void write_mask(HandState* t, HandTerms* terms, u8* mask) noexcept nogil
cdef void play(HandState* t, HandTerms* terms, int action) noexcept nogil
cdef void pass_by(HandState* t, HandTerms* terms) noexcept nogil
cdef void take(HandState* t) noexcept nogil
cdef void draw(HandState* t, HandTerms* terms) noexcept nogil
cdef void discard(HandState* t, HandTerms* terms, int card) noexcept nogil
cdef void end_dead(HandState* t) noexcept nogil
cdef void lay_down(HandState* t, HandTerms* terms, int call) noexcept nogil
cdef void write_bits(HandState* t, int seat, i64* bits) noexcept nogil
cdef int random_card(HandState* t, u64 cards) noexcept nogil
cdef int choose(HandState* t, HandTerms* terms, int player) noexcept nogil
cdef bint wants(HandState* t, HandTerms* terms, int player) noexcept nogil
cdef int throw_greedily(HandState* t, HandTerms* terms) noexcept nogil
cdef int throw_randomly(HandState* t, HandTerms* terms) noexcept nogil
cdef void settle(HandBatch* b, i64 row, HandState* t, HandTerms* terms) noexcept nogil
cdef void clear_results(HandBatch* b) noexcept nogil
cdef void begin_one(HandBatch* b, i64 row, HandState* t, bint fresh) noexcept nogil
cdef void play_and_settle(HandBatch* b, i64 row, HandState* t) noexcept nogil
cdef void go_on(HandBatch* b, i64 row, HandState* t, HandTerms* terms) noexcept nogil
cdef int action_of(HandState* t, HandTerms* terms, int player) noexcept nogil
cdef i64 finish_one(HandState* t, HandTerms* terms, int zero, int one) noexcept nogil

cpdef void begin(u64 address, bint fresh) noexcept
cpdef void look(u64 address) noexcept
cpdef void look_back(u64 address, int seat) noexcept
cpdef i64 step(u64 address, bint first) noexcept
cpdef void ask(u64 address, int player) noexcept
cpdef void let_opponent_act(u64 address) noexcept
cpdef i64 finish(u64 address, int zero, int one) noexcept
cpdef void deadwoods(u64 address, i64 size) noexcept
