// The functions of OpenBLAS that we call, found with dlsym: the documented C interface, 32-bit
// ints.
#pragma once

#include "runtime/libraries.h"

namespace fw::runtime {

struct OpenBlasTable {
    LibraryInfo info;
    void (*sgemm)(int order, int transposeA, int transposeB, int m, int n, int k, float alpha,
                  const float* a, int lda, const float* b, int ldb, float beta, float* c,
                  int ldc) = nullptr;
    int (*getParallel)() = nullptr;
    const char* (*getCoreName)() = nullptr;
    const char* (*getConfig)() = nullptr;
    void (*setThreads)(int) = nullptr;
};

// Opened on the first call and kept until the process ends. Only the OpenMP build is accepted: the
// pthread build would fight libgomp over the cores.
const OpenBlasTable& openBlas();

// The kernels to ask for on this CPU: version 0.3.21 does not know recent ones and would fall back
// to SSE3 without a word. Null: leave the choice to the library.
const char* openBlasCore();

} // namespace fw::runtime
