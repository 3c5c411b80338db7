# The types of melds.py, for the compiler. Functions that are not named here work on Python's own integers.

cimport cython
from arena.gin.cards cimport u64

cdef int[8192] _LEFT, _SUMS
cdef u64 _ACES, _NOT_ACE, _NOT_LOW, _NOT_KING, _NOT_HIGH
cdef int _TOO_MANY

@cython.locals(clubs=u64, diamonds=u64, hearts=u64, spades=u64, triple=u64, least=int)
cpdef int deadwood(u64 held) noexcept
@cython.locals(low=u64, rank=u64, rest=u64)
cdef int _with_sets(u64 held, u64 triple, int least) noexcept nogil
@cython.locals(left=int)
cdef int _lower(u64 rest, u64 triple, int least) noexcept nogil
@cython.locals(least=int, best=u64, rest=u64, left=int, runs_leave=int, start=int, suit=u64, others=int, cards=u64, low=u64)
cpdef best_throws(u64 held, u64 throws)
@cython.locals(triple=u64, low=u64, rank=u64, rest=u64, kept=u64)
cdef list _outside_sets(u64 held)
@cython.locals(clubs=u64, diamonds=u64, hearts=u64, spades=u64)
cdef u64 _triple(u64 held) noexcept nogil
cpdef int points(u64 held) noexcept
@cython.locals(ranks=u64)
cpdef bint is_set(u64 meld) noexcept
@cython.locals(low=u64, consecutive=bint)
cpdef bint is_run(u64 meld) noexcept
@cython.locals(rest=u64)
cdef bint _are_three(u64 cards) noexcept nogil
cdef u64 _ranks(u64 cards) noexcept nogil
@cython.locals(triple=u64, low=u64, rank=u64)
cdef list _sets_in(u64 held)
@cython.locals(lowest=u64, low=u64, run=u64, following=u64)
cdef list _runs_in(u64 held)
@cython.locals(
    below=u64, lower=u64, above=u64, higher=u64, runs=u64, clubs=u64, diamonds=u64, hearts=u64, spades=u64, pairs=u64,
)
cpdef u64 completes(u64 held) noexcept
@cython.locals(number=int, meld=u64, other=u64, choices=list, apart=tuple)
cdef list _choices(tuple melds)
@cython.locals(held=u64, meld=u64)
cpdef u64 union(melds) except? 0
@cython.locals(fitting=u64, meld=u64)
cpdef u64 openings(melds) except? 0
cdef u64 _fourth(u64 meld) noexcept
cdef u64 _ends(u64 meld) noexcept
@cython.locals(laid=list, number=int, meld=u64, fitting=u64)
cpdef tuple lay_off(melds, u64 held)
