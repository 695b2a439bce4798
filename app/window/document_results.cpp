// Requests to the worker and what becomes of their answers.
#include "app/window/background.h"
#include "app/window/document_send.h"
#include "snapshot/plan_changes.h"
#include "views/common/numbers.h"

#include <algorithm>

namespace fw::ui {

using namespace Qt::StringLiterals;
using snapshot::Arguments;
using snapshot::Inputs;

template <class T>
void Document::ask(Part part, const std::string& command, Arguments arguments,
                   std::shared_ptr<const T>& slot) {
    PartState& mine = m_parts[index(part)];
    const std::int64_t earlier = std::exchange(mine.request, 0);
    const std::uint64_t generation = m_planGeneration;
    const auto token = std::make_shared<std::int64_t>(0);
    const std::int64_t id =
        send<T>(command, arguments, [=, this, &slot](Result<std::shared_ptr<const T>> answer) {
            PartState& state = m_parts[index(part)];
            if (generation != m_planGeneration || state.request != *token)
                return; // asked in an earlier life
            state.request = 0;
            if (answer) {
                slot = answer.take();
                setPart(part, State::Ready);
                if (part == Part::Plan) {
                    comparePlans();
                    askRules();
                }
                if (part == Part::Plan || part == Part::Fused || part == Part::Imported)
                    keep();
            } else {
                const Diag& diag = answer.diag();
                if (diag.code == DiagCode::Cancelled)
                    setPart(part, slot ? State::Stale : State::Empty, diag);
                else
                    setPart(part, State::Error, diag);
                if (part == Part::Plan && diag.code != DiagCode::Cancelled)
                    askRules();          // a book may be why
                if (part != Part::Value) // said where it would stand
                    Q_EMIT problem(diag);
            }
        });
    *token = id;
    mine.request = id;
    setPart(part, State::Busy);
    if (earlier)
        m_worker.cancel(earlier); // latest wins
}

void Document::askDoctor() {
    send<snapshot::DoctorDocument>(
        "doctor", {}, [this](Result<std::shared_ptr<const snapshot::DoctorDocument>> answer) {
            if (!answer)
                return;
            m_doctor = answer.take();
            Q_EMIT inputsChanged();
        });
}

void Document::openInputs(Inputs inputs, const QString& savedPath) {
    const std::uint64_t generation = ++m_openGeneration;
    if (!isOpen())
        setPart(Part::Info, State::Busy);
    stop();
    send<snapshot::InfoDocument>(
        "open", argumentsFor(inputs),
        [=, this](Result<std::shared_ptr<const snapshot::InfoDocument>> answer) {
            if (generation != m_openGeneration)
                return;
            if (answer) {
                adopt(inputs, savedPath, answer.take());
                return;
            }
            if (!isOpen())
                setPart(Part::Info, State::Error, answer.diag());
            Q_EMIT problem(answer.diag()); // what was open stays open
            if (isOpen() && state(Part::Plan) != State::Ready)
                replan(); // cancelled above
        });
}

void Document::adopt(Inputs inputs, const QString& savedPath,
                     std::shared_ptr<const snapshot::InfoDocument> info) {
    // The same model read again keeps what can be undone.
    const bool again = isOpen() && inputs == m_history.now() && savedPath == m_savedPath;
    m_path = QString::fromStdString(inputs.model);
    m_savedPath = savedPath;
    if (!again)
        m_history = snapshot::History(std::move(inputs));
    m_info = std::move(info);
    for (const Part part : {Part::Imported, Part::Fused, Part::Plan, Part::Profile, Part::Explain,
                            Part::Stages, Part::Value})
        drop(part);
    m_imported.reset();
    m_fused.reset();
    m_plan.reset();
    m_profile.reset();
    m_explain.reset();
    m_stages.reset();
    m_value.reset();
    m_changes.reset();
    m_comparedPlan.reset();
    m_rewrite.reset();
    m_order.reset();
    m_checks.clear();
    m_typed.clear();
    m_textMatches.clear();
    m_matches.clear();
    m_kept.clear();
    ++m_planGeneration;
    setPart(Part::Info, State::Ready);
    Q_EMIT modelChanged();
    Q_EMIT inputsChanged();
    Q_EMIT changesChanged();
    for (const Diag& diag : m_info->diagnostics)
        Q_EMIT problem(diag);
    replan();
}

void Document::replan() {
    if (state(Part::Imported) != State::Ready) {
        Arguments imported = arguments();
        imported.stage = "imported";
        ask(Part::Imported, "graph", imported, m_imported);
    }
    Arguments fused = arguments();
    fused.stage = "fused";
    ask(Part::Fused, "graph", fused, m_fused);
    Arguments plan = arguments();
    plan.decisions = false; // an edge that is looked at is asked for: explain
    ask(Part::Plan, "fuse", plan, m_plan);
}

void Document::inputsEdited(const Inputs& before) {
    // The imported graph depends on books, which may bring operators, and on bound dimensions.
    const bool importing =
        before.enabledBooks() != inputs().enabledBooks() || before.dims != inputs().dims;
    plannedAnew(importing ? Importing::Yes : Importing::No);
}

void Document::cancelPlan() {
    for (const Part part : {Part::Imported, Part::Fused, Part::Plan, Part::Profile, Part::Explain,
                            Part::Stages, Part::Value}) {
        if (const std::int64_t id = std::exchange(m_parts[index(part)].request, 0))
            m_worker.cancel(id);
    }
}

void Document::plannedAnew(Importing importing, const std::string& by) {
    ++m_planGeneration;
    askOtherMatches(by);
    Q_EMIT inputsChanged();
    cancelPlan();
    setPart(Part::Explain, m_explain ? State::Stale : State::Empty);
    setPart(Part::Stages, m_stages ? State::Stale : State::Empty);
    if (restore())
        return;
    if (importing == Importing::Yes)
        setPart(Part::Imported, m_imported ? State::Stale : State::Empty);
    setPart(Part::Profile, m_profile ? State::Stale : State::Empty);
    replan();
}

void Document::askRules() {
    const std::uint64_t generation = m_planGeneration;
    send<snapshot::RewriteDocument>(
        "rewrite", arguments(),
        [=, this](Result<std::shared_ptr<const snapshot::RewriteDocument>> answer) {
            if (generation != m_planGeneration || !answer)
                return; // why a book was refused is told with the plan
            m_rewrite = answer.take();
            if (QString::fromStdString(m_rewrite->stopReason).startsWith(u"limit"_s))
                Q_EMIT problem(makeWarning(DiagCode::RuleLimit,
                                           "rewriting stopped at a " + m_rewrite->stopReason, {},
                                           "the Rules dock says which rules fired how often"));
            Q_EMIT rulesChanged();
        });
    send<snapshot::OrderDocument>(
        "order", arguments(),
        [=, this](Result<std::shared_ptr<const snapshot::OrderDocument>> answer) {
            if (generation != m_planGeneration || !answer)
                return;
            m_order = answer.take();
            Q_EMIT rulesChanged();
        });
    askChecks();
    askMatches();
}

// Of the books of the document that are not known yet.
void Document::askChecks() {
    const std::uint64_t generation = m_planGeneration;
    std::erase_if(m_checks, [&](const auto& check) {
        return !m_typed.contains(check.first) && !inDocument(check.first);
    });
    for (const auto& book : inputs().books) {
        if (m_checks.contains(book.path))
            continue;
        Arguments wanted;
        wanted.rules = {book.path};
        if (const auto text = m_texts.find(book.path); text != m_texts.end())
            wanted.texts = {{book.path, text->second}};
        send<snapshot::CheckDocument>(
            "check", wanted,
            [=, this,
             path = book.path](Result<std::shared_ptr<const snapshot::CheckDocument>> answer) {
                if (generation != m_planGeneration)
                    return;
                if (!answer) {
                    auto failed = std::make_shared<snapshot::CheckDocument>();
                    failed->file = path;
                    failed->diagnostics = {answer.diag()};
                    m_checks[path] = failed;
                } else {
                    m_checks[path] = answer.take();
                }
                Q_EMIT rulesChanged();
            });
    }
}

void Document::askMatches() {
    m_matches.clear();
    const std::uint64_t generation = m_planGeneration;
    const auto wanted = [&](std::vector<std::string> books, const char* stage) {
        Arguments question = arguments();
        question.rules = std::move(books);
        question.stage = stage;
        send<snapshot::MatchDocument>(
            "match", question,
            [=, this](Result<std::shared_ptr<const snapshot::MatchDocument>> answer) {
                if (generation != m_planGeneration || !answer)
                    return; // a book that cannot be read is told by its check
                m_matches.push_back(answer.take());
                Q_EMIT rulesChanged();
            });
    };
    wanted({}, "imported");
    if (const auto books = inputs().enabledBooks(); !books.empty()) {
        wanted(books, "imported");
        wanted(books, "rewritten");
    }
}

// Results belong to their inputs; a failed or a half made plan is not kept.
void Document::keep() {
    for (const Part part : {Part::Imported, Part::Fused, Part::Plan})
        if (state(part) != State::Ready)
            return;
    std::erase_if(
        m_kept, [&](const Kept& kept) { return kept.inputs == inputs() && kept.texts == m_texts; });
    m_kept.push_front({inputs(), m_texts, m_imported, m_fused, m_plan,
                       state(Part::Profile) == State::Ready ? m_profile : nullptr});
    if (m_kept.size() > keptLimit)
        m_kept.pop_back();
}

bool Document::restore() {
    const auto found = std::find_if(m_kept.begin(), m_kept.end(), [&](const Kept& kept) {
        return kept.inputs == inputs() && kept.texts == m_texts;
    });
    if (found == m_kept.end())
        return false;
    const Kept kept = *found;
    m_imported = kept.imported;
    m_fused = kept.fused;
    m_plan = kept.plan;
    if (kept.profile)
        m_profile = kept.profile;
    setPart(Part::Imported, State::Ready);
    setPart(Part::Fused, State::Ready);
    setPart(Part::Plan, State::Ready);
    setPart(Part::Profile, kept.profile ? State::Ready : m_profile ? State::Stale : State::Empty);
    comparePlans();
    askRules();
    keep();
    return true;
}

void Document::comparePlans() {
    const auto before = std::exchange(m_comparedPlan, m_plan);
    if (!before || before == m_plan)
        return;
    changeBusy(+1);
    const std::uint64_t generation = m_planGeneration;
    inBackground(
        this,
        [before, after = m_plan] {
            return std::make_shared<const snapshot::DiffDocument>(
                snapshot::comparePlans(*before, *after));
        },
        [=, this](std::shared_ptr<const snapshot::DiffDocument> diff) {
            if (generation == m_planGeneration) {
                m_changes = std::move(diff);
                Q_EMIT changesChanged();
            }
            changeBusy(-1);
        });
}

void Document::profile() {
    if (!isOpen())
        return;
    changeTasks(+1);
    const std::uint64_t generation = m_planGeneration;
    PartState& mine = m_parts[index(Part::Profile)];
    const auto token = std::make_shared<std::int64_t>(0);
    const std::int64_t id = send<snapshot::ProfileDocument>(
        "profile", arguments(),
        [=, this](Result<std::shared_ptr<const snapshot::ProfileDocument>> answer) {
            taskEnded(answer, [this] { profile(); });
            PartState& state = m_parts[index(Part::Profile)];
            if (generation != m_planGeneration || state.request != *token)
                return;
            state.request = 0;
            if (answer) {
                m_profile = answer.take();
                setPart(Part::Profile, State::Ready);
                keep();
                Q_EMIT note(
                    u"profiled: end to end %1%2, %3 runs, compiled in %4 ms"_s
                        .arg(timeText(m_profile->endToEndMs * 1e3),
                             m_profile->disturbed ? u" (disturbed by other work)"_s : QString())
                        .arg(m_profile->runs)
                        .arg(m_profile->compileMs, 0, 'f', 0));
                return;
            }
            const Diag& diag = answer.diag();
            const bool cancelled = diag.code == DiagCode::Cancelled;
            setPart(Part::Profile,
                    !cancelled  ? State::Error
                    : m_profile ? State::Stale
                                : State::Empty,
                    diag);
            Q_EMIT problem(diag);
        });
    const std::int64_t earlier = std::exchange(mine.request, id);
    *token = id;
    setPart(Part::Profile, State::Busy);
    if (earlier)
        m_worker.cancel(earlier);
}

void Document::compile() {
    if (!isOpen())
        return;
    changeTasks(+1);
    send<snapshot::RunDocument>(
        "run", arguments(), [this](Result<std::shared_ptr<const snapshot::RunDocument>> answer) {
            taskEnded(answer, [this] { compile(); });
            if (!answer) {
                Q_EMIT problem(answer.diag());
                return;
            }
            Q_EMIT note(
                u"compiled in %1 ms, one run took %2 ms"_s.arg((*answer)->compileMs, 0, 'f', 0)
                    .arg((*answer)->runMs, 0, 'f', 2));
        });
}

void Document::exportModule(const QString& folder) {
    if (!isOpen())
        return;
    changeTasks(+1);
    Arguments wanted = arguments();
    wanted.output = folder.toStdString();
    send<snapshot::ExportDocument>(
        "export", wanted,
        [this, folder](Result<std::shared_ptr<const snapshot::ExportDocument>> answer) {
            taskEnded(answer, [this, folder] { exportModule(folder); });
            if (!answer) {
                Q_EMIT problem(answer.diag());
                return;
            }
            QStringList files;
            for (const std::string& file : (*answer)->files)
                files << QString::fromStdString(file);
            Q_EMIT note(u"exported to %1: %2"_s.arg(QString::fromStdString((*answer)->directory),
                                                    files.join(u", "_s)));
        });
}

void Document::tune(const QString& log) {
    if (!isOpen())
        return;
    changeTasks(+1);
    Arguments wanted = arguments();
    wanted.log = log.toStdString();
    send<snapshot::TuneDocument>(
        "tune", wanted, [this, log](Result<std::shared_ptr<const snapshot::TuneDocument>> answer) {
            taskEnded(answer, [this, log] { tune(log); });
            if (!answer) {
                Q_EMIT problem(answer.diag());
                return;
            }
            const snapshot::TuneDocument& done = **answer;
            Q_EMIT note(u"measured %1 workloads, %2 get another implementation: %3 → %4"_s
                            .arg(done.measured)
                            .arg(done.improved)
                            .arg(timeText(done.beforeMs * 1e3), timeText(done.afterMs * 1e3)));
            for (const std::string& notice : done.notices)
                Q_EMIT note(QString::fromStdString(notice));
            m_kept.clear(); // the file says more than before
            if (inputs().log == done.log)
                replan();
            else
                edit(snapshot::SetLog{done.log});
        });
}

void Document::verify(const QString& folder) {
    if (!isOpen())
        return;
    changeTasks(+1);
    Arguments wanted = arguments();
    wanted.output = folder.toStdString();
    const std::uint64_t generation = m_planGeneration;
    send<snapshot::VerifyDocument>(
        "verify", wanted,
        [this, folder, generation](Result<std::shared_ptr<const snapshot::VerifyDocument>> answer) {
            taskEnded(answer, [this, folder] { verify(folder); });
            if (!answer) {
                Q_EMIT problem(answer.diag());
                return;
            }
            m_verified = answer.take();
            m_verifiedGeneration = generation;
            for (const snapshot::VerifyModel& done : m_verified->models) {
                Q_EMIT note(u"verified %1 groups: %2 implementations agree with the reference, "
                            "%3 differ, %4 not run"_s.arg(done.groups)
                                .arg(done.agreeing)
                                .arg(done.differing)
                                .arg(done.notRun));
                for (const snapshot::VerifyRow& row : done.rows)
                    if (row.differs)
                        Q_EMIT problem(
                            makeDiag(DiagCode::OutputsDiffer, row.implementation + ": " + row.worst,
                                     {{}, row.group},
                                     row.file.empty() ? std::string() : "shown by " + row.file));
                for (const std::string& notice : done.notices)
                    Q_EMIT note(QString::fromStdString(notice));
            }
            Q_EMIT verifiedChanged();
        });
}

void Document::explain(const std::vector<snapshot::NodeId>& fusedNodes) {
    if (!isOpen() || fusedNodes.empty())
        return;
    Arguments wanted = arguments();
    for (const snapshot::NodeId id : fusedNodes)
        wanted.nodes.push_back("#" + std::to_string(id));
    ask(Part::Explain, "explain", wanted, m_explain);
}

void Document::showStage(const QString& stage, int group) {
    if (!isOpen())
        return;
    Arguments wanted = arguments();
    wanted.stage = stage.toStdString();
    if (group >= 0)
        wanted.group = group;
    ask(Part::Stages, "stages", wanted, m_stages);
}

void Document::showValue(const std::string& stage, snapshot::NodeId node, int output) {
    if (!isOpen())
        return;
    Arguments wanted = arguments();
    wanted.stage = stage;
    wanted.nodes = {"#" + std::to_string(node) + ":" + std::to_string(output)};
    ask(Part::Value, "value", wanted, m_value);
}

void Document::stop() {
    const std::set<std::int64_t> ids = m_inFlight;
    for (auto id = ids.rbegin(); id != ids.rend(); ++id) // the running one last
        m_worker.cancel(*id);
}

} // namespace fw::ui
