# The declarations of belief_memory.py for the compiler.

from arena.train.native cimport OneHandState, i8, i64, u8, u64

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

cdef extern from "math.h":
    double log(double number) noexcept nogil

cdef extern from *:
    """
    #define arena_beliefs(address) ((void*)(uintptr_t)(address))
    #define arena_copy_particle(target, source) (*(target) = *(source))
    """
    BeliefBatch* beliefs "arena_beliefs"(u64 address) noexcept nogil
    void copy_particle "arena_copy_particle"(Particle* target, Particle* source) noexcept nogil
