// Messages in a stream of bytes: which bytes are one, and how they are written.
#pragma once

#include "app/rpc/message.h"

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

namespace fw::rpc {

// Headers: `Content-Length: N`, an empty line, N bytes. Lines: a message is a line.
enum class Framing : std::uint8_t { Headers, Lines };

constexpr std::size_t longestMessage = 16u << 20; // bytes: a book has at most 4 MiB

class Input {
public:
    Input(int descriptor, Framing framing) : m_descriptor(descriptor), m_framing(framing) {}

    // The next message. Syntax where its beginning is none, LimitReached where it is too long:
    // reading goes on behind it. Nothing: there is no more.
    std::optional<Result<std::string>> next();

private:
    std::optional<Result<std::string>> nextByHeaders();
    std::optional<Result<std::string>> nextByLines();
    bool more(); // reads on; false at the end
    std::string take(std::size_t size);

    int m_descriptor;
    Framing m_framing;
    std::string m_read;
    std::uint64_t m_skipped = 0; // bytes that are still to come of what is too long
    bool m_isLineSkipped = false;
};

// Whole messages, from any thread.
class Output {
public:
    Output(int descriptor, Framing framing) : m_descriptor(descriptor), m_framing(framing) {}

    void send(const Json& message);
    int error() const; // of the system, that ended the output; 0: none

private:
    int m_descriptor;
    Framing m_framing;
    mutable std::mutex m_mutex;
    int m_error = 0;
};

} // namespace fw::rpc
