// The OpenMP runtime that a library brought along, by its functions. Nothing links one: programs
// that call no library need none, and the environment that it reads when it is loaded can still be
// set before the first library is opened.
#pragma once

namespace fw::runtime {

struct OpenMp {
    void (*parallel)(void (*function)(void*), void* data, unsigned threads,
                     unsigned flags) = nullptr; // of libgomp's interface, which others have too
    int (*threadNumber)() = nullptr;
    int (*teamSize)() = nullptr;
    int (*inParallel)() = nullptr;
    int (*mostThreads)() = nullptr;
    void (*setThreads)(int) = nullptr;
};

// Among what was loaded with the library; false if a function is missing.
bool findOpenMp(void* library, OpenMp& found);

// Keeps the other threads of this thread's team off the core that this one runs on, where some
// kernels wake them: there they wait until the loop is over, and the loop waits for them. Does
// nothing while this thread stays on its core, nor where the user has bound threads (OMP_PROC_BIND,
// GOMP_CPU_AFFINITY).
void keepOthersOffThisCore(const OpenMp& openMp, int threads);

// The number of threads of the library calls inside; restored afterwards. One under the thread
// sanitizer, which does not understand libgomp.
class ThreadCount {
public:
    ThreadCount(const OpenMp& openMp, int threads);
    ~ThreadCount();
    ThreadCount(const ThreadCount&) = delete;
    ThreadCount& operator=(const ThreadCount&) = delete;

private:
    const OpenMp& m_openMp;
    int m_saved;
};

} // namespace fw::runtime
