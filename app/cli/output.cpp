#include "output.h"

#include <fmt/format.h>

#include <cerrno>
#include <fcntl.h>
#include <unistd.h>

namespace fw::cli {

using namespace snapshot;

namespace {

int lastError = 0;

} // namespace

int outputError() {
    return lastError;
}

void openStandardDescriptors() {
    for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
        if (::fcntl(descriptor, F_GETFD) < 0 && errno == EBADF)
            ::open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

void write(int descriptor, const std::string& text) {
    for (std::size_t at = 0; at < text.size();) {
        const ssize_t written = ::write(descriptor, text.data() + at, text.size() - at);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0) {
            if (descriptor == STDOUT_FILENO && errno != EPIPE)
                lastError = errno;
            return;
        }
        at += static_cast<std::size_t>(written);
    }
}

int report(const Diag& diag, Form form) {
    if (form == Form::Json)
        write(STDOUT_FILENO, toJson(diag) + "\n");
    write(STDERR_FILENO, diag.text() + "\n");
    return exitCode(diag.code);
}

Client::ShowProgress progressLine() {
    if (::isatty(STDERR_FILENO) == 0)
        return [](const Progress& step) {
            if (step.stage == "wait") // for another machine, which says nothing
                write(STDERR_FILENO, step.text + "\n");
        };
    return [](const Progress& step) {
        const std::string count =
            step.total > 0 ? fmt::format(" {}/{}", step.done, step.total) : "";
        write(STDERR_FILENO, fmt::format("\r\x1b[K{} {}{}", step.stage, step.text, count));
    };
}

void clearProgress() {
    if (::isatty(STDERR_FILENO) != 0)
        write(STDERR_FILENO, "\r\x1b[K");
}

} // namespace fw::cli
