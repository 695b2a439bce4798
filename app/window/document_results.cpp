// Requests to the worker and what becomes of their answers.
#include "app/window/document_send.h"
#include "snapshot/plan_changes.h"
#include "views/common/background.h"
#include "views/common/numbers.h"

#include <fmt/format.h>

#include <algorithm>

namespace fw::ui {

using namespace Qt::StringLiterals;
using snapshot::Arguments;
using snapshot::Inputs;

template <class T>
void Document::askFor(Part part, const Arguments& arguments, Shared<T>& slot,
                      std::function<void(const Answer<T>&)> always) {
    sendLatest<T>(stateOf(part).request, arguments,
                  ofThisPlan<T>([this, part, &slot](Answer<T> answer) {
                      if (!answer)
                          return refused(part, answer.diag(), slot != nullptr);
                      slot = answer.take();
                      setPart(part, State::Ready);
                      answered(part);
                  }),
                  WorkerClient::By::First, std::move(always));
    setPart(part, State::Busy);
}

void Document::answered(Part part) {
    if (part == Part::Plan) {
        comparePlans();
        askRules();
    }
    if (part == Part::Plan || part == Part::Fused || part == Part::Imported ||
        part == Part::Profile)
        keep();
    if (part == Part::Profile)
        tellProfile();
}

void Document::refused(Part part, const Diag& why, bool hadOne) {
    const bool cancelled = why.code == DiagCode::Cancelled;
    setPart(part, !cancelled ? State::Error : hadOne ? State::Stale : State::Empty, why);
    if (part == Part::Plan && !cancelled && why.code != DiagCode::WorkerDied)
        askRules(); // a book may be why
    if (part == Part::Plan && why.code == DiagCode::LibraryNotAgreed)
        askDoctor(); // its file may be another one now
    // Of these it is said where they would stand.
    if (part != Part::Value && part != Part::Sketch && part != Part::Step && part != Part::Schedule)
        Q_EMIT problem(why);
}

void Document::cancel(InFlight& request) {
    if (const std::int64_t id = request.end())
        m_worker.cancel(id);
}

void Document::ask(Part part, const Arguments& arguments) {
    const auto askShared = [&]<class Slot>(Slot& slot) {
        if constexpr (requires { typename Slot::element_type; })
            if constexpr (snapshot::commandOf<std::remove_const_t<typename Slot::element_type>>)
                askFor(part, arguments, slot);
    };
    switch (part) {
#define FW_PART(part, getter, kept, life, wanted)                                                  \
    case Part::part:                                                                               \
        return askShared(m_##getter);
        FW_DOCUMENT_PARTS(FW_PART)
#undef FW_PART
    }
}

void Document::want(Part part, const Arguments& about) {
    if (!isOpen() || documentParts[std::size_t(part)].wanted == Wanted::No)
        return;
    ask(part, snapshot::withSaid(arguments(), about));
}

void Document::askDoctor(bool measure) {
    Arguments asked;
    asked.rules = arguments().rules; // which may declare libraries
    asked.texts = arguments().texts;
    if (measure)
        asked.measure = true;
    send<snapshot::DoctorDocument>(asked, keptAs(Part::Doctor, m_doctor));
}

void Document::openInputs(Inputs inputs, const File& file, Saved saved) {
    const std::uint64_t generation = ++m_openGeneration;
    if (!isOpen())
        setPart(Part::Info, State::Busy);
    stop();
    send<snapshot::InfoDocument>(
        argumentsFor(inputs), [=, this](Answer<snapshot::InfoDocument> answer) {
            if (generation != m_openGeneration)
                return;
            if (answer) {
                adopt(inputs, file, saved, answer.take());
                return;
            }
            if (!isOpen())
                setPart(Part::Info, State::Error, answer.diag());
            Q_EMIT problem(answer.diag()); // what was open stays open
            if (isOpen() && state(Part::Plan) != State::Ready && state(Part::Plan) != State::Error)
                replan(); // cancelled above
        });
}

void Document::adopt(Inputs inputs, const File& file, Saved saved,
                     std::shared_ptr<const snapshot::InfoDocument> info) {
    // The same model read again keeps what can be undone.
    const bool again = isOpen() && inputs == m_history.now() && file.path == documentPath();
    m_path = QString::fromStdString(inputs.model);
    m_savedPath = file.path;
    m_savedContent = file.content;
    if (!again)
        m_history = snapshot::History(std::move(inputs));
    if (saved == Saved::No)
        m_history.markUnsaved();
    for (const PartRow& row : documentParts)
        if (row.life != Life::Always)
            forget(row.part);
    m_info = std::move(info);
    m_inputs = m_history.now();
    m_comparedPlan.reset();
    m_oldChecks.clear();
    m_typed.clear();
    m_kept.clear();
    m_wantedStates.clear();
    ++m_planGeneration;
    stateOf(Part::Info).state = State::Ready;
    Q_EMIT modelChanged();
    tell(Parts::all());
    for (const Diag& diag : m_info->diagnostics)
        Q_EMIT problem(diag);
    replan();
}

void Document::replan() {
    if (state(Part::Imported) != State::Ready) {
        Arguments imported = arguments();
        imported.stage = "imported";
        ask(Part::Imported, imported);
    }
    Arguments fused = arguments();
    fused.stage = "fused";
    ask(Part::Fused, fused);
    Arguments plan = arguments();
    plan.decisions = false; // an edge that is looked at is asked for: explain
    ask(Part::Plan, plan);
}

void Document::inputsEdited(const Inputs& before) {
    m_inputs = m_history.now();
    // The imported graph depends on books, which may bring operators, and on bound dimensions.
    const bool importing = before.enabledBooks() != inputs().enabledBooks() ||
                           before.dims != inputs().dims || before.types != inputs().types;
    if (importing) // so that what is said of the model is said of it as it is read then
        send<snapshot::InfoDocument>(
            arguments(), [this, keep = keptAs(Part::Info, m_info), generation = m_openGeneration,
                          asked = m_inputs](Answer<snapshot::InfoDocument> answer) {
                if (generation == m_openGeneration && asked == m_inputs)
                    keep(std::move(answer));
            });
    plannedAnew(importing ? Importing::Yes : Importing::No);
}

void Document::cancelPlan() {
    for (const PartRow& row : documentParts)
        cancel(stateOf(row.part).request);
}

void Document::nextGeneration() {
    ++m_planGeneration;
    for (const PartRow& row : documentParts)
        if (row.life == Life::OnePlan && has(row.part)) {
            forget(row.part);
            tell(row.part);
        }
}

void Document::plannedAnew(Importing importing, const std::string& by) {
    nextGeneration();
    askOtherMatches(by);
    tell(Part::Inputs);
    cancelPlan();
    endStates();
    for (const PartRow& row : documentParts)
        if (row.life == Life::Plan)
            setPart(row.part, has(row.part) ? State::Stale : State::Empty);
    if (restore())
        return;
    if (importing == Importing::Yes)
        setPart(Part::Imported, m_imported ? State::Stale : State::Empty);
    replan();
}

void Document::askRules() {
    // Why a book was refused is told with the plan.
    send<snapshot::RewriteDocument>(
        arguments(),
        ofThisPlan<snapshot::RewriteDocument>([this](Answer<snapshot::RewriteDocument> answer) {
            keptAs(Part::Rewrite, m_rewrite)(answer);
            if (answer && m_rewrite->stopReason.starts_with("limit"))
                Q_EMIT problem(makeWarning(DiagCode::RuleLimit,
                                           "rewriting stopped at a " + m_rewrite->stopReason, {},
                                           "the Rules dock says which rules fired how often"));
        }));
    send<snapshot::OrderDocument>(
        arguments(), ofThisPlan<snapshot::OrderDocument>(keptAs(Part::Order, m_order)));
    askChecks();
    askMatches();
}

// Of the books of the document that are not known yet.
void Document::askChecks() {
    const auto gone = std::erase_if(m_checks, [&](const auto& check) {
        return !m_typed.contains(check.first) && !inDocument(check.first);
    });
    if (gone > 0) {
        tell(Part::Checks);
        followLibraries();
    }
    for (const auto& book : inputs().books) {
        if (m_checks.contains(book.path) && m_oldChecks.erase(book.path) == 0)
            continue;
        const std::string* text = textOf(book.path);
        send<snapshot::CheckDocument>(
            checkOf(book.path, text),
            ofThisPlan<snapshot::CheckDocument>(
                [this, path = book.path, asked = text == nullptr ? std::string() : *text](
                    Answer<snapshot::CheckDocument> answer) {
                    const std::string* now = textOf(path);
                    if (now != nullptr && *now != asked)
                        return; // what is typed now is asked for by itself
                    if (!answer) {
                        auto failed = std::make_shared<snapshot::CheckDocument>();
                        failed->file = path;
                        failed->diagnostics = {answer.diag()};
                        m_checks[path] = failed;
                        m_oldChecks.insert(path);
                    } else {
                        m_checks[path] = answer.take();
                    }
                    tell(Part::Checks);
                    followLibraries();
                }));
    }
}

void Document::followLibraries() {
    const auto isLibrary = [](const auto& item) { return item.kind == "library"; };
    bool declares = false;
    for (const auto& [book, check] : m_checks)
        declares =
            declares || (check && std::any_of(check->items.begin(), check->items.end(), isLibrary));
    if (std::exchange(m_declaresLibraries, declares) || declares)
        askDoctor();
}

void Document::askMatches() {
    m_matches.clear();
    const auto wanted = [&](const char* stage) {
        Arguments question = arguments();
        question.stage = stage;
        question.shipped = question.stage == "imported";
        send<snapshot::MatchDocument>(
            question,
            ofThisPlan<snapshot::MatchDocument>([this](Answer<snapshot::MatchDocument> answer) {
                if (!answer)
                    return; // a book that cannot be read is told by its check
                m_matches.push_back(answer.take());
                tell(Part::Matches);
            }));
    };
    wanted("imported");
    if (!inputs().enabledBooks().empty())
        wanted("rewritten");
}

// Results belong to their inputs; a failed or a half made plan is not kept.
void Document::keep() {
    for (const Part part : {Part::Imported, Part::Fused, Part::Plan})
        if (state(part) != State::Ready)
            return;
    std::erase_if(m_kept, [&](const UsedInputs& kept) {
        return kept.inputs == inputs() && kept.texts == m_texts;
    });
    m_kept.push_front({inputs(), m_texts, m_imported, m_fused, m_plan,
                       state(Part::Profile) == State::Ready ? m_profileResult : nullptr});
    if (m_kept.size() > keptLimit)
        m_kept.pop_back();
}

bool Document::restore() {
    const auto found = std::find_if(m_kept.begin(), m_kept.end(), [&](const UsedInputs& kept) {
        return kept.inputs == inputs() && kept.texts == m_texts;
    });
    if (found == m_kept.end())
        return false;
    const UsedInputs kept = *found;
    m_imported = kept.imported;
    m_fused = kept.fused;
    m_plan = kept.plan;
    if (kept.profile)
        m_profileResult = kept.profile;
    setPart(Part::Imported, State::Ready);
    setPart(Part::Fused, State::Ready);
    setPart(Part::Plan, State::Ready);
    setPart(Part::Profile, kept.profile      ? State::Ready
                           : m_profileResult ? State::Stale
                                             : State::Empty);
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
                tell(Part::Changes);
            }
            changeBusy(-1);
        });
}

