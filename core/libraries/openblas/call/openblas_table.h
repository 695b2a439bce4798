// The functions of OpenBLAS that we call, found with dlsym: the documented C interface, 32-bit
// ints.
#pragma once

#include "runtime/libraries.h"

namespace fw::runtime {

struct OpenBlasTable {
    LibraryInfo info;
    OpenMp openMp;
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

Status prepareOpenBlas(const ShapedCall& call, int threads,
                       std::unique_ptr<PreparedCall>& prepared);

// How many of so many threads OpenBLAS may be asked for: those whose memory is there, which it asks
// for until it has it. At least 1.
int openBlasThreads(int wanted);

} // namespace fw::runtime
