// Commands asked as the window and fw ask them, on the samples, with generated code only.
#pragma once

#include "session/commands.h"
#include "snapshot/documents.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

namespace fw::test {

inline const std::string samples = FW_SOURCE_DIR "/samples/";
inline const std::string mineFile = "/nowhere/mine.fw"; // of a text that is typed

struct Asked {
    Commands commands;
    Context context;
    std::vector<std::string> stages;

    Asked() {
        context.progress = [this](const StageProgress& step) { stages.push_back(step.stage); };
    }
    Result<std::string> ask(const std::string& command, snapshot::Arguments arguments) {
        snapshot::Request request;
        request.id = 1;
        request.command = command;
        request.arguments = std::move(arguments);
        return commands.run(request, context);
    }
    template <class Document>
    Document get(const std::string& command, snapshot::Arguments arguments) {
        return snapshot::fromJson<Document>(ask(command, std::move(arguments)).value()).value();
    }
};

inline snapshot::Arguments on(const std::string& sample) {
    snapshot::Arguments out;
    out.model = samples + sample;
    out.target = "x86-64 -libs=";
    return out;
}

inline std::size_t countOf(const snapshot::GraphDocument& graph, const std::string& op) {
    return static_cast<std::size_t>(
        std::count_if(graph.nodes.begin(), graph.nodes.end(),
                      [&](const snapshot::NodeRecord& node) { return node.op == op; }));
}

inline const snapshot::GroupRecord& groupOf(const snapshot::FuseDocument& plan,
                                            const std::string& node) {
    for (const snapshot::GroupRecord& group : plan.groups)
        if (std::find(group.nodes.begin(), group.nodes.end(), node) != group.nodes.end())
            return group;
    throw std::runtime_error("no group has " + node);
}

} // namespace fw::test
