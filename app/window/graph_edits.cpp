#include "app/window/graph_edits.h"

#include "views/common/text.h"

namespace fw::ui {

using namespace Qt::StringLiterals;

GraphEdits::GraphEdits(QWidget& window, Document& document, const Selection& selection)
    : QObject(&window), m_window(window), m_document(document), m_selection(selection) {}

GraphEdits::Subject GraphEdits::subject() const {
    const auto only = [](const Shared<snapshot::GraphDocument>& graph,
                         const snapshot::NodeSet& nodes) {
        return nodes.size() == 1 ? nodeOf(graph.get(), *nodes.begin()) : nullptr;
    };
    const Picked& picked = m_selection.picked();
    return {only(m_document.imported(), picked.imported), only(m_document.fused(), picked.fused)};
}

void GraphEdits::begin(const GraphEdit& edit) {
    const Subject subject = this->subject();
    // Of what rules made of several operators the engine says where it is edited.
    const snapshot::NodeRecord* node = subject.read != nullptr ? subject.read : subject.made;
    if (node == nullptr)
        return Q_EMIT said(u"an edit is made at one operator: select one"_s);
    snapshot::Arguments about = m_document.books().argumentsFor(m_document.inputs());
    about.edit = edit.word;
    about.nodes = {node->name};
    if (*edit.what != '\0') {
        const bool same = subject.made != nullptr && subject.made->op == node->op;
        EditDialog dialog(edit, *node, same ? subject.made->attributes : node->attributes,
                          subject.read != nullptr ? *m_document.imported() : *m_document.fused(),
                          &m_window);
        if (dialog.exec() != QDialog::Accepted)
            return;
        dialog.tell(about);
    }
    m_document.askEdit(about, [this](const Answer<snapshot::SketchDocument>& answer) {
        if (!answer)
            return Q_EMIT refused(answer.diag());
        const snapshot::SketchDocument& made = **answer;
        Q_EMIT written(text(made.text));
        for (const std::string& notice : made.notices)
            Q_EMIT said(text(notice));
    });
}

} // namespace fw::ui
