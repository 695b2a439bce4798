#include "app/window/tasks.h"

#include "app/window/questions.h"
#include "views/common/numbers.h"

#include <fmt/format.h>

#include <QFileInfo>

namespace fw::ui {

using namespace Qt::StringLiterals;
using snapshot::Arguments;

Tasks::Tasks(KeptParts& parts, Questions& questions, PlanResults& results, QObject* parent)
    : QObject(parent), m_parts(parts), m_questions(questions), m_results(results) {}

void Tasks::count(int by) {
    m_running += by;
    Q_EMIT changed();
}

template <class T>
void Tasks::run(const Arguments& wanted, std::function<void()> again, Then<T> done,
                std::function<void()> stopped) {
    count(+1);
    m_questions.send<T>(wanted, [this, again = std::move(again), stopped = std::move(stopped),
                                 told = m_parts.orProblem<T>(std::move(done))](Answer<T> answer) {
        ended(answer, again);
        if (stopped && !answer && answer.diag().code == DiagCode::Cancelled)
            stopped();
        told(std::move(answer));
    });
}

void Tasks::compile() {
    if (!m_parts.isOpen())
        return;
    run<snapshot::RunDocument>(
        m_results.arguments(), [this] { compile(); },
        [this](const Shared<snapshot::RunDocument>& done) {
            Q_EMIT m_parts.note(
                u"compiled in %1 ms, one run took %2 ms"_s.arg(done->compileMs, 0, 'f', 0)
                    .arg(done->runMs, 0, 'f', 2));
        });
}

void Tasks::profile() {
    if (!m_parts.isOpen())
        return;
    count(+1);
    m_results.askProfile([this](const Answer<snapshot::ProfileDocument>& answer) {
        ended(answer, [this] { profile(); });
    });
}

void Tasks::exportModule(const QString& folder, ExportOptions options) {
    if (!m_parts.isOpen())
        return;
    Arguments wanted = m_results.arguments();
    wanted.output = folder.toStdString();
    if (options.embeds)
        wanted.embed = true;
    if (options.isStatic)
        wanted.isStatic = true;
    run<snapshot::ExportDocument>(
        wanted, [this, folder, options] { exportModule(folder, options); },
        [this](const Shared<snapshot::ExportDocument>& done) {
            QStringList files;
            for (const std::string& file : done->files)
                files << QString::fromStdString(file);
            Q_EMIT m_parts.note(u"exported to %1: %2"_s.arg(QString::fromStdString(done->directory),
                                                            files.join(u", "_s)));
        });
}

void Tasks::exportRewritten(const QString& file) {
    if (!m_parts.isOpen())
        return;
    Arguments wanted = m_results.arguments();
    wanted.output = file.toStdString();
    run<snapshot::RewriteDocument>(
        wanted, [this, file] { exportRewritten(file); },
        [this, file](const Shared<snapshot::RewriteDocument>& done) {
            for (const Diag& diag : done->diagnostics)
                Q_EMIT m_parts.problem(diag);
            Q_EMIT m_parts.note(
                u"exported %1: %2"_s.arg(countOf(done->nodesAfter, u"operator"_s), file));
        });
}

void Tasks::saveTensor(const Arguments& about, const QString& file) {
    if (!m_parts.isOpen())
        return;
    Arguments wanted = snapshot::withSaid(m_results.arguments(), about);
    wanted.output = file.toStdString();
    run<snapshot::ValueDocument>(
        wanted, [this, about, file] { saveTensor(about, file); },
        [this](const Shared<snapshot::ValueDocument>& done) {
            Q_EMIT m_parts.note(u"saved %1 (%2), %3: %4"_s.arg(
                QString::fromStdString(done->name), QString::fromStdString(done->type),
                QString::fromStdString(done->origin), QString::fromStdString(done->file)));
        });
}

void Tasks::tune(const QString& log) {
    if (!m_parts.isOpen())
        return;
    Arguments wanted = m_results.arguments();
    wanted.log = log.toStdString();
    run<snapshot::TuneDocument>(
        wanted, [this, log] { tune(log); },
        [this](const Shared<snapshot::TuneDocument>& done) {
            Q_EMIT m_parts.note(
                u"measured %1, %2 another implementation: %3 → %4"_s
                    .arg(countOf(done->measured, u"workload"_s))
                    .arg(done->improved == 1 ? u"1 gets"_s : u"%1 get"_s.arg(done->improved))
                    .arg(timeText(done->beforeMs * 1e3), timeText(done->afterMs * 1e3)));
            for (const std::string& notice : done->notices)
                Q_EMIT m_parts.note(QString::fromStdString(notice));
            Q_EMIT tuned(done->log);
        },
        [this, file = log] { // each measurement is written as soon as it is made
            if (!QFileInfo::exists(file))
                return Q_EMIT m_parts.note(u"measuring was stopped before the first time"_s);
            Q_EMIT m_parts.note(u"measuring was stopped: Profile > Open measurements takes the "
                                "times so far, in %1"_s.arg(file));
        });
}

void Tasks::verify(const QString& folder) {
    if (!m_parts.isOpen())
        return;
    Arguments wanted = m_results.arguments();
    wanted.output = folder.toStdString();
    const std::uint64_t generation = m_parts.generation();
    run<snapshot::VerifyDocument>(
        wanted, [this, folder] { verify(folder); },
        [this, generation](const Shared<snapshot::VerifyDocument>& done) {
            for (const snapshot::VerifyModel& model : done->models) {
                Q_EMIT m_parts.note(
                    u"verified %1: of the implementations %2 agree with the reference, %3 differ, "
                    "%4 not run"_s.arg(countOf(model.groups, u"group"_s))
                        .arg(model.agreeing)
                        .arg(model.differing)
                        .arg(model.notRun));
                for (const snapshot::VerifyRow& row : model.rows)
                    if (row.differs)
                        Q_EMIT m_parts.problem(
                            makeDiag(DiagCode::OutputsDiffer, row.implementation + ": " + row.worst,
                                     {{}, row.group},
                                     row.file.empty() ? std::string() : "shown by " + row.file));
                for (const std::string& notice : model.notices)
                    Q_EMIT m_parts.note(QString::fromStdString(notice));
            }
            if (generation == m_parts.generation()) {
                m_parts.kept().verified = done;
                m_parts.tell(Part::Verified);
            }
        });
}

void Tasks::bisect() {
    if (!m_parts.isOpen())
        return;
    Arguments wanted = m_results.arguments();
    wanted.each = true;
    const std::uint64_t generation = m_parts.generation();
    run<snapshot::BisectDocument>(
        wanted, [this] { bisect(); },
        [this, generation](const Shared<snapshot::BisectDocument>& done) {
            if (done->first)
                Q_EMIT m_parts.problem(makeDiag(
                    DiagCode::OutputsDiffer,
                    fmt::format("application {} of {} takes the outputs out of the tolerance: {}",
                                done->first->number, done->first->rule, done->worst),
                    {done->first->file, {}, static_cast<int>(done->first->line), 1},
                    "Rules lists the error behind every application"));
            else
                Q_EMIT m_parts.note(
                    u"the outputs stay within rtol %1, atol %2 behind %3: largest error %4"_s
                        .arg(done->rtol)
                        .arg(done->atol)
                        .arg(countOf(done->applications, u"application"_s))
                        .arg(errorText(done->maxAbs)));
            if (generation == m_parts.generation()) {
                m_parts.kept().bisected = done;
                m_parts.tell(Part::Bisected);
            }
        });
}

void Tasks::weighBooks() {
    if (!m_parts.isOpen())
        return;
    Arguments wanted = m_results.arguments();
    wanted.each = true;
    const std::uint64_t generation = m_parts.generation();
    run<snapshot::OrderDocument>(
        wanted, [this] { weighBooks(); },
        [this, generation](const Shared<snapshot::OrderDocument>& done) {
            if (generation != m_parts.generation())
                return;
            m_parts.kept().order = done;
            m_parts.tell(Part::Order);
            if (done->books.empty())
                Q_EMIT m_parts.note(u"no rule acts on this model: no book won anything"_s);
        });
}

} // namespace fw::ui
