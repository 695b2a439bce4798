#include "views/common/readers.h"

#include "views/common/text.h"

#include <algorithm>

namespace fw::ui {

using namespace Qt::StringLiterals;

namespace {

bool reads(const snapshot::NodeRecord& reader, snapshot::NodeId node) {
    return std::any_of(reader.inputs.begin(), reader.inputs.end(),
                       [&](const snapshot::InputRef& input) { return input.node == node; });
}

} // namespace

snapshot::NodeSet readersOf(const snapshot::GraphDocument& graph, snapshot::NodeId node) {
    snapshot::NodeSet out;
    for (const snapshot::NodeRecord& reader : graph.nodes)
        if (reads(reader, node))
            out.insert(reader.id);
    return out;
}

QString readersText(const snapshot::GraphDocument& graph, snapshot::NodeId node) {
    constexpr qsizetype most = 6;
    QStringList names;
    qsizetype others = 0;
    for (const snapshot::NodeRecord& reader : graph.nodes) {
        if (!reads(reader, node))
            continue;
        if (names.size() < most)
            names << text(reader.name.empty() ? reader.op : reader.name);
        else
            ++others;
    }
    const QString out = names.join(u", "_s);
    return others == 0 ? out
                       : out + (others == 1 ? u" and 1 other"_s : u" and %1 others"_s.arg(others));
}

std::optional<ModelResult> resultOf(const DocumentParts& document, int number) {
    const auto& graph = document.fused() ? document.fused() : document.imported();
    if (!graph || number < 0 || std::size_t(number) >= graph->results.size())
        return {};
    const snapshot::InputRef& result = graph->results[std::size_t(number)];
    const snapshot::NodeRecord* maker = nodeOf(graph.get(), result.node);
    if (!maker)
        return {};
    ModelResult out{text(result.name),
                    {},
                    text(maker->name.empty() ? maker->op : maker->name),
                    readersText(*graph, maker->id)};
    if (result.output >= 0 && std::size_t(result.output) < maker->outputs.size())
        out.type = text(maker->outputs[std::size_t(result.output)].type);
    return out;
}

} // namespace fw::ui
