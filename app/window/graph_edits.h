// Small edits of the graph at the selected operator: each becomes a rule at the end of the
// document's book of edits.
#pragma once

#include "app/window/document.h"
#include "app/window/edit_dialog.h"
#include "views/common/selection.h"

namespace fw::ui {

class GraphEdits : public QObject {
    Q_OBJECT

public:
    // All live longer.
    GraphEdits(QWidget& window, Document& document, const Selection& selection);

    void begin(const GraphEdit& edit); // asks what it needs to know

    static constexpr const char* book = "edits"; // "edits.fw" beside the model

Q_SIGNALS:
    void written(const QString& rule);
    void said(const QString& text);
    void refused(const fw::Diag& diag);

private:
    struct Subject { // the one that is selected, in both graphs; null: there, it is none or several
        const snapshot::NodeRecord* read;
        const snapshot::NodeRecord* made;
    };
    Subject subject() const;

    QWidget& m_window;
    Document& m_document;
    const Selection& m_selection;
};

} // namespace fw::ui
