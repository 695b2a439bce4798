#include "base/system_limit.h"

#include <fmt/format.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <new>
#include <sys/resource.h>
#include <system_error>
#include <utility>

namespace fw {

namespace {

bool isLimited(decltype(RLIMIT_AS) resource) {
    rlimit limit{};
    return ::getrlimit(resource, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
}

std::string limitOf(int error) {
    switch (error) {
    case EMFILE:
        return "allow more open files (ulimit -n), or close some";
    case EAGAIN: // a thread for whose stack there is no room, too
        if (isLimited(RLIMIT_AS) || isLimited(RLIMIT_DATA))
            return "allow more memory (ulimit -v, -d), or more processes and threads (ulimit -u)";
        return "allow more processes and threads (ulimit -u), or end some";
    case ENOMEM:
        return "allow more memory (ulimit -v, -d), or end what uses it";
    default:
        return "end what uses it";
    }
}

} // namespace

bool isSystemLimit(int error) {
    return error == EMFILE || error == ENFILE || error == EAGAIN || error == ENOMEM;
}

Diag systemLimitDiag(std::string what, int error, Where where) {
    return makeDiag(systemLimit, fmt::format("{}: {}", what, std::strerror(error)),
                    std::move(where), limitOf(error));
}

std::string signalText(int signal) {
    return fmt::format("signal {} ({}){}", signal, ::strsignal(signal),
                       signal == SIGBUS ? ": a file of weights was cut while it was read, or its "
                                          "disk fails; write a file elsewhere and move it in place"
                                        : "");
}

std::optional<Diag> systemLimitOf(const std::exception& error, Where where) {
    if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr)
        return makeDiag(systemLimit, "there is not enough memory", std::move(where),
                        limitOf(ENOMEM));
    const auto* refused = dynamic_cast<const std::system_error*>(&error);
    if (refused == nullptr || !isSystemLimit(refused->code().value()) ||
        (refused->code().category() != std::generic_category() &&
         refused->code().category() != std::system_category()))
        return std::nullopt;
    return systemLimitDiag("the system refuses more", refused->code().value(), std::move(where));
}

} // namespace fw
