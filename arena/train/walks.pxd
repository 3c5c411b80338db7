# The types of walks.py, for the compiler.

cimport arena.train.melds as melds
cimport arena.train.native as native
from arena.train.native cimport WalkBatch, WalkSight, i64, u64

cdef u64 TENS, LOW
cdef int[15] COUNTS

cdef void exchange(WalkBatch* b, i64 row, i64 number, WalkSight* sight) noexcept nogil
cdef double likelihood(WalkSight* sight, u64 held) noexcept nogil
cdef void count_facts(WalkSight* sight, u64 held) noexcept nogil

cpdef void walk(u64 address) noexcept
cpdef void weigh(u64 address) noexcept
