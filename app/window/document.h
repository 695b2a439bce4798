// What the user decided (Inputs, with undo) and the results so far, each an immutable document.
//
// Every answer belongs to the generation in which it was asked; opening a model or changing the
// inputs starts a new generation and drops answers of older ones. A result that no longer fits the
// inputs stays visible as Stale until its successor arrives; the results of the inputs used last
// are kept, so undo shows them at once. A model that cannot be opened leaves the opened one alone.
// Everything is asked from the worker; documents are read in a background thread.
//   document.cpp          inputs, files, undo
//   document_results.cpp  requests and what becomes of their answers
//   document_states.cpp   graphs that are compared
//   document_texts.cpp    books that are being edited
#pragma once

#include "app/window/worker_client.h"
#include "snapshot/drawing_records.h"
#include "snapshot/hierarchy.h"
#include "snapshot/history.h"
#include "views/common/document_parts.h"

#include <QObject>
#include <QString>

#include <deque>
#include <map>
#include <set>

namespace fw::ui {

// As the command line has them.
struct ExportOptions {
    bool embeds = false;   // --embed
    bool isStatic = false; // --static
};

template <class T>
using Answer = Result<Shared<T>>;
template <class T>
using Answered = std::function<void(Answer<T>)>;
template <class T>
using Then = std::function<void(Shared<T>)>; // what is done with what was answered

class Document : public QObject, public DocumentParts {
    Q_OBJECT

public:
    explicit Document(WorkerClient& worker, QObject* parent = nullptr);

    // A model or a document file.
    void open(const QString& path);
    // What a window that ended had decided: of a document, or of one that was never saved.
    void openUnsaved(snapshot::Inputs inputs, const QString& savedPath);
    void reload();
    Status save(const QString& path, const std::optional<snapshot::BlockView>& blocks = {});
    // Whether it is the file of this document and holds what neither was read nor saved here.
    bool wasWrittenByOthers(const QString& path) const;

    // Pure edits of the inputs; plans again if something changed. Before a model is open they are
    // the inputs it will be opened with, and cannot be undone.
    void edit(const snapshot::Edit& edit);
    void undo();
    void redo();
    const snapshot::History& history() const { return m_history; }
    // What would be a loss: a target tried once in a model that was never saved is none.
    bool unsaved() const;
    void setTarget(const QString& target);

    // --- texts of books that are being edited, by path
    // Checked at once; without errors the text stands for the file in all that is asked from then
    // on: what it matches is asked first, then a plan if the book takes part in it. With errors the
    // last text without them goes on acting, and what is shown is Stale.
    enum class OnDisk : std::uint8_t { Same, Other };
    void setText(const QString& path, const QString& text, OnDisk disk);
    // Of a book that no file holds yet: acts at once, so that the book can take part.
    void beginText(const QString& path, const QString& text);
    // Typed, and not at rest yet: what is being asked of the text before is in the way.
    void textEdited(const QString& path);
    void dropText(const QString& path);    // thrown away: the file stands for itself again
    void releaseText(const QString& path); // the same, of a text that the file holds
    void renameText(const QString& before, const QString& now); // saved under another name
    // The file was changed by others.
    void rereadBook(const QString& path);
    // The text that acts; null: the file.
    const std::string* actingText(const QString& path) const;
    // A shipped book is shown: what it finds is asked.
    void showShipped(const QString& file);
    // `beside`: texts that are looked through as well.
    void assist(const QString& path, const QString& text, int line, int column,
                Then<snapshot::AssistDocument> done,
                const std::vector<snapshot::BookSource>& beside = {});
    // How a node of the graph that a declaration looks at fits it; null: there is none, or the text
    // does not parse.
    void askProbe(const QString& book, int line, int column, snapshot::NodeId node,
                  Then<snapshot::ProbeDocument> done);
    // Who uses what is declared at a place of a book; null: nothing is.
    void askUses(const QString& book, int line, int column, Then<snapshot::UsesDocument> done);
    // Of a graph as text, with the operators of a book and of those that act.
    void askGraph(const std::string& text, const QString& book,
                  Answered<snapshot::GraphDocument> done);
    // Of a declaration in a book, as it is typed.
    void askDrawing(const QString& book, int line, int column,
                    Then<snapshot::DrawingDocument> done);
    // The graph of a body of the imported graph, or why there is none. Always answers.
    void askBody(const std::string& path, Answered<snapshot::GraphDocument> done);
    // `text` of a book, laid out. What is wrong is told as a problem, and `done` is not called.
    void askFormat(const QString& path, const QString& text, Then<snapshot::FormatDocument> done);
    // Of a shipped book; with an empty name the list of all of them.
    void askBook(const QString& name, Then<snapshot::BookDocument> done);