void Document::profile() {
    if (!isOpen())
        return;
    changeTasks(+1);
    askFor<snapshot::ProfileDocument>(
        Part::Profile, arguments(), m_profileResult,
        [this](const auto& answer) { taskEnded(answer, [this] { profile(); }); });
}

void Document::tellProfile() {
    Q_EMIT note(u"profiled: end to end %1%2, %3 runs, compiled in %4 ms"_s
                    .arg(timeText(m_profileResult->endToEndMs * 1e3),
                         m_profileResult->disturbed ? u" (disturbed by other work)"_s : QString())
                    .arg(m_profileResult->runs)
                    .arg(m_profileResult->compileMs, 0, 'f', 0));
}

template <class T>
void Document::runTask(const Arguments& wanted, std::function<void()> again, Then<T> done) {
    changeTasks(+1);
    send<T>(wanted, [this, again = std::move(again),
                     told = orProblem<T>(std::move(done))](Answer<T> answer) {
        taskEnded(answer, again);
        told(std::move(answer));
    });
}

void Document::compile() {
    if (!isOpen())
        return;
    runTask<snapshot::RunDocument>(
        arguments(), [this] { compile(); },
        [this](const Shared<snapshot::RunDocument>& done) {
            Q_EMIT note(u"compiled in %1 ms, one run took %2 ms"_s.arg(done->compileMs, 0, 'f', 0)
                            .arg(done->runMs, 0, 'f', 2));
        });
}

