#include "app/window/document.h"

#include "app/window/background.h"

#include <QFileInfo>

namespace fw::ui {

using namespace Qt::StringLiterals;
using snapshot::Arguments;

Document::Document(WorkerClient& worker, QObject* parent) : QObject(parent), m_worker(worker) {
    send<snapshot::DoctorDocument>(
        "doctor", {}, [this](Result<std::shared_ptr<const snapshot::DoctorDocument>> answer) {
            if (!answer)
                return;
            m_doctor = answer.take();
            Q_EMIT targetChanged();
        });
}

QString Document::fileName() const {
    return QFileInfo(m_path).fileName();
}

Arguments Document::arguments() const {
    Arguments out;
    out.model = m_path.toStdString();
    out.target = m_target.toStdString();
    return out;
}

// `done` gets the document, read in the background, or why there is none. Always called once.
template <class T, class Done>
std::int64_t Document::send(const std::string& command, const Arguments& arguments, Done done) {
    using Answer = Result<std::shared_ptr<const T>>;
    changeBusy(+1);
    const auto token = std::make_shared<std::int64_t>(0);
    *token = m_worker.request(command, arguments, [this, done, token](Result<std::string> text) {
        m_inFlight.erase(*token);
        if (!text) {
            done(Answer(text.takeDiag()));
            changeBusy(-1);
            return;
        }
        inBackground(
            this,
            [text = std::make_shared<std::string>(text.take())]() -> Answer {
                auto document = snapshot::fromJson<T>(*text);
                if (!document)
                    return document.takeDiag();
                return std::make_shared<const T>(document.take());
            },
            [this, done](Answer answer) {
                done(std::move(answer));
                changeBusy(-1);
            });
    });
    if (command != "doctor") // belongs to the machine, not to the model
        m_inFlight.insert(*token);
    return *token;
}

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
            } else {
                const Diag& diag = answer.diag();
                if (diag.code == DiagCode::Cancelled)
                    setPart(part, slot ? State::Stale : State::Empty, diag);
                else
                    setPart(part, State::Error, diag);
                Q_EMIT problem(diag);
            }
        });
    *token = id;
    mine.request = id;
    setPart(part, State::Busy);
    if (earlier)
        m_worker.cancel(earlier); // latest wins
}

void Document::open(const QString& path) {
    const std::uint64_t generation = ++m_openGeneration;
    const QString absolute = QFileInfo(path).absoluteFilePath();
    if (!isOpen())
        setPart(Part::Info, State::Busy);
    stop();
    Arguments wanted;
    wanted.model = absolute.toStdString();
    wanted.target = m_target.toStdString();
    send<snapshot::InfoDocument>(
        "open", wanted, [=, this](Result<std::shared_ptr<const snapshot::InfoDocument>> answer) {
            if (generation != m_openGeneration)
                return;
            if (answer) {
                adopt(absolute, answer.take());
                return;
            }
            if (!isOpen())
                setPart(Part::Info, State::Error, answer.diag());
            Q_EMIT problem(answer.diag()); // what was open stays open
            if (isOpen() && state(Part::Plan) != State::Ready)
                replan(); // cancelled above
        });
}

void Document::reload() {
    if (isOpen())
        open(m_path);
}

void Document::adopt(const QString& path, std::shared_ptr<const snapshot::InfoDocument> info) {
    m_path = path;
    m_info = std::move(info);
    for (const Part part :
         {Part::Imported, Part::Fused, Part::Plan, Part::Profile, Part::Explain, Part::Stages})
        drop(part);
    m_imported.reset();
    m_fused.reset();
    m_plan.reset();
    m_profile.reset();
    m_explain.reset();
    m_stages.reset();
    ++m_planGeneration;
    setPart(Part::Info, State::Ready);
    Q_EMIT modelChanged();
    for (const Diag& diag : m_info->diagnostics)
        Q_EMIT problem(diag);
    Arguments imported = arguments();
    imported.stage = "imported";
    ask(Part::Imported, "graph", imported, m_imported);
    replan();
}

void Document::replan() {
    if (!m_imported && m_parts[index(Part::Imported)].request == 0) {
        Arguments imported = arguments();
        imported.stage = "imported";
        ask(Part::Imported, "graph", imported, m_imported);
    }
    Arguments fused = arguments();
    fused.stage = "fused";
    ask(Part::Fused, "graph", fused, m_fused);
    ask(Part::Plan, "fuse", arguments(), m_plan);
}

void Document::setTarget(const QString& target) {
    const QString trimmed = target.simplified();
    if (trimmed == m_target)
        return;
    m_target = trimmed;
    Q_EMIT targetChanged();
    if (!isOpen())
        return;
    // The imported graph does not depend on the target; if it is still on its way, ask for it
    // again.
    const bool importing = m_parts[index(Part::Imported)].request != 0;
    for (const Part part :
         {Part::Imported, Part::Fused, Part::Plan, Part::Profile, Part::Explain, Part::Stages}) {
        if (const std::int64_t id = std::exchange(m_parts[index(part)].request, 0))
            m_worker.cancel(id);
    }
    ++m_planGeneration;
    if (importing)
        m_imported.reset();
    setPart(Part::Profile, m_profile ? State::Stale : State::Empty);
    setPart(Part::Explain, m_explain ? State::Stale : State::Empty);
    setPart(Part::Stages, m_stages ? State::Stale : State::Empty);
    replan();
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
            changeTasks(-1);
            PartState& state = m_parts[index(Part::Profile)];
            if (generation != m_planGeneration || state.request != *token)
                return;
            state.request = 0;
            if (answer) {
                m_profile = answer.take();
                setPart(Part::Profile, State::Ready);
                Q_EMIT note(u"profiled: end to end %1 ms, %2 runs, compiled in %3 ms"_s
                                .arg(m_profile->endToEndMs, 0, 'f', 3)
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
            changeTasks(-1);
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
        "export", wanted, [this](Result<std::shared_ptr<const snapshot::ExportDocument>> answer) {
            changeTasks(-1);
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

void Document::stop() {
    const std::set<std::int64_t> ids = m_inFlight;
    for (auto id = ids.rbegin(); id != ids.rend(); ++id) // the running one last
        m_worker.cancel(*id);
}

void Document::setPart(Part part, State state, Diag error) {
    m_parts[index(part)].state = state;
    m_parts[index(part)].error = std::move(error);
    Q_EMIT partChanged(part);
}

void Document::drop(Part part) {
    m_parts[index(part)] = {};
    Q_EMIT partChanged(part);
}

void Document::changeBusy(int by) {
    m_busy += by;
    if (m_busy == 0 || (by > 0 && m_busy == 1))
        Q_EMIT idleChanged();
}

void Document::changeTasks(int by) {
    m_tasks += by;
    Q_EMIT taskChanged();
}

} // namespace fw::ui
