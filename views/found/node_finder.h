// Nodes and groups by what people type, and from group to group.
//
// Owns what was found last, so that the next one can be gone to.
#pragma once

#include "app/window/finder.h"
#include "views/common/document_parts.h"
#include "views/common/selection.h"

namespace fw::ui {

class NodeFinder {
public:
    // Both live longer.
    NodeFinder(const DocumentParts& document, Selection& selection)
        : m_document(document), m_selection(selection) {}

    // The next one, or the one before; what is to be said of it.
    QString find(const QString& text, int step);
    // A group, a node, or the node that makes a value of this name; false: there is none.
    bool select(const QString& name);
    bool select(const QStringList& names); // together; false: one is unknown
    void walkGroups(int step);

private:
    const DocumentParts& m_document;
    Selection& m_selection;
    std::vector<Hit> m_hits;
    QString m_text;
    int m_at = -1; // of the hits
};

} // namespace fw::ui
