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

std::optional<Diag> systemLimitIn(std::string_view said, const std::string& what) {
    // Those of the C library, of GCC's programs, of GNU ld and of glibc's loader.
    static constexpr std::pair<const char*, int> words[] = {
        {"Too many open files", EMFILE},
        {"out of file descriptors", EMFILE},
        {"Resource temporarily unavailable", EAGAIN},
        {"Cannot allocate memory", ENOMEM},
        {"emory exhausted", ENOMEM},
        {"out of memory", ENOMEM},
        {"Killed signal terminated", ENOMEM},
        {"failed to map segment", ENOMEM}};
    for (const auto& [text, error] : words)
        if (said.find(text) != std::string_view::npos)
            return systemLimitDiag(what, error);
    return std::nullopt;
}

std::string memoryShortage(std::uint64_t residentBytes) {
    // Four times, since stacks and arenas of threads count whole, and what was refused as well.
    const std::uint64_t usual = 4 * residentBytes + (std::uint64_t{1} << 30);
    for (const auto resource : {RLIMIT_AS, RLIMIT_DATA}) {
        rlimit limit{};
        if (::getrlimit(resource, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
            limit.rlim_cur < usual)
            return fmt::format("memory is limited to {} MB", limit.rlim_cur >> 20);
    }
    return {};
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