void Document::exportModule(const QString& folder, ExportOptions options) {
    if (!isOpen())
        return;
    Arguments wanted = arguments();
    wanted.output = folder.toStdString();
    if (options.embeds)
        wanted.embed = true;
    if (options.isStatic)
        wanted.isStatic = true;
    runTask<snapshot::ExportDocument>(
        wanted, [this, folder, options] { exportModule(folder, options); },
        [this](const Shared<snapshot::ExportDocument>& done) {
            QStringList files;
            for (const std::string& file : done->files)
                files << QString::fromStdString(file);
            Q_EMIT note(u"exported to %1: %2"_s.arg(QString::fromStdString(done->directory),
                                                    files.join(u", "_s)));
        });
}

void Document::exportRewritten(const QString& file) {
    if (!isOpen())
        return;
    Arguments wanted = arguments();
    wanted.output = file.toStdString();
    runTask<snapshot::RewriteDocument>(
        wanted, [this, file] { exportRewritten(file); },
        [this, file](const Shared<snapshot::RewriteDocument>& done) {
            for (const Diag& diag : done->diagnostics)
                Q_EMIT problem(diag);
            Q_EMIT note(u"exported %1: %2"_s.arg(countOf(done->nodesAfter, u"operator"_s), file));
        });
}

void Document::tune(const QString& log) {
    if (!isOpen())
        return;
    Arguments wanted = arguments();
    wanted.log = log.toStdString();
    runTask<snapshot::TuneDocument>(
        wanted, [this, log] { tune(log); },
        [this](const Shared<snapshot::TuneDocument>& done) {
            Q_EMIT note(u"measured %1 workloads, %2 get another implementation: %3 → %4"_s
                            .arg(done->measured)
                            .arg(done->improved)
                            .arg(timeText(done->beforeMs * 1e3), timeText(done->afterMs * 1e3)));
            for (const std::string& notice : done->notices)
                Q_EMIT note(QString::fromStdString(notice));
            m_kept.clear(); // the file says more than before
            if (inputs().log == done->log)
                replan();
            else
                edit(snapshot::SetLog{done->log});
        });
}

