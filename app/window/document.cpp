#include "app/window/document.h"

#include "base/files.h"
#include "snapshot/document_file.h"
#include "snapshot/recovery.h"

#include <QCryptographicHash>
#include <QFileInfo>

#include <algorithm>

namespace fw::ui {

using snapshot::Arguments;
using snapshot::Inputs;

Arguments argumentsOf(const Inputs& inputs) {
    Arguments out;
    out.model = inputs.model;
    out.target = inputs.fullTarget();
    out.rules = inputs.enabledBooks();
    out.without = inputs.without;
    out.leftOut = inputs.leftOut;
    out.pins = inputs.pinText();
    out.dims = inputs.dims;
    out.types = inputs.types;
    out.log = inputs.log;
    return out;
}

Document::Document(WorkerClient& worker, QObject* parent) : QObject(parent), m_worker(worker) {
    connect(&worker, &WorkerClient::died, this, &Document::workerDied);
    askDoctor();
}

std::vector<std::string> Document::foundLibraries() const {
    if (!inputs().libraries && snapshot::namesDeclaredTarget(inputs().target) && m_plan)
        if (auto said = snapshot::splitTarget(m_plan->target).libraries)
            return *said;
    std::vector<std::string> out;
    if (m_doctor)
        for (const auto& library : m_doctor->libraries)
            if (library.status == "ready")
                out.push_back(library.name);
    return out;
}

QStringList Document::declaredTargets() const {
    QStringList out;
    for (const std::string& book : inputs().enabledBooks())
        if (const auto check = m_checks.find(book); check != m_checks.end() && check->second)
            for (const auto& item : check->second->items)
                if (item.kind == "target" && item.verdict == "ok")
                    out += QString::fromStdString(item.name);
    out.removeDuplicates();
    return out;
}

const snapshot::LibraryRecord* Document::declaredLibrary(const QString& name) const {
    if (m_doctor)
        for (const auto& library : m_doctor->libraries)
            if (!library.path.empty() && library.name == name.toStdString())
                return &library;
    return nullptr;
}

bool Document::isAgreed(const snapshot::LibraryRecord& library) const {
    return std::find(m_agreed.begin(), m_agreed.end(), library.content) != m_agreed.end();
}

void Document::setAgreed(const QStringList& contents) {
    m_agreed.clear();
    for (const QString& content : contents)
        m_agreed.push_back(content.toStdString());
    if (isOpen() && error(Part::Plan).code == DiagCode::LibraryNotAgreed)
        plannedAnew(Importing::No);
}

bool Document::unsaved() const {
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
        return openInputs(read.take(), {absolute, content});
    if (!isOpen())
        setPart(Part::Info, State::Error, read.diag());
    Q_EMIT problem(read.diag());
}

// The same inputs once more; files may have changed.
void Document::reload() {
    if (!isOpen())
        return;
    m_kept.clear();
    if (!documentPath().isEmpty() && !m_history.changed())
        return open(documentPath());
    openInputs(inputs(), {documentPath(), m_savedContent});
}

void Document::openUnsaved(Inputs inputs, const QString& savedPath) {
    openInputs(std::move(inputs), {savedPath, contentOf(savedPath)}, Saved::No);
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

Status Document::save(const QString& path, const std::optional<snapshot::BlockView>& blocks) {
    const QString absolute = QFileInfo(path).absoluteFilePath();
    FW_CHECK(snapshot::saveDocument(inputs(), absolute.toStdString(), blocks));
    m_savedPath = absolute;
    m_savedContent = contentOf(absolute);
    m_history.markSaved();
    Q_EMIT fileChanged();
    return {};
}

void Document::edit(const snapshot::Edit& edit) {
    const Inputs before = inputs();
    if (!isOpen()) {
        m_history = snapshot::History(snapshot::applied(before, edit));
        m_inputs = m_history.now();
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

void Document::workerDied(const Diag& death) {
    const auto again = std::exchange(m_lostTask, {});
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

void Document::setPart(Part part, State state, Diag error) {
    stateOf(part).state = state;
    stateOf(part).error = std::move(error);
    tell(part);
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
