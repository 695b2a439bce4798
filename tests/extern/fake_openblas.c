/* Stands in for OpenBLAS in tests: built for threads of its own (FAKE_PTHREAD), or dying in the
 * first product, or when it is opened (FAKE_OPENING), or never there (FAKE_WAITING), or wrong in
 * the last element of every product of four columns or more (FAKE_WRONG). */
#include <stdlib.h>
#include <unistd.h>

#ifdef FAKE_OPENING
__attribute__((constructor)) static void die(void) {
    abort();
}
#endif

#ifdef FAKE_WAITING
__attribute__((constructor)) static void wait_for_nothing(void) {
    for (;;)
        pause();
}
#endif

#ifdef FAKE_WRONG
void cblas_sgemm(int order, int transA, int transB, int m, int n, int k, float alpha,
                 const float* a, int lda, const float* b, int ldb, float beta, float* c, int ldc) {
    if (order != 101) /* row-major */
        abort();
    for (int i = 0; i < m; ++i)
        for (int j = 0; j < n; ++j) {
            float sum = 0;
            for (int l = 0; l < k; ++l)
                sum += a[transA == 111 ? i * lda + l : l * lda + i] *
                       b[transB == 111 ? l * ldb + j : j * ldb + l];
            if (i == m - 1 && j == n - 1 && n >= 4)
                sum += 1;
            c[i * ldc + j] = alpha * sum + (beta == 0 ? 0 : beta * c[i * ldc + j]);
        }
}
#else
void cblas_sgemm(void) {
    abort();
}
#endif

int openblas_get_parallel(void) {
#ifdef FAKE_PTHREAD
    return 1;
#else
    return 2;
#endif
}

const char* openblas_get_corename(void) {
    return "Fake";
}

const char* openblas_get_config(void) {
    return "OpenBLAS 0.0.1 FAKE";
}

void openblas_set_num_threads(int count) {
    (void)count;
}