    // A library that ends the worker in one of these is avoided by a pin, and the work goes on.
    void compile(); // and runs once, with random inputs
    void profile();
    void measureMachine() { askDoctor(true); } // its ceilings, again
    void exportModule(const QString& folder, ExportOptions options);
    void exportModule(const QString& folder) { exportModule(folder, {}); }
    void exportRewritten(const QString& file); // the graph as the rules left it: .onnx or .fw
    // Times the implementations of every group into the file, which then decides.
    void tune(const QString& log);
    // Holds the implementations of every group against the reference; what differs is written into
    // the folder as the smallest graph that shows it.
    void verify(const QString& folder);
    // Computes the model behind every application of a rule: how far its outputs are from those of
    // the imported one, and which took them out of the tolerance.
    void bisect();
    // Plans once more without each book of which a rule acted: Part::Order with what each won.
    void weighBooks();
    // A part that has a command. `about` says of what (nodes, stage, group); the rest is filled in.
    // Asked again, the latest wins.
    void want(Part part, const snapshot::Arguments& about);
    // A graph of Part::States. The ones asked for last are kept.
    void wantState(const GraphState& state);
    void stop(); // cancels what is pending

    const QString& path() const { return m_path; } // of the model
    QString target() const { return QString::fromStdString(inputs().fullTarget()); }
    bool idle() const { return m_busy == 0; }
    bool taskRunning() const { return m_tasks > 0; } // a compile, profile or export

    // Those that the target takes without -libs=.
    std::vector<std::string> foundLibraries() const;
    QStringList declaredTargets() const; // of the books that are switched on
    // A library that one of them declares; null: it is none.
    const snapshot::LibraryRecord* declaredLibrary(const QString& name) const;
    // SHA-256 of the files of such libraries that may be loaded. A plan that waited for one is
    // made.
    void setAgreed(const QStringList& contents);
    bool isAgreed(const snapshot::LibraryRecord& library) const;

Q_SIGNALS:
    void modelChanged();               // another model is open
    void changed(fw::ui::Parts parts); // what is kept of them, or their state
    // Where the document is saved, or what can be undone; its inputs are a part.
    void fileChanged();
    void problem(const fw::Diag& diag); // for people: shown and kept in the list of problems
    void note(const QString& text);     // for the log
    void idleChanged();
    void taskChanged();

private:
    // A text and what is asked about it; an answer to another generation is of an earlier text.
    struct Typed {
        std::string text;
        std::uint64_t generation = 0;
        std::set<std::int64_t> requests;
        bool right = false; // it was checked
    };
    // The results of inputs that were used before.
    struct UsedInputs {
        snapshot::Inputs inputs;
        std::map<std::string, std::string> texts;
        std::shared_ptr<const snapshot::GraphDocument> imported, fused;
        std::shared_ptr<const snapshot::FuseDocument> plan;
        std::shared_ptr<const snapshot::ProfileDocument> profile;
    };
    // Where the document is saved; empty: nowhere yet.
    struct File {
        QString path;
        QByteArray content; // SHA-256 of what was read or saved here
    };
    static QByteArray contentOf(const QString& path); // empty: it cannot be read
    static constexpr std::size_t keptLimit = 12;
    static constexpr std::size_t statesLimit = 8;

