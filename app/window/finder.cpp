#include "app/window/finder.h"

#include "views/inspector/outline_model.h"

#include <QStringList>

#include <algorithm>

namespace fw::ui {

namespace {

bool matches(const snapshot::NodeRecord& node, const QStringList& words) {
    QString text = searchTextOf(node);
    if (node.constant) // "constant" is what all of them are
        text.remove(0, qsizetype(node.op.size()));
    text += QStringLiteral(" #%1").arg(node.id);
    return std::all_of(words.begin(), words.end(), [&](const QString& word) {
        return word.startsWith(u'#') ? text.endsWith(QStringLiteral(" ") + word)
                                     : text.contains(word);
    });
}

// Constants are not drawn: who reads one that matches stands for it.
std::vector<snapshot::NodeId> matchesIn(const snapshot::GraphDocument& graph,
                                        const QStringList& words) {
    snapshot::NodeSet constants;
    std::vector<snapshot::NodeId> out;
    for (const auto& node : graph.nodes) {
        if (node.constant) {
            if (matches(node, words))
                constants.insert(node.id);
            continue;
        }
        const bool reads =
            std::any_of(node.inputs.begin(), node.inputs.end(),
                        [&](const auto& input) { return constants.contains(input.node); });
        if (reads || matches(node, words))
            out.push_back(node.id);
    }
    return out;
}

} // namespace

std::vector<Hit> findNodes(const QString& text, const snapshot::GraphDocument* imported,
                           const snapshot::GraphDocument* fused,
                           const snapshot::Provenance& provenance) {
    std::vector<Hit> out;
    const QStringList words = text.toLower().split(u' ', Qt::SkipEmptyParts);
    if (words.isEmpty())
        return out;
    snapshot::NodeSet found;
    if (fused) {
        for (const snapshot::NodeId id : matchesIn(*fused, words)) {
            out.push_back({GraphSide::Fused, id});
            found.insert(id);
        }
    }
    const snapshot::NodeSet covered = provenance.toImported(found);
    if (imported) {
        for (const snapshot::NodeId id : matchesIn(*imported, words))
            if (!covered.contains(id))
                out.push_back({GraphSide::Imported, id});
    }
    return out;
}

} // namespace fw::ui
