// What was decided about a model and not saved, kept where a crash does not reach it.
#pragma once

#include "app/window/document.h"
#include "app/window/drafts.h"

#include <QTimer>

namespace fw::ui {

class DocumentDraft : public QObject {
    Q_OBJECT

public:
    // Both live longer.
    DocumentDraft(Document& document, Drafts& drafts, QObject* parent = nullptr);

    // Opens it as it was, still unsaved; a draft that cannot be read is a problem of the document.
    static void restore(const Draft& draft, Document& document);
    void forget(); // what is open is given up

Q_SIGNALS:
    void problem(const fw::Diag& diag);

private:
    void keep();

    Document& m_document;
    Drafts& m_drafts;
    QTimer m_pause;
    QString m_kept; // path of the draft; empty: there is none
};

} // namespace fw::ui