void Document::verify(const QString& folder) {
    if (!isOpen())
        return;
    Arguments wanted = arguments();
    wanted.output = folder.toStdString();
    const std::uint64_t generation = m_planGeneration;
    runTask<snapshot::VerifyDocument>(
        wanted, [this, folder] { verify(folder); },
        [this, generation](const Shared<snapshot::VerifyDocument>& done) {
            for (const snapshot::VerifyModel& model : done->models) {
                Q_EMIT note(u"verified %1 groups: %2 implementations agree with the reference, "
                            "%3 differ, %4 not run"_s.arg(model.groups)
                                .arg(model.agreeing)
                                .arg(model.differing)
                                .arg(model.notRun));
                for (const snapshot::VerifyRow& row : model.rows)
                    if (row.differs)
                        Q_EMIT problem(
                            makeDiag(DiagCode::OutputsDiffer, row.implementation + ": " + row.worst,
                                     {{}, row.group},
                                     row.file.empty() ? std::string() : "shown by " + row.file));
                for (const std::string& notice : model.notices)
                    Q_EMIT note(QString::fromStdString(notice));
            }
            if (generation == m_planGeneration) {
                m_verified = done;
                tell(Part::Verified);
            }
        });
}

void Document::bisect() {
    if (!isOpen())
        return;
    Arguments wanted = arguments();
    wanted.each = true;
    const std::uint64_t generation = m_planGeneration;
    runTask<snapshot::BisectDocument>(
        wanted, [this] { bisect(); },
        [this, generation](const Shared<snapshot::BisectDocument>& done) {
            if (done->first)
                Q_EMIT problem(makeDiag(
                    DiagCode::OutputsDiffer,
                    fmt::format("application {} of {} takes the outputs out of the tolerance: {}",
                                done->first->number, done->first->rule, done->worst),
                    {done->first->file, {}, static_cast<int>(done->first->line), 1},
                    "Rules lists the error behind every application"));
            else
                Q_EMIT note(
                    u"the outputs stay within rtol %1, atol %2 behind %3: largest error %4"_s
                        .arg(done->rtol)
                        .arg(done->atol)
                        .arg(countOf(done->applications, u"application"_s))
                        .arg(errorText(done->maxAbs)));
            if (generation == m_planGeneration) {
                m_bisected = done;
                tell(Part::Bisected);
            }
        });
}

void Document::weighBooks() {
    if (!isOpen())
        return;
    Arguments wanted = arguments();
    wanted.each = true;
    const std::uint64_t generation = m_planGeneration;
    runTask<snapshot::OrderDocument>(
        wanted, [this] { weighBooks(); },
        [this, generation](const Shared<snapshot::OrderDocument>& done) {
            if (generation != m_planGeneration)
                return;
            m_order = done;
            tell(Part::Order);
            if (done->books.empty())
                Q_EMIT note(u"no rule acts on this model: no book won anything"_s);
        });
}

void Document::stop() {
    const std::set<std::int64_t> ids = m_inFlight;
    for (auto id = ids.rbegin(); id != ids.rend(); ++id) // the running one last
        m_worker.cancel(*id);
}

} // namespace fw::ui
