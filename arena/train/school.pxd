# The types of school.py, for the compiler.

cimport arena.train.kernel as kernel
cimport arena.train.learned as learned
cimport arena.train.melds as melds
cimport arena.train.native as native
from arena.train.native cimport HandState, HandTerms, Lesson, Pupil, u64

cdef int DECISIONS

cdef void record(Lesson* b, int kind, int seat, double points) noexcept nogil
cdef double knock_points(HandState* t, HandTerms* terms, u64 laid, int left) noexcept nogil
cdef bint takes(HandState* t, Lesson* b, Pupil* p) noexcept nogil
cdef int throw(HandState* t, HandTerms* terms, Lesson* b, Pupil* p) noexcept nogil
cdef int choose(HandState* t, HandTerms* terms, Lesson* b, int seat) noexcept nogil
cdef void play_one(Lesson* b, HandState* t, HandTerms* terms) noexcept nogil
cdef void start_pupil(HandState* t, Pupil* p) noexcept nogil
cpdef void play_all(u64 address) noexcept
