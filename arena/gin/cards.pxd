# The types of cards.py, for the compiler.

cimport cython

ctypedef unsigned long long u64

cdef u64 _ACE
cdef int[53] _BY_REMAINDER

@cython.locals(low=u64)
cpdef each(u64 held)
@cython.locals(held=u64, number=int)
cpdef u64 bits(numbers) except? 0