    void ask(Part part, const snapshot::Arguments& arguments);
    template <class T>
    void askFor(Part part, const snapshot::Arguments& arguments, Shared<T>& slot,
                std::function<void(const Answer<T>&)> always = {});
    void answered(Part part); // it is kept
    void tellProfile();
    void refused(Part part, const Diag& why, bool hadOne);
    template <class T, class Done>
    std::int64_t send(const snapshot::Arguments& arguments, Done done,
                      WorkerClient::By by = WorkerClient::By::First);
    template <class T, class Done>
    void sendLatest(InFlight& latest, const snapshot::Arguments& arguments, Done done,
                    WorkerClient::By by = WorkerClient::By::First,
                    std::function<void(const Answer<T>&)> always = {});
    template <class T, class Done>
    auto ofThisPlan(Done done) const;
    template <class T>
    auto keptAs(Part part, Shared<T>& slot);
    template <class T>
    auto orProblem(Then<T> done);
    template <class T>
    static auto orNull(Then<T> done);
    void cancel(InFlight& request);
    snapshot::Arguments askedOf(const GraphState& state) const;
    void askRewriteOf(const GraphState& state);
    void endStates(); // of an earlier plan
    void askDoctor(bool measure = false);
    enum class Saved : std::uint8_t { Yes, No };
    void openInputs(snapshot::Inputs inputs, const File& file, Saved saved = Saved::Yes);
    void adopt(snapshot::Inputs inputs, const File& file, Saved saved,
               std::shared_ptr<const snapshot::InfoDocument> info);
    void inputsEdited(const snapshot::Inputs& before);
    enum class Importing : std::uint8_t { No, Yes };
    // `by`: the text that is why; what it finds is asked already.
    void plannedAnew(Importing importing, const std::string& by = {});
    snapshot::Arguments argumentsFor(const snapshot::Inputs& inputs) const; // with texts that act
    snapshot::Arguments arguments() const { return argumentsFor(inputs()); }
    bool inDocument(const std::string& path) const; // a book of it, switched on or off
    void textIsRight(const std::string& path, const std::string& text, OnDisk disk,
                     Importing importing);
    void textIsWrong(const std::string& path);
    void askTextMatches(const std::string& path);
    void askOtherMatches(const std::string& but);
    void cancelText(const std::string& path);
    bool isTyped(const std::string& path, std::uint64_t generation) const;
    void cancelPlan();
    void nextGeneration(); // what is answered to an earlier one is dropped
    void replan();
    void keep();
    bool restore();
    void workerDied(const Diag& death);
    void comparePlans();
    void askRules();
    void askChecks();
    void followLibraries(); // of the books, after a check
    const std::string* textOf(const std::string& path) const;
    snapshot::Arguments askedAt(const std::string& book, int line, int column) const;
    snapshot::Arguments checkOf(const std::string& path, const std::string* text) const;
    void askMatches();
    void setPart(Part part, State state, Diag error = {});
    void tell(Parts parts) { Q_EMIT changed(parts); }
    void changeBusy(int by);
    void changeTasks(int by);
    // Counted while it runs; asked `again` if people want that where the worker died in it.
    template <class T>
    void runTask(const snapshot::Arguments& wanted, std::function<void()> again, Then<T> done);
    template <class T>
    void taskEnded(const Answer<T>& answer, std::function<void()> again) {
        changeTasks(-1);
        if (!answer && answer.diag().code == DiagCode::WorkerDied)
            m_lostTask = std::move(again);
    }

    WorkerClient& m_worker;
    QByteArray m_savedContent; // of m_savedPath, as File has it
    snapshot::History m_history;
    QString m_path;
    std::shared_ptr<const snapshot::FuseDocument> m_comparedPlan; // the last one that was ready
    std::map<std::string, std::string> m_texts;                   // that act
    std::map<std::string, Typed> m_typed;                         // asked for last
    std::set<std::string>
        m_oldChecks; // of the checks: there is none, or another book was changed since
    InFlight m_assistRequest, m_probeRequest;
    std::deque<GraphState> m_wantedStates; // last first
    std::uint64_t m_textGeneration = 0;
    std::deque<UsedInputs> m_kept;      // used last first
    std::function<void()> m_lostTask;   // what the worker died in: a task
    std::uint64_t m_openGeneration = 0; // of the model asked for last
    std::set<std::int64_t> m_inFlight;
    std::vector<std::string> m_agreed;
    bool m_declaresLibraries = false; // a book did when it was checked last
    int m_busy = 0;
    int m_tasks = 0;
};

// What a request for these inputs says.
snapshot::Arguments argumentsOf(const snapshot::Inputs& inputs);

} // namespace fw::ui
