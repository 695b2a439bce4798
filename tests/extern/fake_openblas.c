/* Stands in for OpenBLAS in tests: built for threads of its own (FAKE_PTHREAD), or dying in the
 * first product, or when it is opened (FAKE_OPENING). */
#include <stdlib.h>

#ifdef FAKE_OPENING
__attribute__((constructor)) static void die(void) {
    abort();
}
#endif

void cblas_sgemm(void) {
    abort();
}

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
