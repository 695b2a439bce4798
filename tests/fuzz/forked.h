// Work in a forked child that may die or hang: what it says line by line, and how it ended.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace fw::fuzz {

// Writes one line to whoever reads the child.
using Say = std::function<void(const std::string& line)>;

class Forked {
public:
    // The child runs `work` and ends; `work` must not return to the caller's stack.
    explicit Forked(const std::function<void(const Say&)>& work);
    ~Forked(); // kills it if it still runs
    Forked(const Forked&) = delete;
    Forked& operator=(const Forked&) = delete;

    int descriptor() const { return m_read; }
    // Reads what there is; complete lines only. False when the child has closed its end.
    bool read(std::vector<std::string>& lines);
    void kill();
    // "" after a clean end, else "signal 11" or "exit code 1"; waits for the child.
    std::string ending();
    std::chrono::steady_clock::time_point lastHeard() const { return m_heard; }

private:
    pid_t m_child = -1;
    int m_read = -1;
    bool m_killed = false;
    std::string m_rest;
    std::chrono::steady_clock::time_point m_heard;
};

// All lines of one child; `ending` as above, "no answer in N s" if it had to be killed.
std::vector<std::string> linesOf(const std::function<void(const Say&)>& work,
                                 std::chrono::seconds limit, std::string& ending);

} // namespace fw::fuzz
