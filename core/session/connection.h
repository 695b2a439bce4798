// A worker that is reached by a command: lines to its standard input, lines from its standard
// output.
#pragma once

#include "base/cancel.h"
#include "base/leftovers.h"
#include "base/result.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

namespace fw {

// The words of a command. Blanks part them; 'all between single quotes' is as it stands; between
// "double quotes" and outside of quotes a backslash takes the next character as it is. Nothing else
// means anything: no shell reads it, so there are no variables, patterns, pipes or files. Usage
// where a quote has no end, or there is no word.
Result<std::vector<std::string>> wordsOf(std::string_view command);

class Connection {
public:
    // Of the other side's standard error: it is ours as well, or kept for errors().
    enum class Errors : std::uint8_t { Ours, Kept };
    // FileMissing if the program cannot be started.
    static Result<std::unique_ptr<Connection>> open(const std::vector<std::string>& command,
                                                    Errors errors = Errors::Ours);
    ~Connection();
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;

    // What cannot be written is found by reading. False if it was cancelled while the other side
    // took nothing: part of a line may have been sent then, and the connection is of no more use.
    bool send(std::string line, const CancelToken& cancel);

    enum class Got { Line, Nothing, End };
    // Nothing: not within this time.
    Got read(std::string& line, int milliseconds);
    // Behind End: "exit code 255", and whether a line had begun.
    const std::string& howItEnded() const { return m_end; }
    bool endedInside() const { return !m_pending.empty(); }
    const std::string& errors() const { return m_errors; }
    void endNow() const; // it is told to, and may still say something

private:
    Connection() = default;
    int reap();
    void readErrors();

    pid_t m_child = -1;
    std::optional<Leftover> m_running;
    int m_to = -1, m_from = -1, m_fromErrors = -1;
    std::string m_pending; // what came behind the last line
    std::size_t m_searched = 0;
    std::string m_errors;
    std::string m_end;
};

} // namespace fw
