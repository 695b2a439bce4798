#include "app/rpc/stream.h"

#include "base/numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <unistd.h>
#include <utility>

namespace fw::rpc {

namespace {

constexpr std::size_t longestHeader = 16u << 10;
constexpr std::string_view endOfHeader = "\r\n\r\n";

Diag tooLong(const std::string& size) {
    return makeDiag(
        DiagCode::LimitReached,
        fmt::format("a message has {} bytes; at most {} are read", size, longestMessage));
}

// The digits of the last Content-Length. What remains of a message that was longer than it said
// stands in front of the next header, so the word may begin anywhere.
std::optional<std::string> lengthIn(std::string header) {
    for (char& c : header)
        c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    constexpr std::string_view word = "content-length:";
    const std::size_t at = header.rfind(word);
    if (at == std::string::npos)
        return std::nullopt;
    std::string out = header.substr(at + word.size());
    out.resize(std::min(out.find('\r'), out.size()));
    std::erase(out, ' ');
    const bool digits = !out.empty() && std::all_of(out.begin(), out.end(),
                                                    [](char c) { return c >= '0' && c <= '9'; });
    return digits ? std::optional(out) : std::nullopt;
}

} // namespace

std::optional<Result<std::string>> Input::next() {
    return m_framing == Framing::Headers ? nextByHeaders() : nextByLines();
}

bool Input::more() {
    char buffer[65536];
    ssize_t count = 0;
    do
        count = ::read(m_descriptor, buffer, sizeof buffer);
    while (count < 0 && errno == EINTR);
    if (count <= 0)
        return false;
    const auto got = static_cast<std::uint64_t>(count);
    const std::uint64_t skipped = std::min(m_skipped, got);
    m_skipped -= skipped;
    m_read.append(buffer + skipped, static_cast<std::size_t>(got - skipped));
    return true;
}

std::string Input::take(std::size_t size) {
    std::string rest = m_read.substr(size);
    m_read.resize(size);
    return std::exchange(m_read, std::move(rest));
}

std::optional<Result<std::string>> Input::nextByHeaders() {
    std::size_t end = 0;
    while ((end = m_read.find(endOfHeader)) == std::string::npos) {
        if (m_read.size() > longestHeader) {
            m_read.clear();
            return makeDiag(DiagCode::Syntax, "the header of a message does not end");
        }
        if (!more())
            return std::nullopt;
    }
    const std::optional<std::string> digits = lengthIn(take(end + endOfHeader.size()));
    if (!digits)
        return makeDiag(DiagCode::Syntax,
                        "the header of a message has no Content-Length that is a number");
    const auto known = parseInteger(*digits);
    if (!known || static_cast<std::uint64_t>(*known) > longestMessage) {
        // Of a number that is beyond all, nothing that follows is a message.
        m_skipped = known ? static_cast<std::uint64_t>(*known) : UINT64_MAX;
        const std::uint64_t here = std::min<std::uint64_t>(m_skipped, m_read.size());
        m_skipped -= here;
        m_read.erase(0, static_cast<std::size_t>(here));
        return tooLong(*digits);
    }
    const auto length = static_cast<std::size_t>(*known);
    while (m_read.size() < length)
        if (!more())
            return std::nullopt;
    return take(length);
}

std::optional<Result<std::string>> Input::nextByLines() {
    for (std::size_t searched = 0;;) {
        const std::size_t end = m_read.find('\n', searched);
        if (end == std::string::npos && m_read.size() > longestMessage) {
            m_read.clear();
            searched = 0;
            if (!std::exchange(m_isLineSkipped, true))
                return tooLong("more");
        }
        if (end == std::string::npos) {
            searched = m_read.size();
            if (more())
                continue;
            if (m_read.empty() || m_isLineSkipped)
                return std::nullopt;
            return std::exchange(m_read, {});
        }
        std::string line = take(end + 1);
        searched = 0;
        if (std::exchange(m_isLineSkipped, false))
            continue;
        while (!line.empty() && (line.back() == '\n' || line.back() == '\r'))
            line.pop_back();
        if (!line.empty())
            return line;
    }
}

void Output::send(const Json& message) {
    std::string text = message.dump(-1, ' ', false, Json::error_handler_t::replace);
    if (m_framing == Framing::Headers)
        text.insert(0, fmt::format("Content-Length: {}\r\n\r\n", text.size()));
    else
        text += '\n';
    const std::lock_guard lock(m_mutex);
    for (std::size_t at = 0; at < text.size() && m_error == 0;) {
        const ssize_t written = ::write(m_descriptor, text.data() + at, text.size() - at);
        if (written > 0)
            at += static_cast<std::size_t>(written);
        else if (written == 0 || errno != EINTR)
            m_error = errno;
    }
}

int Output::error() const {
    const std::lock_guard lock(m_mutex);
    return m_error;
}

} // namespace fw::rpc
