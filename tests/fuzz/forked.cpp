#include "fuzz/forked.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <exception>
#include <stdexcept>

namespace fw::fuzz {

namespace {

void writeAll(int descriptor, const std::string& text) {
    for (std::size_t done = 0; done < text.size();) {
        const ssize_t count = ::write(descriptor, text.data() + done, text.size() - done);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            _exit(3);
        done += static_cast<std::size_t>(count);
    }
}

} // namespace

Forked::Forked(const std::function<void(const Say&)>& work)
    : m_heard(std::chrono::steady_clock::now()) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        throw std::runtime_error("no pipe");
    m_child = fork();
    if (m_child < 0)
        throw std::runtime_error("no process");
    if (m_child == 0) {
        ::close(ends[0]);
        try {
            work([&](const std::string& line) { writeAll(ends[1], line + "\n"); });
        } catch (const std::exception& error) {
            writeAll(ends[1], std::string("thrown ") + error.what() + "\n");
        }
        _exit(0); // not the parent's destructors
    }
    ::close(ends[1]);
    m_read = ends[0];
}

Forked::~Forked() {
    if (m_child > 0) {
        ::kill(m_child, SIGKILL);
        waitpid(m_child, nullptr, 0);
    }
    ::close(m_read);
}

bool Forked::read(std::vector<std::string>& lines) {
    char buffer[65536];
    ssize_t count = 0;
    do
        count = ::read(m_read, buffer, sizeof buffer);
    while (count < 0 && errno == EINTR);
    if (count <= 0)
        return false;
    m_heard = std::chrono::steady_clock::now();
    m_rest.append(buffer, static_cast<std::size_t>(count));
    for (std::size_t end; (end = m_rest.find('\n')) != std::string::npos;) {
        lines.push_back(m_rest.substr(0, end));
        m_rest.erase(0, end + 1);
    }
    return true;
}

void Forked::kill() {
    m_killed = true;
    ::kill(m_child, SIGKILL);
}

std::string Forked::ending() {
    int status = 0;
    while (waitpid(m_child, &status, 0) < 0 && errno == EINTR) {
    }
    m_child = -1;
    if (m_killed)
        return "no answer";
    if (WIFSIGNALED(status))
        return "signal " + std::to_string(WTERMSIG(status));
    return WEXITSTATUS(status) == 0 ? "" : "exit code " + std::to_string(WEXITSTATUS(status));
}

std::vector<std::string> linesOf(const std::function<void(const Say&)>& work,
                                 std::chrono::seconds limit, std::string& ending) {
    Forked child(work);
    std::vector<std::string> lines;
    while (true) {
        pollfd one{child.descriptor(), POLLIN, 0};
        const int ready = poll(&one, 1, 500);
        if (ready > 0 && !child.read(lines))
            break;
        if (std::chrono::steady_clock::now() - child.lastHeard() > limit) {
            child.kill();
            break;
        }
    }
    ending = child.ending();
    return lines;
}

} // namespace fw::fuzz
