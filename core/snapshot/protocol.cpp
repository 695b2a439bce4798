#include "snapshot/protocol.h"

#include "base/numbers.h"
#include "snapshot/json.h"

namespace fw::snapshot {

namespace {

std::string start(std::int64_t id, std::string_view key) {
    return "{\"id\":" + std::to_string(id) + ",\"" + std::string(key) + "\":";
}

std::string envelope(std::int64_t id, std::string_view key, std::string_view body) {
    return start(id, key).append(body).append(resultEnd);
}

// Our own result lines have a fixed beginning, so that a large document is not read twice.
struct ResultStart {
    std::int64_t id = 0;
    std::size_t size = 0; // of the beginning
};

std::optional<ResultStart> resultStartOf(std::string_view line) {
    constexpr std::string_view before = "{\"id\":";
    constexpr std::string_view between = ",\"result\":";
    if (!line.starts_with(before))
        return std::nullopt;
    const std::size_t comma = line.find(',');
    if (comma == std::string_view::npos || !line.substr(comma).starts_with(between))
        return std::nullopt;
    const auto id = parseInteger(line.substr(before.size(), comma - before.size()));
    if (!id)
        return std::nullopt;
    return ResultStart{*id, comma + between.size()};
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

std::string resultStart(std::int64_t id) {
    return start(id, "result");
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

std::optional<std::int64_t> takeResult(Pieces& line) {
    if (line.empty() || !line.back().ends_with(resultEnd))
        return std::nullopt;
    const auto start = resultStartOf(line.front());
    if (!start)
        return std::nullopt;
    line.back().resize(line.back().size() - resultEnd.size());
    line.front().erase(0, start->size);
    return start->id;
}

Result<Answer> readAnswer(std::string_view line) {
    if (const auto start = resultStartOf(line); start && line.ends_with(resultEnd)) {
        Answer answer;
        answer.id = start->id;
        answer.kind = AnswerKind::Result;
        line.remove_suffix(resultEnd.size());
        answer.result = std::string(line.substr(start->size));
        return answer;
    }
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
