# The types of kernel.py, for the compiler.

cimport arena.train.melds as melds
cimport arena.train.native as native
from arena.train.native cimport Batch, Score, State, Terms, i64, u8, u64

cdef u64 GOLDEN, MIX, MIX_AGAIN

cdef int chance(State* t, u64 below) noexcept nogil
cdef void shuffle(State* t) noexcept nogil
cdef void start(State* t, Terms* terms) noexcept nogil
cdef void deal_next(State* t, Terms* terms) noexcept nogil
cdef u64 throwable(State* t, Terms* terms) noexcept nogil
cdef u64 knocks(u64 held, u64 throws, int limit) noexcept nogil
cdef bint may_big_gin(State* t, Terms* terms) noexcept nogil
cdef bint may_take_last(State* t, Terms* terms) noexcept nogil
cdef bint may_throw(State* t, Terms* terms, int action) noexcept nogil
cdef bint is_legal(State* t, Terms* terms, int action) noexcept nogil
cdef void write_mask(State* t, Terms* terms, u8* mask) noexcept nogil
cdef void play(State* t, Terms* terms, int action) noexcept nogil
cdef void pass_by(State* t, Terms* terms) noexcept nogil
cdef void take(State* t) noexcept nogil
cdef void draw(State* t, Terms* terms) noexcept nogil
cdef void discard(State* t, Terms* terms, int card) noexcept nogil
cdef void end_dead(State* t) noexcept nogil
cdef void lay_down(State* t, Terms* terms, int call) noexcept nogil
cdef void write_bits(State* t, int seat, i64* bits) noexcept nogil
cdef int one_of(State* t, u64 cards) noexcept nogil
cdef int choose(State* t, Terms* terms, int player) noexcept nogil
cdef bint wants(State* t, Terms* terms, int player) noexcept nogil
cdef int throw_greedily(State* t, Terms* terms) noexcept nogil
cdef int throw_randomly(State* t, Terms* terms) noexcept nogil
cdef void settle(Batch* b, i64 row, State* t, Terms* terms) noexcept nogil
cdef void clear(Batch* b) noexcept nogil
cdef void begin_one(Batch* b, i64 row, State* t, bint fresh) noexcept nogil
cdef int acting(State* t) noexcept nogil
cdef bint may_play(State* t, Terms* terms, int action) noexcept nogil
cdef void play_and_settle(Batch* b, i64 row, State* t) noexcept nogil
cdef int action_of(State* t, Terms* terms, int player) noexcept nogil
cdef i64 finish_one(State* t, Terms* terms, int zero, int one) noexcept nogil

cpdef void begin(u64 address, bint fresh) noexcept
cpdef void look(u64 address) noexcept
cpdef void look_back(u64 address, int seat) noexcept
cpdef i64 step(u64 address, bint first) noexcept
cpdef void ask(u64 address, int player) noexcept
cpdef i64 finish(u64 address, int zero, int one) noexcept
