#include "snapshot/protocol.h"

#include "base/numbers.h"
#include "snapshot/json.h"

namespace fw::snapshot {

namespace {

std::string envelope(std::int64_t id, std::string_view key, std::string_view body) {
    std::string line = "{\"id\":" + std::to_string(id) + ",\"";
    line.reserve(line.size() + key.size() + body.size() + 8); // and the end of the line
    line.append(key).append("\":").append(body).append("}");
    return line;
}

// Our own result lines have a fixed beginning, so that a large document is not read twice.
std::optional<Answer> quickResult(std::string_view line) {
    constexpr std::string_view before = "{\"id\":";
    constexpr std::string_view between = ",\"result\":";
    if (!line.starts_with(before) || !line.ends_with('}'))
        return std::nullopt;
    const std::size_t comma = line.find(',');
    if (comma == std::string_view::npos || !line.substr(comma).starts_with(between))
        return std::nullopt;
    const auto id = parseInteger(line.substr(before.size(), comma - before.size()));
    if (!id)
        return std::nullopt;
    Answer answer;
    answer.id = *id;
    answer.kind = AnswerKind::Result;
    const std::size_t start = comma + between.size();
    answer.result = std::string(line.substr(start, line.size() - start - 1));
    return answer;
}

struct CommandLine {
    std::optional<std::int64_t> cancel;
    Request request;
};

template <class Visitor>
void fields(Visitor& v, CommandLine& r) {
    v("cancel", r.cancel);
    fields(v, r.request);
}

struct AnswerLine {
    std::optional<Hello> hello;
    std::optional<std::int64_t> id;
    std::optional<Progress> progress;
    std::optional<RawJson> result;
    std::optional<Diag> error;
};

template <class Visitor>
void fields(Visitor& v, AnswerLine& r) {
    v("hello", r.hello);
    v("id", r.id);
    v("progress", r.progress);
    v("result", r.result);
    v("error", r.error);
}

} // namespace

std::string requestLine(const Request& request) {
    return toJson(request);
}

std::string cancelLine(std::int64_t id) {
    return "{\"cancel\":" + std::to_string(id) + "}";
}

std::string helloLine(const Hello& hello) {
    return "{\"hello\":" + Writer::text(hello) + "}";
}

std::string progressLine(std::int64_t id, const Progress& progress) {
    return envelope(id, "progress", toJson(progress));
}

std::string resultLine(std::int64_t id, std::string_view document) {
    return envelope(id, "result", document);
}

std::string errorLine(std::int64_t id, const Diag& error) {
    return envelope(id, "error", toJson(error));
}

Result<Command> readCommand(std::string_view line) {
    CommandLine read;
    if (auto diag = Reader(line).readAll(read))
        return std::move(*diag);
    Command command;
    command.cancel = read.cancel;
    if (!read.cancel)
        command.request = std::move(read.request);
    if (command.request && command.request->command.empty())
        return makeDiag(DiagCode::Usage, "the line names no command");
    return command;
}

Result<Answer> readAnswer(std::string_view line) {
    if (auto answer = quickResult(line))
        return std::move(*answer);
    AnswerLine read;
    if (auto diag = Reader(line).readAll(read))
        return std::move(*diag);
    Answer answer;
    answer.id = read.id.value_or(0);
    if (read.hello) {
        answer.kind = AnswerKind::Hello;
        answer.hello = std::move(*read.hello);
    } else if (!read.id) {
        return makeDiag(DiagCode::Syntax, "the answer has no id");
    } else if (read.progress) {
        answer.kind = AnswerKind::Progress;
        answer.progress = std::move(*read.progress);
    } else if (read.result) {
        answer.kind = AnswerKind::Result;
        answer.result = std::move(read.result->text);
    } else if (read.error) {
        answer.kind = AnswerKind::Error;
        answer.error = std::move(*read.error);
    } else {
        return makeDiag(DiagCode::Syntax, "the answer has no progress, result or error");
    }
    return answer;
}

} // namespace fw::snapshot
