# The declarations of native.py for the compiler; the build writes those of its numbers and structures (.packaging/arena_build.py).

ctypedef unsigned long long u64
ctypedef signed char i8
ctypedef short i16
ctypedef int i32
ctypedef long long i64
ctypedef unsigned char u8

include "native.pxi"

cdef extern from "math.h":
    double log(double number) noexcept nogil

cdef extern from *:
    """
    #define arena_at(address) ((void*)(uintptr_t)(address))
    #define arena_sets(address, size) ((unsigned long long*)(uintptr_t)(address))
    #define arena_bit(card) (1ULL << (card))
    #define arena_copy(target, source) (*(target) = *(source))
    #define arena_part(share, count) ((long long)((share) * (double)(count)))
    #define arena_low64(number) (number)
    #if defined(__GNUC__) || defined(__clang__)
    #define arena_count(cards) __builtin_popcountll(cards)
    #define arena_lowest(cards) __builtin_ctzll(cards)
    #else
    static int arena_count(unsigned long long cards) { int n = 0; for (; cards; cards &= cards - 1) n++; return n; }
    static int arena_lowest(unsigned long long cards) { return arena_count((cards & (0 - cards)) - 1); }
    #endif
    """
    HandBatch* batch "arena_at"(u64 address) noexcept nogil
    u64* sets_at "arena_sets"(u64 address, i64 size) noexcept nogil
    int count "arena_count"(u64 cards) noexcept nogil
    int lowest "arena_lowest"(u64 cards) noexcept nogil
    u64 bit "arena_bit"(int card) noexcept nogil
    void copy "arena_copy"(HandState* target, HandState* source) noexcept nogil
    u64 low64 "arena_low64"(u64 number) noexcept nogil
    RolloutBatch* rollouts "arena_at"(u64 address) noexcept nogil
    ThrowBatch* throws "arena_at"(u64 address) noexcept nogil
    WalkBatch* walks "arena_at"(u64 address) noexcept nogil
    i64 part "arena_part"(double share, i64 count) noexcept nogil
    BeliefBatch* beliefs "arena_at"(u64 address) noexcept nogil
    void copy_particle "arena_copy"(Particle* target, Particle* source) noexcept nogil
    Lesson* lesson "arena_at"(u64 address) noexcept nogil
