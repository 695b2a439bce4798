// What follows from the inputs of a document: asked when they change, and answers to earlier ones
// are dropped.
//
// A result that no longer fits the inputs stays visible as Stale until its successor arrives; the
// results of the inputs used last are kept here, so undo shows them at once.
#pragma once

#include "app/window/compared_states.h"
#include "snapshot/saved_times.h"

namespace fw::ui {

class PlanResults : public QObject {
    Q_OBJECT

public:
    // All live longer.
    PlanResults(KeptParts& parts, Questions& questions, DocumentBooks& books);

    void begin(const snapshot::SavedTimes& times); // another model is open, with these times
    void replan();                                 // of the same inputs
    enum class Importing : std::uint8_t { No, Yes };
    // The inputs, or texts of books, are others. `by`: the text that is why; what it finds is asked
    // already.
    void planAnew(Importing importing, const std::string& by = {});
    void dropPlan();   // that is being made
    void forgetUsed(); // what they were made of is another now
    void release(const std::string& path, const std::string& text); // the file holds it now

    // A part that has a command. `about` says of what (nodes, stage, group); the rest is filled in.
    // Asked again, the latest wins.
    void want(Part part, const snapshot::Arguments& about);
    using Profiled = std::function<void(const Answer<snapshot::ProfileDocument>&)>;
    void askProfile(Profiled always);
    // The times that are shown become the baseline; null: there is none any more.
    void setBaseline(const Shared<snapshot::ProfileDocument>& times);
    snapshot::SavedTimes times() const; // for a file
    void keepTimes();                   // if they are those of the plan, and of this machine
    ComparedStates& states() { return m_states; }
    snapshot::Arguments arguments() const { return m_books.argumentsFor(m_parts.inputs()); }

Q_SIGNALS:
    void libraryNotAgreed(); // that the plan needs: its file may be another one now

private:
    // The results of inputs that were used before.
    struct UsedInputs {
        snapshot::Inputs inputs;
        DocumentBooks::Texts texts;
        Shared<snapshot::GraphDocument> imported, fused;
        Shared<snapshot::FuseDocument> plan;
        Shared<snapshot::ProfileDocument> profile;
    };
    void ask(Part part, const snapshot::Arguments& arguments);
    template <class T>
    void askFor(Part part, const snapshot::Arguments& arguments, Shared<T>& slot,
                std::function<void(const Answer<T>&)> always = {});
    void answered(Part part); // it is kept
    void tellProfile();
    void refused(Part part, const Diag& why, bool hadOne);
    void nextGeneration(); // what is answered to an earlier one is dropped
    void cancelAll();
    void keep();
    bool restore();
    bool isOfNow(const UsedInputs& used) const;
    void comparePlans();
    void compareTimes(); // with the baseline, and with the plan before
    void timeChanges(const snapshot::DiffDocument& changes);
    void askRules();
    void askMatches();

    static constexpr std::size_t keptLimit = 12;

    KeptParts& m_parts;
    Questions& m_questions;
    DocumentBooks& m_books;
    ComparedStates m_states;
    Shared<snapshot::FuseDocument> m_compared;           // the last plan that was ready
    Shared<snapshot::FuseDocument> m_changed;            // what Changes leads to
    Shared<snapshot::ProfileDocument> m_timesOfCompared; // null: it was not profiled
    Shared<snapshot::ProfileDocument> m_timesBefore;     // of the plan that Changes begins from
    std::string m_timed;           // planKey() of what was profiled last; empty: nothing was
    std::deque<UsedInputs> m_used; // last first
};

} // namespace fw::ui
