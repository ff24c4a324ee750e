/* A badly behaved library: it changes the floating-point environment of the calling thread and does not put it back. */
#include <fenv.h>
#include <stdint.h>
#if defined(__x86_64__) || defined(_M_X64)
#include <xmmintrin.h>
#endif

void foreign_leave_flush_to_zero(void) {
#if defined(__x86_64__) || defined(_M_X64)
    _mm_setcsr(_mm_getcsr() | 0x8040);
#else
    uint64_t word;
    __asm__ volatile("mrs %0, fpcr" : "=r"(word));
    __asm__ volatile("msr fpcr, %0" : : "r"(word | UINT64_C(1) << 24));
#endif
}

int foreign_leave_rounding_upward(void) {
    return fesetround(FE_UPWARD);
}

/* It sums the squares of n numbers as well, in whatever mode it is called. */
float foreign_sum_of_squares(const float *x, uintptr_t n) {
    float sum = 0.0f;
    for (uintptr_t i = 0; i < n; i++)
        sum += x[i] * x[i];
    return sum;
}

/* A callback, made in flush mode: what a host that computes in flush mode does. */
void foreign_call_back_in_flush_mode(void (*callback)(void *), void *data) {
    foreign_leave_flush_to_zero();
    callback(data);
}
