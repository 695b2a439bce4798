#include "snapshot/protocol.h"

#include "base/numbers.h"
#include "snapshot/json.h"

namespace fw::snapshot {

namespace {

std::string envelope(std::int64_t id, std::string_view key, std::string_view body) {
    std::string line = "{\"id\":" + std::to_string(id) + ",\"";
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

Result<Json> readLine(std::string_view line) {
    Json value = Json::parse(line, nullptr, false);
    if (value.is_discarded() || !value.is_object())
        return makeDiag(DiagCode::Syntax, "the line is not a JSON object");
    return value;
}

} // namespace

std::string requestLine(const Request& request) {
    return toJson(request);
}

std::string cancelLine(std::int64_t id) {
    return "{\"cancel\":" + std::to_string(id) + "}";
}

std::string helloLine(const Hello& hello) {
    return "{\"hello\":" + print(Writer::write(hello), JsonStyle::Line) + "}";
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
    FW_TRY(const Json value, readLine(line));
    Command command;
    std::optional<Diag> diag;
    if (const auto cancel = value.find("cancel"); cancel != value.end()) {
        Reader::read(*cancel, command.cancel, "cancel", diag);
    } else {
        Request request;
        Reader::read(value, request, {}, diag);
        command.request = std::move(request);
    }
    if (diag)
        return *diag;
    if (!command.cancel && (!command.request || command.request->command.empty()))
        return makeDiag(DiagCode::Usage, "the line names no command");
    return command;
}

Result<Answer> readAnswer(std::string_view line) {
    if (auto answer = quickResult(line))
        return *answer;
    FW_TRY(const Json value, readLine(line));
    Answer answer;
    std::optional<Diag> diag;
    if (const auto hello = value.find("hello"); hello != value.end()) {
        answer.kind = AnswerKind::Hello;
        Reader::read(*hello, answer.hello, "hello", diag);
    } else {
        const auto id = value.find("id");
        if (id == value.end())
            return makeDiag(DiagCode::Syntax, "the answer has no id");
        Reader::read(*id, answer.id, "id", diag);
        if (const auto progress = value.find("progress"); progress != value.end()) {
            answer.kind = AnswerKind::Progress;
            Reader::read(*progress, answer.progress, "progress", diag);
        } else if (const auto result = value.find("result"); result != value.end()) {
            answer.kind = AnswerKind::Result;
            answer.result = print(*result, JsonStyle::Line);
        } else if (const auto error = value.find("error"); error != value.end()) {
            answer.kind = AnswerKind::Error;
            Reader::read(*error, answer.error, "error", diag);
        } else {
            return makeDiag(DiagCode::Syntax, "the answer has no progress, result or error");
        }
    }
    if (diag)
        return *diag;
    return answer;
}

} // namespace fw::snapshot
