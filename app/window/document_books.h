// The books of a document and those that are being edited: which of their texts act, and what is
// asked about them.
//
// A text is checked at once; without errors it stands for the file in all that is asked from then
// on: what it matches is asked first, then a plan if the book takes part in it. With errors the
// last text without them goes on acting, and what is shown is Stale.
// Owns the texts, by path; what books say stands in the parts.
#pragma once

#include "app/window/declared_libraries.h"
#include "snapshot/drawing_records.h"
#include "snapshot/protocol.h"

#include <map>
#include <set>

namespace fw::ui {

class Questions;

// What a request for these inputs says.
snapshot::Arguments argumentsOf(const snapshot::Inputs& inputs);

class DocumentBooks : public QObject {
    Q_OBJECT

public:
    // All live longer.
    DocumentBooks(KeptParts& parts, Questions& questions, const DeclaredLibraries& libraries,
                  QObject* parent = nullptr);

    // What a request for these inputs says: with the texts that act, and what may be loaded.
    snapshot::Arguments argumentsFor(const snapshot::Inputs& inputs) const;
    using Texts = std::map<std::string, std::string>;
    const Texts& acting() const { return m_texts; }
    QStringList declaredTargets() const; // of those that are switched on

    enum class OnDisk : std::uint8_t { Same, Other };
    void setText(const QString& path, const QString& text, OnDisk disk);
    // Of a book that no file holds yet: acts at once, so that the book can take part.
    void beginText(const QString& path, const QString& text);
    // Typed, and not at rest yet: what is being asked of the text before is in the way.
    void textEdited(const QString& path);
    void dropText(const QString& path);    // thrown away: the file stands for itself again
    void releaseText(const QString& path); // the same, of a text that the file holds
    void renameText(const QString& before, const QString& now); // saved under another name
    void reread(const QString& path);                           // the file was changed by others
    // The text that acts; null: the file.
    const std::string* actingText(const QString& path) const;
    // A shipped book is shown: what it finds is asked.
    void showShipped(const QString& file);
    void forgetTyped(); // another model is open

    void askChecks();                        // of the document's books that are not known yet
    void askMatches(const std::string& but); // of what is typed, in the graph that is made now

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
    // What came of the declaration on a line, in what is planned; null: the text does not parse.
    void askCame(const QString& book, int line, Then<snapshot::UsesDocument> done);
    // Of a graph as text, with the operators of a book and of those that act.
    void askGraph(const std::string& text, const QString& book,
                  Answered<snapshot::GraphDocument> done);
    // Of a declaration in a book, as it is typed.
    void askDrawing(const QString& book, int line, int column,
                    Then<snapshot::DrawingDocument> done);
    // `text` of a book, laid out. What is wrong is told as a problem, and `done` is not called.
    void askFormat(const QString& path, const QString& text, Then<snapshot::FormatDocument> done);
    // Of a shipped book; with an empty name the list of all of them.
    void askShipped(const QString& name, Then<snapshot::BookDocument> done);

Q_SIGNALS:
    // The plan is of earlier texts. `by`: the book that is why, and whose matches are asked
    // already; `importing`: the imported graph is, too.
    void planIsOld(const std::string& by, bool importing);
    void planInTheWay(); // the text that it is being made of is no longer what is typed
    void checked();      // books may declare other libraries
    void released(const std::string& path, const std::string& text); // that the file holds now
    void fileChanged(); // what was found while it held something else is wrong

private:
    // A text and what is asked about it; an answer to another generation is of an earlier text.
    struct Typed {
        std::string text;
        std::uint64_t generation = 0;
        std::set<std::int64_t> requests;
        bool right = false; // it was checked
    };
    bool holds(const std::string& path) const; // switched on or off
    void textIsRight(const std::string& path, const std::string& text, OnDisk disk, bool importing);
    void textIsWrong(const std::string& path);
    void askTextMatches(const std::string& path);
    void cancelText(const std::string& path);
    bool isTyped(const std::string& path, std::uint64_t generation) const;
    const std::string* textOf(const std::string& path) const;
    snapshot::Arguments askedAt(const std::string& book, int line, int column) const;
    snapshot::Arguments checkOf(const std::string& path, const std::string* text) const;

    KeptParts& m_parts;
    Questions& m_questions;
    const DeclaredLibraries& m_libraries;
    Texts m_texts;                        // that act
    std::map<std::string, Typed> m_typed; // asked for last
    std::set<std::string>
        m_oldChecks; // of the checks: there is none, or another book was changed since
    InFlight m_assistRequest, m_probeRequest, m_cameRequest;
    std::uint64_t m_generation = 0; // of texts
};

} // namespace fw::ui
