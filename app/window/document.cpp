#include "app/window/document.h"

#include "base/files.h"
#include "snapshot/document_file.h"
#include "snapshot/recovery.h"
#include "snapshot/time_changes.h"

#include <QCryptographicHash>
#include <QFileInfo>

namespace fw::ui {

using namespace Qt::StringLiterals;
using snapshot::Arguments;
using snapshot::Inputs;

Document::Document(WorkerClient& worker, QObject* parent)
    : KeptParts(parent), m_worker(worker), m_questions(worker), m_libraries(*this),
      m_books(*this, m_questions, m_libraries), m_results(*this, m_questions, m_books),
      m_tasks(*this, m_questions, m_results) {
    connect(&worker, &WorkerClient::died, this, &Document::workerDied);
    connect(&m_questions, &Questions::idleChanged, this, &Document::idleChanged);
    connect(&m_books, &DocumentBooks::planIsOld, this,
            [this](const std::string& by, bool importing) {
                m_results.planAnew(
                    importing ? PlanResults::Importing::Yes : PlanResults::Importing::No, by);
            });
    connect(&m_books, &DocumentBooks::planInTheWay, this, [this] { m_results.dropPlan(); });
    connect(&m_books, &DocumentBooks::fileChanged, this, [this] { m_results.forgetUsed(); });
    connect(&m_books, &DocumentBooks::released, this,
            [this](const std::string& path, const std::string& text) {
                m_results.release(path, text);
            });
    connect(&m_books, &DocumentBooks::checked, this, [this] {
        if (m_libraries.follow())
            askDoctor();
    });
    connect(&m_tasks, &Tasks::tuned, this, [this](const std::string& log) {
        m_results.forgetUsed();
        if (inputs().log == log)
            m_results.replan();
        else
            edit(snapshot::SetLog{log});
    });
    connect(&m_results, &PlanResults::libraryNotAgreed, this, [this] { askDoctor(); });
    askDoctor();
}

void Document::setAgreed(const QStringList& contents) {
    m_libraries.agree(contents);
    if (isOpen() && error(Part::Plan).code == DiagCode::LibraryNotAgreed)
        m_results.planAnew(PlanResults::Importing::No);
}

bool Document::unsaved() const {
    if (isOpen() && baseline() != m_savedBaseline)
        return true;
    if (!documentPath().isEmpty() &&
        (m_left.bookmarks != m_savedLeft.bookmarks || m_left.stops != m_savedLeft.stops))
        return true;
    return isOpen() && m_history.changed() &&
           (!documentPath().isEmpty() || !inputs().books.empty() || !inputs().without.empty() ||
            !inputs().leftOut.empty() || !inputs().pins.empty());
}

void Document::open(const QString& path) {
    const QString absolute = QFileInfo(path).absoluteFilePath();
    if (!snapshot::isDocumentFile(absolute.toStdString())) {
        // Target and libraries go on to the next model; books, pins and dims belong to this one.
        Inputs wanted;
        wanted.model = absolute.toStdString();
        wanted.target = inputs().target;
        wanted.libraries = inputs().libraries;
        return openInputs(std::move(wanted), {});
    }
    const QByteArray content = contentOf(absolute);
    Result<Inputs> read = snapshot::loadDocument(absolute.toStdString());
    if (read)
        return openInputs(read.take(),
                          {absolute, content, snapshot::loadTimes(absolute.toStdString()),
                           snapshot::loadKept(absolute.toStdString())});
    if (!isOpen())
        setPart(Part::Info, State::Error, read.diag());
    Q_EMIT problem(read.diag());
}

// The same inputs once more; files may have changed.
void Document::reload() {
    if (!isOpen())
        return;
    m_results.forgetUsed();
    if (!documentPath().isEmpty() && !unsaved())
        return open(documentPath());
    openInputs(inputs(), {documentPath(), m_savedContent, times(), m_left});
}

void Document::openUnsaved(Inputs inputs, const QString& savedPath,
                           const snapshot::SavedTimes& times, const snapshot::KeptView& left) {
    openInputs(std::move(inputs), {savedPath, contentOf(savedPath), times, left}, Saved::No);
}

QByteArray Document::contentOf(const QString& path) {
    const Result<std::string> text = readFile(path.toStdString(), snapshot::largestDocument);
    return text ? QCryptographicHash::hash(QByteArrayView(*text), QCryptographicHash::Sha256)
                : QByteArray();
}

bool Document::wasWrittenByOthers(const QString& path) const {
    const QFileInfo file(path);
    return !documentPath().isEmpty() && file == QFileInfo(documentPath()) && file.isFile() &&
           contentOf(path) != m_savedContent;
}

void Document::setLeft(const snapshot::KeptView& left) {
    if (left == m_left)
        return;
    m_left = left;
    Q_EMIT fileChanged();
}

Status Document::save(const QString& path, const snapshot::KeptView& left) {
    const QString absolute = QFileInfo(path).absoluteFilePath();
    FW_CHECK(snapshot::saveDocument(inputs(), absolute.toStdString(), left, times()));
    for (const auto& kept : {times().baseline, times().last})
        if (kept && snapshot::timesText(*kept, {}).empty())
            Q_EMIT note(
                u"the times of %1 rows are more than a document keeps: they were left out"_s.arg(
                    kept->rows.size()));
    m_savedBaseline = baseline();
    m_left = m_savedLeft = left;
    setDocumentPath(absolute);
    m_savedContent = contentOf(absolute);
    m_history.markSaved();
    Q_EMIT fileChanged();
    return {};
}

void Document::openInputs(Inputs inputs, const File& file, Saved saved) {
    const std::uint64_t generation = ++m_openGeneration;
    if (!isOpen())
        setPart(Part::Info, State::Busy);
    stop();
    m_questions.send<snapshot::InfoDocument>(
        m_books.argumentsFor(inputs), [=, this](Answer<snapshot::InfoDocument> answer) {
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
                m_results.replan(); // cancelled above
        });
}

void Document::adopt(Inputs inputs, const File& file, Saved saved,
                     std::shared_ptr<const snapshot::InfoDocument> info) {
    // The same model read again keeps what can be undone.
    const bool again = isOpen() && inputs == m_history.now() && file.path == documentPath();
    m_path = QString::fromStdString(inputs.model);
    setDocumentPath(file.path);
    m_savedContent = file.content;
    snapshot::SavedTimes times = file.times;
    if (again && profileResult()) { // the last times are those that were taken here
        times.last = profileResult();
        times.plan = this->times().plan;
    }
    if (!again || saved == Saved::No)
        m_savedBaseline = saved == Saved::No ? nullptr : times.baseline;
    m_left = file.left;
    if (!again || saved == Saved::No)
        m_savedLeft = saved == Saved::No ? snapshot::KeptView() : file.left;
    if (!again)
        m_history = snapshot::History(std::move(inputs));
    if (saved == Saved::No)
        m_history.markUnsaved();
    for (const PartRow& row : documentParts)
        if (row.life != Life::Always)
            forget(row.part);
    kept().info = std::move(info);
    kept().inputs = m_history.now();
    m_books.forgetTyped();
    m_results.begin(times);
    stateOf(Part::Info).state = State::Ready;
    Q_EMIT modelChanged();
    tell(Parts::all());
    for (const Diag& diag : kept().info->diagnostics)
        Q_EMIT problem(diag);
    m_results.replan();
}

void Document::edit(const snapshot::Edit& edit) {
    const Inputs before = inputs();
    if (!isOpen()) {
        m_history = snapshot::History(snapshot::applied(before, edit));
        kept().inputs = m_history.now();
        if (!(before == inputs()))
            tell(Part::Inputs);
    } else if (m_history.edit(edit)) {
        inputsEdited(before);
    }
}

void Document::undo() {
    const Inputs before = inputs();
    if (m_history.undo())
        inputsEdited(before);
}

void Document::redo() {
    const Inputs before = inputs();
    if (m_history.redo())
        inputsEdited(before);
}

void Document::setTarget(const QString& target) {
    const Inputs before = inputs();
    edit(snapshot::SetTarget{target.simplified().toStdString()});
    if (isOpen() && before == inputs() && wasStopped(Part::Plan))
        reload(); // whoever asks for it again wants it now
}

void Document::inputsEdited(const Inputs& before) {
    kept().inputs = m_history.now();
    // The imported graph depends on books, which may bring operators, and on bound dimensions.
    const bool importing = before.enabledBooks() != inputs().enabledBooks() ||
                           before.dims != inputs().dims || before.types != inputs().types;
    if (importing) // so that what is said of the model is said of it as it is read then
        m_questions.send<snapshot::InfoDocument>(
            m_results.arguments(),
            [this, keep = keptAs(Part::Info, kept().info), generation = m_openGeneration,
             asked = kept().inputs](Answer<snapshot::InfoDocument> answer) {
                if (generation == m_openGeneration && asked == kept().inputs)
                    keep(std::move(answer));
            });
    m_results.planAnew(importing ? PlanResults::Importing::Yes : PlanResults::Importing::No);
}

void Document::askDoctor(bool measure) {
    Arguments asked;
    asked.rules = m_results.arguments().rules; // which may declare libraries
    asked.texts = m_results.arguments().texts;
    if (measure)
        asked.measure = true;
    m_questions.send<snapshot::DoctorDocument>(
        asked, [this, keep = keptAs(Part::Doctor, kept().doctor)](
                   Answer<snapshot::DoctorDocument> answer) {
            keep(std::move(answer));
            m_results.keepTimes(); // which machine this is, is known now
        });
}

void Document::askBody(const std::string& path, Answered<snapshot::GraphDocument> done) {
    Arguments wanted = m_results.arguments();
    wanted.body = path;
    m_questions.send<snapshot::GraphDocument>(wanted, std::move(done));
}

void Document::pinBaseline() {
    if (!profileResult() || state(Part::Profile) != State::Ready)
        return Q_EMIT note(u"there are no times of this plan to compare with: profile first"_s);
    setBaseline(profileResult());
    Q_EMIT note(u"the baseline is %1, %2"_s.arg(
        QString::fromStdString(baseline()->target),
        QString::fromStdString(snapshot::takenText(baseline()->machine, baseline()->taken))));
}

void Document::setBaseline(const Shared<snapshot::ProfileDocument>& times) {
    m_results.setBaseline(times);
    Q_EMIT fileChanged();
}

void Document::workerDied(const Diag& death) {
    const auto again = m_tasks.takeLost();
    const auto pin =
        snapshot::pinAfterDeath(m_worker.lastProgress(), inputs().pins, m_worker.lastEnd());
    if (!isOpen() || death.code != DiagCode::WorkerDied || !pin) {
        Q_EMIT problem(death);
        return;
    }
    edit(snapshot::AddPin{*pin});
    Diag told = death;
    told.severity = Severity::Warning;
    told.hint = snapshot::afterDeathText(*pin) + "; Undo takes that back";
    Q_EMIT problem(told);
    if (again)
        again();
}

} // namespace fw::ui
