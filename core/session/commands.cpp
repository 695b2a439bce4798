#include "session/commands.h"

#include "base/system_limit.h"
#include "session/answers.h"
#include "session/document.h"

namespace fw {

namespace {

using namespace snapshot;

template <auto answer>
Result<Commands::Write> written(PipelineStore& store, const Arguments& arguments,
                                const Context& context) {
    auto document = answer(store, arguments, context);
    if (!document)
        return document.takeDiag();
    return Commands::Write(
        [kept = std::make_shared<const std::remove_reference_t<decltype(*document)>>(
             document.take())](const JsonSink& sink) { writeJson(*kept, sink); });
}

struct Row {
    const char* name;
    Result<Commands::Write> (*run)(PipelineStore&, const Arguments&, const Context&);
};

constexpr Row rows[] = {
#define FW_INNER(worker, Document, about) {#worker, written<worker##Command>},
#define FW_COMMAND(name, worker, Document, traits, about, ...) FW_INNER(worker, Document, about)
#include "snapshot/commands.def"
};

constexpr std::pair<const char*, Result<std::string> (SentFiles::*)(const Arguments&)> ofFiles[] = {
    {"place", &SentFiles::place},
    {"put", &SentFiles::put},
    {"take", &SentFiles::take},
};

} // namespace

Result<Commands::Write> Commands::answer(const Request& request, const Context& context) {
    for (const auto& [name, run] : ofFiles)
        if (request.command == name) {
            FW_TRY(const std::string document, (m_sent.*run)(request.arguments));
            return Write([document](const JsonSink& sink) { sink(document); });
        }
    for (const Row& row : rows) {
        if (request.command != row.name)
            continue;
        try {
            FW_TRY(const Arguments arguments, withDocument(request.arguments));
            return row.run(m_store, arguments, context);
        } catch (const std::exception& error) {
            if (auto limit = systemLimitOf(error, {request.arguments.model}))
                return std::move(*limit);
            return makeDiag(DiagCode::Internal, error.what(), {request.arguments.model},
                            "this is a mistake of the program, please report it");
        }
    }
    return makeDiag(DiagCode::Usage, "the worker has no command " + request.command);
}

Result<std::string> Commands::run(const Request& request, const Context& context) {
    FW_TRY(const Write write, answer(request, context));
    std::string out;
    write([&](std::string_view piece) { out += piece; });
    return out;
}

std::vector<std::string> Commands::names() {
    std::vector<std::string> out;
    for (const Row& row : rows)
        out.emplace_back(row.name);
    return out;
}

} // namespace fw
