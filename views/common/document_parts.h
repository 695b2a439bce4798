// What is known of a document, part by part: all that views are filled from.
//
// A part is what the worker answered to one question, what follows from such answers, or what the
// user decided. It has a state; a part that is Stale, Busy or Error may still have what was there
// before. Who shows parts is told which of them changed as a mask, Parts. The parts stand in one
// table: a line makes the enumerator, what is kept, its getter, and whether it can be asked for.
#pragma once

#include "snapshot/inputs.h"
#include "snapshot/records.h"
#include "snapshot/report_records.h"
#include "snapshot/schedule_records.h"
#include "snapshot/step_records.h"
#include "views/common/graph_state.h"
#include "views/common/in_flight.h"

#include <QString>

#include <array>
#include <initializer_list>
#include <map>
#include <memory>
#include <set>
#include <vector>

namespace fw::ui {

template <class T>
using Shared = std::shared_ptr<const T>;

enum class State : std::uint8_t { Empty, Busy, Ready, Stale, Error };

// What one book that is being edited finds: in the imported graph, and in the one the rules left.
struct TextMatches {
    Shared<snapshot::MatchDocument> imported, rewritten;
    State state = State::Empty; // Stale: of an earlier text; Busy: one or both are asked
    // Of an earlier text, and the one that followed was wrong.
    bool importedOld = false, rewrittenOld = false;
    int asked = 0; // answers to come
};

using BookChecks = std::map<std::string, Shared<snapshot::CheckDocument>>; // by path
using BookTexts = std::map<std::string, TextMatches>;                      // by path
// Those of the books and of the library in the imported graph, and what decides about groups
// (chain, fuse, pattern, ...) in the graph as the rules left it.
using RuleFinds = std::vector<Shared<snapshot::MatchDocument>>;

// A graph that is not the document's own imported or fused one.
struct StateGraph {
    Shared<snapshot::GraphDocument> graph;
    Shared<snapshot::RewriteDocument> rewrite; // what rules did on the way there, once it is known
    State state = State::Empty;                // Stale: of an earlier plan
    Diag error;
    InFlight request;
};
using StateGraphs = std::map<GraphState, StateGraph>; // those that were asked for

// What ends a part.
enum class Life : std::uint8_t {
    Always,  // nothing that is opened
    Model,   // another model; a new plan puts another one in its place
    Plan,    // a new plan makes it Stale
    OnePlan, // a new plan: it is of the one before
};

// A view may ask for it; else it comes with others, or is a task.
enum class Wanted : std::uint8_t { No, Yes };

// clang-format off
// X(part, getter, what is kept, life, whether a view may ask for it)
#define FW_DOCUMENT_PARTS(X) \
    X(Doctor,      doctor,        Shared<snapshot::DoctorDocument>,  Always,  Yes) \
    X(Inputs,      inputs,        snapshot::Inputs,                  Always,  No) /* what the user decided */ \
    X(BrokenTexts, brokenTexts,   std::set<std::string>,             Always,  No) /* books whose typed text has errors */ \
    X(Info,        info,          Shared<snapshot::InfoDocument>,    Model,   No) /* comes with opening */ \
    X(Imported,    imported,      Shared<snapshot::GraphDocument>,   Model,   Yes) \
    X(Fused,       fused,         Shared<snapshot::GraphDocument>,   Model,   Yes) \
    X(Regions,     regions,       Shared<snapshot::GraphDocument>,   Plan,    Yes) /* of libraries, when they are shown */ \
    X(States,      stateGraphs,   StateGraphs,                       Plan,    No) /* that are compared */ \
    X(Plan,        plan,          Shared<snapshot::FuseDocument>,    Model,   Yes) \
    X(Profile,     profileResult, Shared<snapshot::ProfileDocument>, Plan,    No) /* a task */ \
    X(Baseline,    baseline,      Shared<snapshot::ProfileDocument>, Model,   No) /* that people pinned */ \
    X(Against,     against,       Shared<snapshot::TimesComparison>, Model,   No) /* the times beside the baseline */ \
    X(Explain,     explanation,   Shared<snapshot::ExplainDocument>, Plan,    Yes) \
    X(Forms,       forms,         Shared<snapshot::FuseDocument>,    OnePlan, Yes) /* what is selected alone, split, forced */ \
    X(Stages,      stage,         Shared<snapshot::StagesDocument>,  Plan,    Yes) \
    X(Schedule,    schedule,      Shared<snapshot::ScheduleDocument>, Plan,   Yes) /* of one implementation of one group */ \
    X(Hazards,     hazards,       Shared<snapshot::LintDocument>,    Plan,    Yes) /* what stands in the way */ \
    X(Ops,         ops,           Shared<snapshot::OpsDocument>,     Plan,    Yes) /* what operators mean */ \
    X(Value,       value,         Shared<snapshot::ValueDocument>,   Model,   Yes) \
    X(Verified,    verified,      Shared<snapshot::VerifyDocument>,  OnePlan, No) /* a task */ \
    X(Bisected,    bisected,      Shared<snapshot::BisectDocument>,  OnePlan, No) /* a task */ \
    X(Sketch,      sketch,        Shared<snapshot::SketchDocument>,  Plan,    Yes) \
    X(Changes,     changes,       Shared<snapshot::DiffDocument>,    Model,   No) /* from the plan before to this one */ \
    X(Rewrite,     rewrite,       Shared<snapshot::RewriteDocument>, Model,   No) /* what the rules did */ \
    X(Step,        step,          Shared<snapshot::StepDocument>,    Plan,    Yes) /* one application of a rule */ \
    X(Order,       order,         Shared<snapshot::OrderDocument>,   Model,   No) /* of all that is declared */ \
    X(Checks,      checks,        BookChecks,                        Model,   No) \
    X(Matches,     matches,       RuleFinds,                         Model,   No) \
    X(TextMatches, textMatches,   BookTexts,                         Model,   No)
// clang-format on

enum class Part : std::uint8_t {
#define FW_PART(part, getter, kept, life, wanted) part,
    FW_DOCUMENT_PARTS(FW_PART)
#undef FW_PART
};

struct PartRow {
    Part part;
    const char* name; // of the enumerator
    Life life;
    Wanted wanted;
};
#define FW_PART(part, getter, kept, life, wanted)                                                  \
    PartRow{Part::part, #part, Life::life, Wanted::wanted},
inline constexpr PartRow documentParts[] = {FW_DOCUMENT_PARTS(FW_PART)};
#undef FW_PART
inline constexpr std::size_t partCount = std::size(documentParts);

// A set of parts.
class Parts {
public:
    constexpr Parts() = default;
    constexpr Parts(Part part) : m_bits(bit(part)) {}
    constexpr Parts(std::initializer_list<Part> parts) {
        for (const Part part : parts)
            m_bits |= bit(part);
    }
    static constexpr Parts all() {
        Parts out;
        out.m_bits = (std::uint32_t(1) << partCount) - 1;
        return out;
    }
    constexpr bool has(Part part) const { return m_bits & bit(part); }
    constexpr bool hasAny(Parts other) const { return m_bits & other.m_bits; }
    constexpr bool operator==(const Parts&) const = default;

private:
    static constexpr std::uint32_t bit(Part part) { return std::uint32_t(1) << unsigned(part); }
    std::uint32_t m_bits = 0;
};
static_assert(partCount < 32);

class DocumentParts {
public:
    DocumentParts() = default;
    DocumentParts(const DocumentParts&) = delete;
    DocumentParts& operator=(const DocumentParts&) = delete;

    State state(Part part) const { return m_states[std::size_t(part)].state; }
    const Diag& error(Part part) const { return m_states[std::size_t(part)].error; }
// Null, or empty, if there is none yet.
#define FW_PART(part, getter, kept, life, wanted)                                                  \
    const kept& getter() const {                                                                   \
        return m_kept.getter;                                                                      \
    }
    FW_DOCUMENT_PARTS(FW_PART)
#undef FW_PART

    bool isOpen() const {
        return m_kept.info != nullptr;
    }
    const QString& documentPath() const {
        return m_savedPath;
    }                         // empty: never saved
    QString fileName() const; // of the document, or of the model
    // People stopped it before there was anything.
    bool wasStopped(Part part) const {
        return state(part) == State::Empty && error(part).code == DiagCode::Cancelled;
    }
    // Of the model and the inputs: what is answered to an earlier one is dropped.
    std::uint64_t generation() const {
        return m_planGeneration;
    }
    bool takesPart(const std::string& book) const; // in the plan
    // Why what is shown is Stale.
    QString staleReason() const;
    // Null: nothing was asked of the text.
    const TextMatches* textMatchesOf(const QString& path) const;

protected:
    ~DocumentParts() = default;

    struct PartState {
        State state = State::Empty;
        Diag error;
        InFlight request;
    };
    PartState& stateOf(Part part) {
        return m_states[std::size_t(part)];
    }
    bool has(Part part) const; // something is kept
    void forget(Part part);    // what is kept, and its state

    void setDocumentPath(const QString& path) {
        m_savedPath = path;
    }
    void nextGeneration() {
        ++m_planGeneration;
    }

    struct Kept {
#define FW_PART(part, getter, kept, life, wanted) kept getter;
        FW_DOCUMENT_PARTS(FW_PART)
#undef FW_PART
    };
    Kept m_kept;

private:
    QString m_savedPath;
    std::uint64_t m_planGeneration = 0;
    std::array<PartState, partCount> m_states;
};

// Null: the graph has no such node, or is null.
const snapshot::NodeRecord* nodeOf(const snapshot::GraphDocument* graph, snapshot::NodeId id);

// The times beside the baseline; null: there is none, or the times are of an earlier plan, or both
// do not compare.
Shared<snapshot::TimesComparison> comparedTimes(const DocumentParts& document);

} // namespace fw::ui
