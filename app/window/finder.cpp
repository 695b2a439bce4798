#include "app/window/finder.h"

#include "views/inspector/outline_model.h"

#include <QStringList>

#include <algorithm>

namespace fw::ui {

namespace {

bool matches(const snapshot::NodeRecord& node, const QStringList& words) {
    if (node.constant)
        return false;
    const QString text = searchTextOf(node) + QStringLiteral(" #%1").arg(node.id);
    return std::all_of(words.begin(), words.end(), [&](const QString& word) {
        return word.startsWith(u'#') ? text.endsWith(QStringLiteral(" ") + word)
                                     : text.contains(word);
    });
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
        for (const auto& node : fused->nodes) {
            if (matches(node, words)) {
                out.push_back({GraphSide::Fused, node.id});
                found.insert(node.id);
            }
        }
    }
    const snapshot::NodeSet covered = provenance.toImported(found);
    if (imported) {
        for (const auto& node : imported->nodes) {
            if (!covered.contains(node.id) && matches(node, words))
                out.push_back({GraphSide::Imported, node.id});
        }
    }
    return out;
}

} // namespace fw::ui
