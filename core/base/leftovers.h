// What must not stay behind when a signal ends the process: files and folders that are made to be
// renamed or removed again, and processes that work for this one.
//
// Each is an object that lives as long as that; what it names is made within a `Making`, so that a
// signal finds it either not begun or in the list. SIGINT, SIGTERM and SIGHUP then end the
// processes, remove the files, and end this process as they would have done.
#pragma once

#include <csignal>
#include <string>
#include <sys/types.h>

namespace fw {

class Leftover {
public:
    enum class Kind : std::uint8_t {
        File,
        Folder,      // with all that is in it
        EmptyFolder, // removed if nothing is in it
        Group,       // a process and all of its process group, which are killed
        Worker       // a process that ends by SIGTERM, and is killed if it does not
    };
    // Names what will be made. The destructor removes nothing.
    Leftover(Kind kind, std::string path);
    Leftover(Kind kind, pid_t process);
    ~Leftover();
    Leftover(const Leftover&) = delete;
    Leftover& operator=(const Leftover&) = delete;

    // For a signal handler.
    void removeNow() const;

private:
    friend void sweepLeftovers();

    void enter();

    Kind m_kind;
    std::string m_path;
    pid_t m_process = 0;
    pid_t m_owner; // a forked child has the list of its parent
    Leftover* m_before = nullptr;
    Leftover* m_behind = nullptr;
};

// As long as it lives no signal sweeps: what is made and its Leftover come together. Short: the
// signal waits for it. May stand inside another one.
class Making {
public:
    Making();
    ~Making();
    Making(const Making&) = delete;
    Making& operator=(const Making&) = delete;

private:
    sigset_t m_before;
};

// Ends the processes and removes the files. Only what a signal handler may do.
void sweepLeftovers();

// From here on SIGINT, SIGTERM and SIGHUP sweep before they end the process; one that is ignored
// stays so.
void sweepAtSignals();

} // namespace fw
