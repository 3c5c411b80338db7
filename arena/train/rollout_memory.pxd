# The declarations of rollout_memory.py for the compiler.

from arena.train.native cimport HandState, OneHandState, OneHandTerms, i32, i64, u64

cdef enum:
    POLICY = 0
    SCHOLAR = 1
    HABITS = 2
    SIMPLE = 3
    ASK = -1
    TURNS = 20
    NOISES = 2048
    FACTS = 15
    FEATURES = 7
    OUTS = 600
    PAIR = 75
    KNOWN_PAIR = 800
    DEAREST_FIRST = 60

cdef struct KernelNetwork:
    i64 inputs
    i64 hidden
    double bias
    double* rows
    double* biases
    double* weights

ctypedef KernelNetwork[1] OneNetwork

cdef struct RolloutBatch:
    i64 size
    i64 player
    i64 other
    OneHandTerms* terms
    OneHandState* scratch
    OneHandState* states
    i64* places
    i32* actions
    double[20]* chance
    double[20][101]* knocking
    double* throwing
    double[52]* noise
    OneNetwork* networks
    double* points

cdef struct ThrowBatch:
    i64 size
    i64* held
    i64* dead
    i64* known
    i64[11]* cards
    double[11][7]* features
    i64[11]* costs

cdef struct WalkSight:
    u64 known
    u64 live
    u64[4] useful
    u64[2] dearer
    u64 with_dropped
    u64 with_shown
    double[15] evidence
    double[101] weights

ctypedef WalkSight[1] OneWalkSight

cdef struct WalkBatch:
    i64 size
    i64 steps
    i64 width
    OneWalkSight* sights
    i64* places
    i64* hidden
    i64* unseen
    u64* held
    i64* order
    double* likely
    i64[15]* facts
    double[3]* numbers

cdef extern from *:
    """
    #define arena_rollouts(address) ((void*)(uintptr_t)(address))
    #define arena_throws(address) ((void*)(uintptr_t)(address))
    #define arena_walks(address) ((void*)(uintptr_t)(address))
    #define arena_part(share, count) ((long long)((share) * (double)(count)))
    """
    RolloutBatch* rollouts "arena_rollouts"(u64 address) noexcept nogil
    ThrowBatch* throws "arena_throws"(u64 address) noexcept nogil
    WalkBatch* walks "arena_walks"(u64 address) noexcept nogil
    i64 part "arena_part"(double share, i64 count) noexcept nogil
