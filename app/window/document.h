// What the user decided (model, target) and the results so far, each an immutable document.
//
// Every answer belongs to the generation in which it was asked; opening a model or changing the
// target starts a new generation and drops answers of older ones. A result that no longer fits the
// inputs stays visible as Stale until its successor arrives. A model that cannot be opened leaves
// the opened one alone. Everything is asked from the worker; documents are read in a background
// thread.
#pragma once

#include "app/window/worker_client.h"
#include "snapshot/records.h"

#include <QObject>
#include <QString>

#include <array>
#include <memory>
#include <set>

namespace fw::ui {

class Document : public QObject {
    Q_OBJECT

public:
    enum class Part { Info, Imported, Fused, Plan, Profile, Explain, Stages };
    static constexpr int partCount = 7;
    enum class State { Empty, Busy, Ready, Stale, Error };

    explicit Document(WorkerClient& worker, QObject* parent = nullptr);

    void open(const QString& path);
    void reload();
    void setTarget(const QString& target); // plans again if it changed
    void compile();                        // and runs once, with random inputs
    void profile();
    void exportModule(const QString& folder);
    void explain(const std::vector<snapshot::NodeId>& fusedNodes); // one node or two
    void showStage(const QString& stage, int group);               // group -1: whole model
    void stop();                                                   // cancels what is pending

    const QString& path() const { return m_path; }
    QString fileName() const;
    const QString& target() const { return m_target; }
    bool isOpen() const { return m_info != nullptr; }
    bool idle() const { return m_busy == 0; }
    bool taskRunning() const { return m_tasks > 0; } // a compile, profile or export
    std::uint64_t generation() const { return m_planGeneration; }

    State state(Part part) const { return m_parts[index(part)].state; }
    const Diag& error(Part part) const { return m_parts[index(part)].error; }

    // Null if there is none yet. A part in state Stale or Error may still have its last document.
    std::shared_ptr<const snapshot::InfoDocument> info() const { return m_info; }
    std::shared_ptr<const snapshot::GraphDocument> imported() const { return m_imported; }
    std::shared_ptr<const snapshot::GraphDocument> fused() const { return m_fused; }
    std::shared_ptr<const snapshot::FuseDocument> plan() const { return m_plan; }
    std::shared_ptr<const snapshot::ProfileDocument> profileResult() const { return m_profile; }
    std::shared_ptr<const snapshot::ExplainDocument> explanation() const { return m_explain; }
    std::shared_ptr<const snapshot::StagesDocument> stage() const { return m_stages; }
    std::shared_ptr<const snapshot::DoctorDocument> doctor() const { return m_doctor; }

Q_SIGNALS:
    void modelChanged(); // another model is open
    void targetChanged();
    void partChanged(fw::ui::Document::Part part);
    void problem(const fw::Diag& diag); // for people: shown and kept in the list of problems
    void note(const QString& text);     // for the log
    void idleChanged();
    void taskChanged();

private:
    struct PartState {
        State state = State::Empty;
        Diag error;
        std::int64_t request = 0; // in flight
    };
    static std::size_t index(Part part) { return static_cast<std::size_t>(part); }

    template <class T>
    void ask(Part part, const std::string& command, snapshot::Arguments arguments,
             std::shared_ptr<const T>& slot);
    template <class T, class Done>
    std::int64_t send(const std::string& command, const snapshot::Arguments& arguments, Done done);
    snapshot::Arguments arguments() const;
    void adopt(const QString& path, std::shared_ptr<const snapshot::InfoDocument> info);
    void replan();
    void setPart(Part part, State state, Diag error = {});
    void drop(Part part);
    void changeBusy(int by);
    void changeTasks(int by);

    WorkerClient& m_worker;
    QString m_path;
    QString m_target;
    std::array<PartState, partCount> m_parts;
    std::shared_ptr<const snapshot::InfoDocument> m_info;
    std::shared_ptr<const snapshot::GraphDocument> m_imported;
    std::shared_ptr<const snapshot::GraphDocument> m_fused;
    std::shared_ptr<const snapshot::FuseDocument> m_plan;
    std::shared_ptr<const snapshot::ProfileDocument> m_profile;
    std::shared_ptr<const snapshot::ExplainDocument> m_explain;
    std::shared_ptr<const snapshot::StagesDocument> m_stages;
    std::shared_ptr<const snapshot::DoctorDocument> m_doctor;
    std::uint64_t m_openGeneration = 0; // of the model asked for last
    std::uint64_t m_planGeneration = 0;
    std::set<std::int64_t> m_inFlight;
    int m_busy = 0;
    int m_tasks = 0;
};

} // namespace fw::ui
