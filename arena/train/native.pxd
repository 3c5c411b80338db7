# The declarations of native.py for the compiler.

ctypedef unsigned long long u64
ctypedef signed char i8
ctypedef short i16
ctypedef int i32
ctypedef long long i64
ctypedef unsigned char u8

cdef enum:
    KNOCK = 52
    PASS = 104
    TAKE = 105
    DRAW = 106
    BIG_GIN = 107
    ACTIONS = 108
    AT_UPCARD = 0
    AT_FIRST_DRAW = 1
    AT_DRAW = 2
    AT_DISCARD = 3
    AT_LAST_TAKE = 4
    AT_LAST_KNOCK = 5
    OVER = 7
    BY_DEAD = 4
    CALL_KNOCK = 0
    CALL_GIN = 1
    CALL_BIG_GIN = 2
    CALL_SHOWDOWN = 3
    RANDOM = 0
    GREEDY = 1
    NO_PLAYER = -1
    IDLE = -1

cdef struct HandState:
    u64[2] held
    u64[2] took
    u64[2] threw
    u64 piled
    u64 chance
    i32 points
    i16 takes
    i16[2] deadwood
    u8[52] deck
    u8[32] pile
    u8 pile_count
    i8 phase
    i8 seat
    i8 dealer
    i8 top
    i8 bottom
    i8 passes
    i8 drawn
    i8 taken
    i8 ending
    i8 winner

cdef struct Score:
    i16 points
    i8 ending
    i8 won

cdef struct HandTerms:
    i32 most_deadwood
    i32 max_takes
    i32 return_taken
    i32 upcard
    i32 any_pile
    i32 two_ended
    i32 big_gin
    i32 layoff_on_gin
    i32 stock_out
    i32 next_dealer
    Score[4][101][101] scores

# An array of one element decays to a pointer, so that states[row] is a hand that can be changed, in C as in Python.
ctypedef HandState[1] OneHandState
ctypedef HandTerms[1] OneHandTerms

cdef struct HandBatch:
    i64 size
    i64 autoreset
    i64 learner
    i64 opponent
    OneHandTerms* terms
    OneHandState* states
    OneHandState* ended
    i32* actions
    u8[108]* mask
    i64[8]* bits
    i64[8]* final
    float[2]* rewards
    u8* done

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
    u64[4] declined
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

cdef enum:
    MOST_DECISIONS = 32
    NO_CARD = -1
    NEVER = -1000000000

cdef struct PublicDecision:
    i8 offered
    i8 took
    i8 thrown

cdef struct Particle:
    u64 dealt
    u64 used
    u64 held
    u8[32] drew

ctypedef PublicDecision[1] OneDecision
ctypedef Particle[1] OneParticle

cdef struct BeliefBatch:
    u64 possible
    i64 decisions
    OneDecision* made
    i64 limit
    i64 initial
    i64 kept
    i64 steps
    OneHandState* chance
    OneParticle* particles
    OneParticle* scratch
    double* weights
    double likelihood

cdef enum:
    INPUTS = 26
    PUPIL = -1
    PENDING = 1000

cdef struct Pupil:
    OneNetwork* networks
    i32 explores
    i32 turn
    i32 random_turn

cdef struct Example:
    float[26] inputs
    float points
    i8 kind
    i8 seat

ctypedef Pupil[1] OnePupil

cdef struct Lesson:
    OneHandTerms* terms
    OneHandState* states
    i64 size
    i32[2] players
    OnePupil[2] pupils
    Example* examples
    i64 room
    i64 count

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
