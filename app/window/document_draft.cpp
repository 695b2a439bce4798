#include "app/window/document_draft.h"

#include "snapshot/document_file.h"

#include <utility>

namespace fw::ui {

namespace {

constexpr int typingPauseMs = 400;

} // namespace

DocumentDraft::DocumentDraft(Document& document, Drafts& drafts, QObject* parent)
    : QObject(parent), m_document(document), m_drafts(drafts) {
    m_pause.setSingleShot(true);
    m_pause.setInterval(typingPauseMs);
    connect(&m_pause, &QTimer::timeout, this, &DocumentDraft::keep);
    const auto later = [this] {
        if (m_document.unsaved())
            m_pause.start();
        else
            forget(); // at once: the window may end next
    };
    connect(&document, &Document::fileChanged, this, later);
    connect(&document, &Document::modelChanged, this, later);
    connect(&document, &Document::changed, this, [later](Parts parts) {
        if (parts.hasAny({Part::Inputs, Part::Baseline}))
            later();
    });
}

void DocumentDraft::forget() {
    m_pause.stop();
    if (!m_kept.isEmpty())
        m_drafts.forget({std::exchange(m_kept, {}), {}, Draft::Kind::Document});
}

void DocumentDraft::keep() {
    // One that was never saved goes by its model.
    const QString path = !m_document.unsaved()                 ? QString()
                         : m_document.documentPath().isEmpty() ? m_document.path()
                                                               : m_document.documentPath();
    if (path != m_kept)
        forget();
    if (path.isEmpty())
        return;
    const std::string text = snapshot::documentText(m_document.inputs(), {}, m_document.left(),
                                                    {m_document.baseline(), nullptr, {}});
    if (const Status kept =
            m_drafts.keep({path, QString::fromStdString(text), Draft::Kind::Document});
        !kept)
        return Q_EMIT problem(kept.diag());
    m_kept = path;
}

void DocumentDraft::restore(const Draft& draft, Document& document) {
    Result<snapshot::Inputs> inputs =
        snapshot::parseDocument(draft.text.toStdString(), draft.path.toStdString());
    if (!inputs)
        return Q_EMIT document.problem(inputs.diag());
    const bool saved = snapshot::isDocumentFile(draft.path.toStdString());
    const Result<snapshot::SavedTimes> times =
        snapshot::parseTimes(draft.text.toStdString(), draft.path.toStdString());
    document.openUnsaved(inputs.take(), saved ? draft.path : QString(),
                         times ? *times : snapshot::SavedTimes(),
                         snapshot::parseKeptOf(draft.text.toStdString(), draft.path.toStdString()));
}

} // namespace fw::ui
