# The types of shuffling.py, for the compiler.

cimport cython

cdef int[52] _FAIR

@cython.locals(deck=list, last=int, byte=cython.uchar, other=int)
cpdef exchange(bytes stream)
