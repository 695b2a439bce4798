/* A plugin with OpenMP of its own: calls a function on one thread of a parallel region. */
#include <omp.h>

void in_a_region(void (*function)(void)) {
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0)
            function();
    }
}
