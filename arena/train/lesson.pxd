# The declarations of lesson.py for the compiler.

from arena.train.native cimport HandState, HandTerms, OneHandState, OneHandTerms, i8, i32, i64, u64
from arena.train.rollout_memory cimport OneNetwork

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

cdef extern from *:
    """
    #define arena_lesson(address) ((void*)(uintptr_t)(address))
    """
    Lesson* lesson "arena_lesson"(u64 address) noexcept nogil
