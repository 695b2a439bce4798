// The documented C interface of BLAS, which several libraries have: their functions as data, and a
// product of matrices by them.
#pragma once

#include "runtime/libraries.h"

namespace fw::runtime {

// Of one library, once it was opened; 32-bit ints. Kept until the process ends.
struct Cblas {
    const char* title = ""; // "OpenBLAS"
    const OpenMp* openMp = nullptr;
    void (*sgemm)(int order, int transposeA, int transposeB, int m, int n, int k, float alpha,
                  const float* a, int lda, const float* b, int ldb, float beta, float* c,
                  int ldc) = nullptr;
    void (*setThreads)(int) = nullptr;
    // Of so many threads those that the library may be asked for, at least 1; null: all of them.
    int (*threads)(int wanted) = nullptr;
};

Status prepareGemm(const Cblas& library, const ShapedCall& call, int threads,
                   std::unique_ptr<PreparedCall>& prepared);

} // namespace fw::runtime
