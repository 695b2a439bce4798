#include "app/window/document_dialogs.h"

#include "app/window/dims_dialog.h"
#include "app/window/export_dialog.h"
#include "app/window/picture_file.h"
#include "app/window/types_dialog.h"
#include "views/common/text.h"
#include "views/common/theme.h"

#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QMessageBox>
#include <QPushButton>
#include <QStandardPaths>

#include <algorithm>

namespace fw::ui {

using namespace Qt::StringLiterals;

DocumentDialogs::DocumentDialogs(QWidget& window, Document& document, Settings& settings,
                                 Memory memory, const Answers& answers)
    : QObject(&window), m_window(window), m_document(document), m_settings(settings),
      m_memory(memory), m_answers(answers) {
    if (m_memory == Memory::Remember)
        m_document.setAgreed(m_agreed = m_settings.agreed());
}

QString DocumentDialogs::suggested(const QString& name) const {
    return QDir(m_settings.folder())
        .filePath(QFileInfo(m_document.path()).completeBaseName() + name);
}

bool DocumentDialogs::mayLoad(const snapshot::LibraryRecord& library) {
    if (m_document.libraries().isAgreed(library))
        return true;
    const QString question =
        u"Load %1?\n\nIt is the library %2 of a book. Its code runs as you, in the worker process."_s
            .arg(text(library.path), text(library.name));
    if (m_answers.load) {
        if (!m_answers.load(question))
            return false;
    } else {
        QMessageBox box(QMessageBox::NoIcon, u"Fusewright"_s, question, QMessageBox::Cancel,
                        &m_window);
        box.setTextFormat(Qt::PlainText);
        const QPushButton* load = box.addButton(u"&Load it"_s, QMessageBox::AcceptRole);
        box.setDefaultButton(QMessageBox::Cancel);
        box.exec();
        if (box.clickedButton() != load)
            return false;
    }
    m_agreed << text(library.content);
    if (m_memory == Memory::Remember)
        m_settings.setAgreed(m_agreed);
    m_document.setAgreed(m_agreed);
    return true;
}

void DocumentDialogs::switchLibrary(const QString& name, bool on) {
    const snapshot::LibraryRecord* declared = m_document.libraries().named(name);
    if (on && declared != nullptr && !mayLoad(*declared))
        return;
    m_document.edit(snapshot::SwitchLibrary{name.toStdString(),
                                            on ? snapshot::Enabled::Yes : snapshot::Enabled::No,
                                            m_document.libraries().found()});
}

void DocumentDialogs::openBook() {
    const QString path =
        QFileDialog::getOpenFileName(&m_window, u"Open a rule book"_s, m_settings.folder(),
                                     u"Rule books (*.fw);;All files (*)"_s);
    if (!path.isEmpty())
        m_document.edit(snapshot::AddBook{QFileInfo(path).absoluteFilePath().toStdString()});
}

void DocumentDialogs::setDims() {
    const auto& bound = m_document.inputs().dims;
    std::vector<std::string> names = m_document.info()->freeDims;
    for (const auto& [name, value] : bound)
        if (std::find(names.begin(), names.end(), name) == names.end())
            names.push_back(name);
    if (names.empty())
        return Q_EMIT said(u"every dimension of this model has a size"_s);
    DimsDialog dialog(names, bound, &m_window);
    if (dialog.exec() == QDialog::Accepted)
        m_document.edit(snapshot::SetDims{dialog.dims()});
}

void DocumentDialogs::setTypes() {
    const auto& given = m_document.inputs().types;
    std::vector<std::string> names;
    for (const auto& [name, type] : given)
        names.push_back(name);
    for (const std::string& name : m_document.info()->untyped)
        if (!given.contains(name))
            names.push_back(name);
    if (names.empty())
        return Q_EMIT said(u"every value of this model has a type"_s);
    TypesDialog dialog(names, given, &m_window);
    if (dialog.exec() == QDialog::Accepted)
        m_document.edit(snapshot::SetTypes{dialog.types()});
}

void DocumentDialogs::openMeasurements() {
    const QString path =
        QFileDialog::getOpenFileName(&m_window, u"Open measurements"_s, m_settings.folder(),
                                     u"Measurements (*.jsonl);;All files (*)"_s);
    if (!path.isEmpty())
        m_document.edit(snapshot::SetLog{QFileInfo(path).absoluteFilePath().toStdString()});
}

void DocumentDialogs::tune() {
    if (!m_document.inputs().log.empty())
        return m_document.tasks().tune(text(m_document.inputs().log));
    const QString path = QFileDialog::getSaveFileName(
        &m_window, u"Where to keep the measurements"_s, suggested(u".jsonl"_s),
        u"Measurements (*.jsonl);;All files (*)"_s, nullptr, QFileDialog::DontConfirmOverwrite);
    if (!path.isEmpty())
        m_document.tasks().tune(QFileInfo(path).absoluteFilePath());
}

void DocumentDialogs::verify() {
    const QString folder = QStandardPaths::writableLocation(QStandardPaths::CacheLocation);
    m_document.tasks().verify(QDir(folder).filePath(u"differing"_s));
}

void DocumentDialogs::exportModule() {
    ExportDialog dialog(m_document.path(),
                        m_document.plan() ? text(m_document.plan()->target) : m_document.target(),
                        suggested(u"-module"_s), &m_window);
    if (dialog.exec() == QDialog::Accepted)
        m_document.tasks().exportModule(dialog.folder(), {dialog.embeds(), dialog.isStatic()});
}

void DocumentDialogs::exportRewritten() {
    QString file = QFileDialog::getSaveFileName(&m_window, u"Export the rewritten model"_s,
                                                suggested(u"-rewritten.onnx"_s),
                                                u"ONNX models (*.onnx);;Graphs as text (*.fw)"_s);
    if (file.isEmpty())
        return;
    if (QFileInfo(file).suffix().isEmpty())
        file += u".onnx"_s;
    m_document.tasks().exportRewritten(file);
}

void DocumentDialogs::saveTensor(const SaveTensor& save) {
    QString name = save.name;
    for (QChar& c : name) // it may be a path
        if (!c.isLetterOrNumber() && c != u'.' && c != u'-')
            c = u'_';
    QString file = QFileDialog::getSaveFileName(&m_window, u"Save the tensor"_s,
                                                suggested(u'-' + name + u".npy"_s),
                                                u"NumPy (*.npy);;TensorProto (*.pb)"_s);
    if (file.isEmpty())
        return;
    if (QFileInfo(file).suffix().isEmpty())
        file += u".npy"_s;
    m_document.tasks().saveTensor(save.about, file);
}

void DocumentDialogs::savePicture(const SavePicture& save) {
    const QString file = QFileDialog::getSaveFileName(&m_window, save.title, m_settings.folder(),
                                                      u"SVG (*.svg);;PDF (*.pdf);;PNG (*.png)"_s);
    if (file.isEmpty())
        return;
    if (const Status saved = writePicture(save.picture, file, Theme::instance().kind()); !saved)
        Q_EMIT failed(saved.diag());
    else
        Q_EMIT said(u"saved "_s + file);
}

} // namespace fw::ui
