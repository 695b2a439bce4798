#include "readers/readers.h"

#include "book/book.h"
#include "ir/graph_text.h"
#include "library/library.h"
#include "onnx/model/npy.h"
#include "onnx/read/import.h"
#include "onnx/write/export.h"
#include "runtime/program.h"
#include "session/graph_file.h"
#include "session/tuning_log.h"
#include "snapshot/document_file.h"
#include "snapshot/protocol.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace fw::test {

namespace {

void promise(bool kept, const std::string& what) {
    if (kept)
        return;
    std::fprintf(stderr, "broken promise: %s\n", what.c_str());
    std::abort();
}

void sameGraphAsText(const Graph& graph, std::shared_ptr<const OperatorSet> operators) {
    const auto again =
        parseGraph(printGraph(graph), std::move(operators), {.constants = constantsOf(graph)});
    promise(again.ok(), "a graph that was printed reads back, not " +
                            (again.ok() ? std::string() : again.diag().text()) + " in\n" +
                            printGraph(graph));
    promise((*again)->hash() == graph.hash(), "a graph that was printed reads back equal");
}

// Small limits: what is looked for lies in the structure, not in the size.
void readModel(std::string_view bytes) {
    ImportOptions options;
    options.limits.tensorBytes = 1 << 20;
    const auto model = importModelBytes(bytes, standardOperators(), options);
    if (!model.ok())
        return;
    (void)exportModel(*model->graph);
    sameGraphAsText(*model->graph, standardOperators());
}

void readText(std::string_view bytes) {
    (void)checkBookText(bytes, "book.fw");
    Diags errors;
    const auto operators = withOperators(*standardOperators(), bytes, "graph.fw", errors);
    const auto model = parseGraphFile(bytes, "graph.fw", standardOperators(), {});
    if (model.ok())
        sameGraphAsText(*model->graph, operators);
}

void readDocument(std::string_view bytes) {
    const auto inputs = snapshot::parseDocument(bytes, "/models/net.fwdoc");
    if (!inputs.ok())
        return;
    const auto times = snapshot::parseTimes(bytes, "/models/net.fwdoc");
    promise(times.ok(), "a document that is read has times that can be read");
    const std::string written = snapshot::documentText(*inputs, "/models", {}, *times);
    const auto again = snapshot::parseDocument(written, "/models/net.fwdoc");
    promise(again.ok() && *again == *inputs, "a document that was written reads back equal");
    const auto timesAgain = snapshot::parseTimes(written, "/models/net.fwdoc");
    promise(timesAgain.ok() && !timesAgain->baseline == !times->baseline &&
                !timesAgain->last == !times->last,
            "its times, too");
}

void readLog(std::string_view bytes) {
    (void)parseTuningLog(bytes, "log.json");
}

void readNpy(std::string_view bytes) {
    const auto tensor = parseNpy(bytes);
    if (!tensor.ok())
        return;
    const auto written = npyBytes(*tensor);
    promise(written.ok(), "a tensor that was read can be written");
    const auto again = parseNpy(*written);
    promise(again.ok() && again->type() == tensor->type() &&
                std::ranges::equal(again->bytes(), tensor->bytes()),
            "a tensor that was written reads back equal");
}

void readProtocol(std::string_view bytes) {
    const auto command = snapshot::readCommand(bytes);
    if (command.ok() && command->request) {
        const auto again = snapshot::readCommand(snapshot::requestLine(*command->request));
        promise(again.ok() && again->request && *again->request == *command->request,
                "a request that was written reads back equal");
    }
    (void)snapshot::readAnswer(bytes);
}

// Length and checksum guard against damage, not against intent: they are made right, so that what
// lies behind them is read.
void readProgram(std::string_view bytes) {
    constexpr std::size_t header = 32;
    std::vector<std::uint8_t> blob(bytes.begin(), bytes.end());
    if (blob.size() >= header) {
        const std::uint64_t length = blob.size() - header;
        const std::uint64_t sum = runtime::blobChecksum(blob.data() + header, blob.size() - header);
        std::memcpy(blob.data() + 16, &length, sizeof length);
        std::memcpy(blob.data() + 24, &sum, sizeof sum);
    }
    runtime::Program program;
    if (!runtime::readProgram(blob.data(), blob.size(), program).ok())
        return;
    const std::vector<std::uint8_t> written = runtime::writeProgram(program);
    runtime::Program again;
    promise(runtime::readProgram(written.data(), written.size(), again).ok() &&
                runtime::writeProgram(again) == written,
            "a program that was written reads back equal");
}

} // namespace

const std::vector<Reader>& readers() {
    static const std::vector<Reader> all = {
        {"model", readModel},     {"text", readText}, {"document", readDocument},
        {"log", readLog},         {"npy", readNpy},   {"protocol", readProtocol},
        {"program", readProgram},
    };
    return all;
}

const Reader* findReader(std::string_view name) {
    for (const Reader& reader : readers())
        if (reader.name == name)
            return &reader;
    return nullptr;
}

} // namespace fw::test
