// What the user decided (Inputs, with undo), the file that it is saved in, and the results so far,
// each an immutable document.
//
// A model that cannot be opened leaves the opened one alone. Everything is asked from the worker;
// documents are read in a background thread.
// Owns, from the bottom: the questions, the libraries and the books, the results of the inputs, the
// tasks. The parts are read here by everybody and written by these only.
#pragma once

#include "app/window/questions.h"
#include "app/window/tasks.h"
#include "snapshot/history.h"
#include "snapshot/kept_view.h"

namespace fw::ui {

class Document : public KeptParts {
    Q_OBJECT

public:
    explicit Document(WorkerClient& worker, QObject* parent = nullptr);

    // A model or a document file.
    void open(const QString& path);
    // What a window that ended had decided: of a document, or of one that was never saved.
    void openUnsaved(snapshot::Inputs inputs, const QString& savedPath,
                     const snapshot::SavedTimes& times = {}, const snapshot::KeptView& left = {});
    void reload();
    Status save(const QString& path, const snapshot::KeptView& left = {});
    // What people left in the window: as it was read or saved, or as they left it since then, which
    // would be a loss if bookmarks or stops of a saved document are others.
    const snapshot::KeptView& left() const { return m_left; }
    void setLeft(const snapshot::KeptView& left);
    // Whether it is the file of this document and holds what neither was read nor saved here.
    bool wasWrittenByOthers(const QString& path) const;

    // Pure edits of the inputs; plans again if something changed. Before a model is open they are
    // the inputs it will be opened with, and cannot be undone.
    void edit(const snapshot::Edit& edit);
    void undo();
    void redo();
    const snapshot::History& history() const { return m_history; }
    snapshot::SavedTimes times() const { return m_results.times(); }
    // What would be a loss: a target tried once in a model that was never saved is none.
    bool unsaved() const;
    void setTarget(const QString& target);

    DocumentBooks& books() { return m_books; }
    const DeclaredLibraries& libraries() const { return m_libraries; }
    // A plan that waited for one is made.
    void setAgreed(const QStringList& contents);
    Tasks& tasks() { return m_tasks; }
    void pinBaseline(); // the times that are shown
    void unpinBaseline() { setBaseline(nullptr); }
    void measureMachine() { askDoctor(true); } // its ceilings, again
    void want(Part part, const snapshot::Arguments& about) { m_results.want(part, about); }
    void wantState(const GraphState& state) { m_results.states().want(state); }
    // The graph of a body of the imported graph, or why there is none. Always answers.
    void askBody(const std::string& path, Answered<snapshot::GraphDocument> done);
    // The rule of a small edit, or why there is none.
    void askEdit(const snapshot::Arguments& about, Answered<snapshot::SketchDocument> done) {
        m_questions.send<snapshot::SketchDocument>(about, std::move(done));
    }
    void stop() { m_questions.stop(); } // cancels what is pending

    const QString& path() const { return m_path; } // of the model
    QString target() const { return QString::fromStdString(inputs().fullTarget()); }
    bool idle() const { return m_questions.idle(); }

Q_SIGNALS:
    void modelChanged(); // another model is open
    // Where the document is saved, or what can be undone; its inputs are a part.
    void fileChanged();
    void idleChanged();

private:
    using KeptParts::kept;
    using KeptParts::setPart;
    // Where the document is saved; empty: nowhere yet.
    struct File {
        QString path;
        QByteArray content; // SHA-256 of what was read or saved here
        snapshot::SavedTimes times = {};
        snapshot::KeptView left = {};
    };
    static QByteArray contentOf(const QString& path); // empty: it cannot be read

    void askDoctor(bool measure = false);
    enum class Saved : std::uint8_t { Yes, No };
    void openInputs(snapshot::Inputs inputs, const File& file, Saved saved = Saved::Yes);
    void adopt(snapshot::Inputs inputs, const File& file, Saved saved,
               std::shared_ptr<const snapshot::InfoDocument> info);
    void setBaseline(const Shared<snapshot::ProfileDocument>& times);
    void inputsEdited(const snapshot::Inputs& before);
    void workerDied(const Diag& death);

    WorkerClient& m_worker;
    Questions m_questions;
    DeclaredLibraries m_libraries;
    DocumentBooks m_books;
    PlanResults m_results;
    Tasks m_tasks;
    QByteArray m_savedContent; // of documentPath(), as File has it
    Shared<snapshot::ProfileDocument> m_savedBaseline;
    snapshot::KeptView m_left, m_savedLeft;
    snapshot::History m_history;
    QString m_path;
    std::uint64_t m_openGeneration = 0; // of the model asked for last
};

} // namespace fw::ui
