#include "session/crash.h"

#include "base/leftovers.h"
#include "runtime/breadcrumb.h"

#include <atomic>
#include <csignal>
#include <cstddef>
#include <unistd.h>

namespace fw {

namespace {

std::atomic<std::int64_t> serving{0};
int output = -1;
alignas(16) char stackBytes[64 * 1024]; // a stack overflow leaves none to handle it on

// Only what a signal handler may do: no allocation, no formatting, no locks.
class Line {
public:
    void text(const char* part) {
        for (; *part != '\0' && m_length < sizeof m_bytes; ++part)
            m_bytes[m_length++] = *part;
    }
    // A JSON string.
    void quoted(const std::string& part) {
        text("\"");
        for (const char c : part) {
            const bool escape = c == '"' || c == '\\';
            const bool control = static_cast<unsigned char>(c) < ' ' || c == '\x7f';
            const char one[3] = {escape ? '\\' : control ? '_' : c, escape ? c : '\0', '\0'};
            text(one);
        }
        text("\"");
    }
    bool hasRoomFor(const std::string& part) const {
        return m_length + 2 * part.size() + 100 < sizeof m_bytes;
    }
    void number(std::int64_t value) {
        char digits[24];
        std::size_t count = 0;
        do
            digits[count++] = static_cast<char>('0' + value % 10);
        while ((value /= 10) > 0 && count < sizeof digits);
        while (count > 0) {
            const char one[2] = {digits[--count], '\0'};
            text(one);
        }
    }
    void send(int descriptor) const {
        for (std::size_t at = 0; at < m_length;) {
            const ssize_t written = ::write(descriptor, m_bytes + at, m_length - at);
            if (written <= 0)
                return;
            at += static_cast<std::size_t>(written);
        }
    }

private:
    char m_bytes[4096]; // no longer than what a pipe takes in one piece
    std::size_t m_length = 0;
};

void lastWord(int signal) {
    const runtime::Crumb* at = runtime::breadcrumb();
    const std::int64_t request = serving.load(std::memory_order_relaxed);
    if (at != nullptr && request > 0) {
        Line line;
        line.text("{\"id\":");
        line.number(request);
        line.text(",\"progress\":{\"stage\":\"run\",\"text\":");
        line.quoted(line.hasRoomFor(at->text) ? at->text : at->library);
        line.text(",\"library\":");
        line.quoted(at->library);
        line.text(",\"nodes\":[");
        bool first = true;
        for (const std::string& node : at->nodes)
            if (line.hasRoomFor(node)) {
                line.text(first ? "" : ",");
                line.quoted(node);
                first = false;
            }
        line.text("]}}\n");
        line.send(output);
    }
    sweepLeftovers();
    ::raise(signal); // the handler is gone by now (SA_RESETHAND)
}

} // namespace

void installLastWord(int descriptor) {
    output = descriptor;
    stack_t stack = {};
    stack.ss_sp = stackBytes;
    stack.ss_size = sizeof stackBytes;
    ::sigaltstack(&stack, nullptr);
    struct sigaction action = {};
    action.sa_handler = lastWord;
    action.sa_flags = static_cast<int>(SA_RESETHAND | SA_NODEFER | SA_ONSTACK);
    sigemptyset(&action.sa_mask);
    for (const int ending : {SIGINT, SIGTERM, SIGHUP}) // their handler waits for this one to sweep
        sigaddset(&action.sa_mask, ending);
#if defined(__SANITIZE_ADDRESS__)
    constexpr int deadly[] = {SIGABRT}; // of the others its report says more
#else
    constexpr int deadly[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};
#endif
    for (const int signal : deadly)
        ::sigaction(signal, &action, nullptr);
}

void setServing(std::int64_t request) {
    serving.store(request, std::memory_order_relaxed);
}

} // namespace fw
