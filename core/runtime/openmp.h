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
    // Of OpenMP 5.0; null where the runtime is older.
    int (*pause)(int kind, int device) = nullptr;
    int (*initialDevice)() = nullptr;
};

// Among what was loaded with the library; false if a function is missing.
bool findOpenMp(void* library, OpenMp& found);

// True inside a parallel region of this process, of any OpenMP runtime that is loaded; `openMp`
// may be null.
bool insideOpenMpRegion(const OpenMp* openMp);

// The threads of a team that this thread may ask for: `wanted` at most, ThreadTeam::mostThreads at
// most, and as many as the system lets start. That is tried once per thread, since libgomp ends the
// process where one is refused. The team is started, in the mode of the caller (CallersMode).
//
// At a fork the team of the forking thread is ended; parent and child start theirs anew. Where the
// runtime cannot end it, the answer in the child is 1.
int teamFor(const OpenMp& openMp, int wanted);

// Counts the teams of this thread that ended at a fork.
unsigned long teamGeneration();

// Keeps the other threads of this thread's team off the core that this one runs on, where some
// kernels wake them: there they wait until the loop is over, and the loop waits for them. Does
// nothing while this thread stays on its core, nor where the user has bound threads (OMP_PROC_BIND,
// GOMP_CPU_AFFINITY).
void keepOthersOffThisCore(const OpenMp& openMp, int threads);

// A library is at work on this thread. Another thread that forks waits until it is not: a child
// must not inherit a lock that nobody will release. They may nest.
class LibraryAtWork {
public:
    LibraryAtWork();
    ~LibraryAtWork();
    LibraryAtWork(const LibraryAtWork&) = delete;
    LibraryAtWork& operator=(const LibraryAtWork&) = delete;
};

// The number of threads of the library calls inside, teamFor() at most; restored afterwards. One
// under the thread sanitizer, which does not understand libgomp.
class ThreadCount {
public:
    ThreadCount(const OpenMp& openMp, int threads);
    ~ThreadCount();
    ThreadCount(const ThreadCount&) = delete;
    ThreadCount& operator=(const ThreadCount&) = delete;

private:
    LibraryAtWork m_work;
    const OpenMp& m_openMp;
    int m_saved;
};

} // namespace fw::runtime
