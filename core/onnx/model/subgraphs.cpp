#include "onnx/model/subgraphs.h"

namespace fw {

namespace {

void define(const proto::GraphProto& graph, std::set<std::string>& out) {
    for (const auto& input : graph.input())
        out.insert(input.name());
    for (const auto& tensor : graph.initializer())
        out.insert(tensor.name());
    for (const auto& node : graph.node())
        out.insert(node.output().begin(), node.output().end());
}

void collectCaptured(const proto::GraphProto& graph, std::set<std::string> defined,
                     std::set<std::string>& out) {
    define(graph, defined);
    const auto read = [&](const std::string& name) {
        if (!name.empty() && !defined.contains(name))
            out.insert(name);
    };
    for (const auto& node : graph.node()) {
        for (const std::string& input : node.input())
            read(input);
        forSubgraphs(node, [&](const auto& body) { collectCaptured(body, defined, out); });
    }
    for (const auto& output : graph.output())
        read(output.name());
}

void collectInner(const proto::GraphProto& graph, std::set<std::string>& out) {
    define(graph, out);
    for (const auto& node : graph.node())
        forSubgraphs(node, [&](const auto& body) { collectInner(body, out); });
}

void rename(proto::GraphProto& graph, std::map<std::string, std::string> names) {
    std::set<std::string> own;
    define(graph, own);
    for (const std::string& name : own)
        names.erase(name);
    const auto renamed = [&](std::string& name) {
        if (const auto found = names.find(name); found != names.end())
            name = found->second;
    };
    for (auto& node : *graph.mutable_node()) {
        for (std::string& input : *node.mutable_input())
            renamed(input);
        forSubgraphs(node, [&](auto& body) { rename(body, names); });
    }
    for (auto& output : *graph.mutable_output())
        renamed(*output.mutable_name());
}

} // namespace

bool hasSubgraphs(const proto::NodeProto& node) {
    bool any = false;
    forSubgraphs(node, [&](const auto&) { any = true; });
    return any;
}

std::set<std::string> capturedNames(const proto::NodeProto& node) {
    std::set<std::string> out;
    forSubgraphs(node, [&](const auto& body) { collectCaptured(body, {}, out); });
    return out;
}

std::set<std::string> capturedNames(const proto::GraphProto& body) {
    std::set<std::string> out;
    collectCaptured(body, {}, out);
    return out;
}

std::set<std::string> innerNames(const proto::NodeProto& node) {
    std::set<std::string> out;
    forSubgraphs(node, [&](const auto& body) { collectInner(body, out); });
    out.erase("");
    return out;
}

void renameCaptured(proto::NodeProto& node, const std::map<std::string, std::string>& names) {
    forSubgraphs(node, [&](auto& body) { rename(body, names); });
}

} // namespace fw
