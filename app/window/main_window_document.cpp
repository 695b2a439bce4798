// The document as a file, what its edits do to the window, and the dialogs around it.
#include "app/window/dims_dialog.h"
#include "app/window/export_dialog.h"
#include "app/window/library_boxes.h"
#include "app/window/main_window.h"
#include "app/window/message_bar.h"
#include "app/window/picture_file.h"
#include "app/window/types_dialog.h"
#include "app/window/welcome_view.h"
#include "snapshot/document_file.h"
#include "views/common/text.h"
#include "views/common/theme.h"

#include <QComboBox>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QLineEdit>
#include <QMenu>
#include <QMessageBox>
#include <QPushButton>
#include <QStackedWidget>
#include <QStandardPaths>

#include <algorithm>

namespace fw::ui {

using namespace Qt::StringLiterals;

namespace {} // namespace

void MainWindow::openModel(const QString& path) {
    if (!mayDiscard())
        return;
    m_message->clear();
    if (!m_document.isOpen())
        m_welcome->setBusy(u"Opening %1 …"_s.arg(QFileInfo(path).fileName()));
    m_wanted = path;
    m_document.open(path);
}

void MainWindow::modelChanged() {
    m_message->clear();
    m_welcome->setBusy({});
    m_centre->setCurrentIndex(1);
    m_selection.reset();
    const QString path =
        m_document.documentPath().isEmpty() ? m_document.path() : m_document.documentPath();
    remember(path);
    if (const auto blocks = snapshot::loadBlocks(m_document.documentPath().toStdString()))
        for (const ShownView& shown : m_views)
            shown.view->showBlocks(*blocks);
    log(u"opened "_s + path);
}

void MainWindow::remember(const QString& path) {
    if (m_memory != Memory::Remember)
        return;
    m_settings.addRecent(path);
    m_settings.setFolder(QFileInfo(path).absolutePath());
    fillRecent();
}

// The boxes follow the inputs, whoever changed them.
void MainWindow::inputsChanged() {
    const auto& inputs = m_document.inputs();
    if (m_target->currentText().simplified() != text(inputs.target) &&
        m_target->currentText().simplified() != text(inputs.fullTarget()))
        m_target->setCurrentText(text(inputs.target));
    if (!m_target->lineEdit()->hasFocus())
        m_target->setCurrentText(text(inputs.target));
    showLibraries();
    if (m_memory == Memory::Remember)
        m_settings.setTarget(m_document.target());
    m_clearPinsAction->setEnabled(!inputs.pins.empty());
    m_closeLogAction->setEnabled(!inputs.log.empty());
    showFile();
    updateActions();
}

// The title and the undo menu.
void MainWindow::showFile() {
    setWindowTitle(!m_document.isOpen() ? u"Fusewright"_s
                                        : (m_document.unsaved() ? u"● "_s : QString()) +
                                              m_document.fileName() + u" – Fusewright"_s);
    const auto& history = m_document.history();
    m_undoAction->setEnabled(history.canUndo());
    m_undoAction->setText(history.canUndo() ? u"&Undo: "_s + text(history.undoText()) : u"&Undo"_s);
    m_redoAction->setEnabled(history.canRedo());
    m_redoAction->setText(history.canRedo() ? u"&Redo: "_s + text(history.redoText()) : u"&Redo"_s);
}

// --- edits

void MainWindow::setTargetText(const QString& target) {
    m_document.setTarget(target);
    m_target->setCurrentText(text(m_document.inputs().target));
}

// Asked once for every content of the file.
bool MainWindow::mayLoad(const snapshot::LibraryRecord& library) {
    if (m_document.libraries().isAgreed(library))
        return true;
    const QString question =
        u"Load %1?\n\nIt is the library %2 of a book. Its code runs as you, in the worker process."_s
            .arg(text(library.path), text(library.name));
    if (m_answers.load) {
        if (!m_answers.load(question))
            return false;
    } else {
        QMessageBox box(QMessageBox::NoIcon, u"Fusewright"_s, question, QMessageBox::Cancel, this);
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

void MainWindow::switchLibrary(const QString& name, bool on) {
    const snapshot::LibraryRecord* declared = m_document.libraries().named(name);
    if (on && declared != nullptr && !mayLoad(*declared))
        return showLibraries();
    m_document.edit(snapshot::SwitchLibrary{name.toStdString(),
                                            on ? snapshot::Enabled::Yes : snapshot::Enabled::No,
                                            m_document.libraries().found()});
    showLibraries(); // a box that cannot change anything jumps back
}

void MainWindow::showLibraries() {
    m_libraries->show(m_document.doctor().get(), m_document.inputs(),
                      m_document.libraries().found(),
                      [this](const snapshot::LibraryRecord& library) {
                          return m_document.libraries().isAgreed(library);
                      });
}

// Those that every machine knows, then those of the books.
void MainWindow::showTargets() {
    const QStringList declared = m_document.books().declaredTargets();
    QStringList listed;
    for (int i = m_targetPresets; i < m_target->count(); ++i)
        listed += m_target->itemText(i);
    if (listed == declared)
        return;
    const QString written = m_target->currentText();
    while (m_target->count() > m_targetPresets)
        m_target->removeItem(m_target->count() - 1);
    m_target->addItems(declared);
    m_target->setCurrentText(written);
}

// --- files

bool MainWindow::mayDiscard() {
    if (!m_document.unsaved())
        return true;
    if (m_answers.unsaved)
        return answered(m_answers.unsaved());
    QMessageBox box(QMessageBox::NoIcon, u"Fusewright"_s,
                    u"%1 has changes that are not saved."_s.arg(m_document.fileName()),
                    QMessageBox::Save | QMessageBox::Discard | QMessageBox::Cancel, this);
    box.setTextFormat(Qt::PlainText);
    box.setInformativeText(u"Rule books, pins, target and libraries belong to the document."_s);
    box.setDefaultButton(QMessageBox::Save);
    switch (box.exec()) {
    case QMessageBox::Save:
        return answered(Unsaved::Save);
    case QMessageBox::Discard:
        return answered(Unsaved::Discard);
    default:
        return false;
    }
}

bool MainWindow::answered(Unsaved answer) {
    switch (answer) {
    case Unsaved::Save:
        return saveDocument();
    case Unsaved::Discard:
        return true;
    case Unsaved::Cancel:
        return false;
    }
    return false;
}

bool MainWindow::saveDocument() {
    return m_document.documentPath().isEmpty() ? saveDocumentAs()
                                               : saveTo(m_document.documentPath());
}

bool MainWindow::saveDocumentAs() {
    if (!m_document.isOpen())
        return false;
    const QFileInfo model(m_document.path());
    const QString suggestion =
        m_document.documentPath().isEmpty()
            ? QDir(m_settings.folder()).filePath(model.completeBaseName() + u".fwdoc"_s)
            : m_document.documentPath();
    QString file = QFileDialog::getSaveFileName(this, u"Save the document"_s, suggestion,
                                                u"Fusewright documents (*.fwdoc)"_s);
    if (file.isEmpty())
        return false;
    if (!snapshot::isDocumentFile(file.toStdString()))
        file += u".fwdoc"_s;
    return saveTo(file);
}

bool MainWindow::mayOverwrite(const QString& file) {
    if (!m_document.wasWrittenByOthers(file))
        return true;
    const QString question =
        u"%1 was written by another window or program since it was opened here.\n\nWhat it holds "
        "now is lost if it is overwritten; Save as… keeps both."_s.arg(file);
    if (m_answers.overwrite)
        return m_answers.overwrite(question);
    QMessageBox box(QMessageBox::NoIcon, u"Fusewright"_s, question, QMessageBox::Cancel, this);
    box.setTextFormat(Qt::PlainText);
    const QPushButton* overwrite = box.addButton(u"&Overwrite"_s, QMessageBox::DestructiveRole);
    box.setDefaultButton(QMessageBox::Cancel);
    box.exec();
    return box.clickedButton() == overwrite;
}

bool MainWindow::saveTo(const QString& file) {
    if (!mayOverwrite(file))
        return false;
    std::optional<snapshot::BlockView> blocks;
    for (const ShownView& shown : m_views)
        if (auto open = shown.view->openBlocks())
            blocks = std::move(open);
    if (const Status saved = m_document.save(file, blocks); !saved) {
        showProblem(saved.diag()); // the old file is whole, and the document is still here
        return false;
    }
    remember(m_document.documentPath());
    say(u"saved "_s + file);
    return true;
}

void MainWindow::openBookDialog() {
    const QString path = QFileDialog::getOpenFileName(
        this, u"Open a rule book"_s, m_settings.folder(), u"Rule books (*.fw);;All files (*)"_s);
    if (!path.isEmpty())
        openBook(path);
}

void MainWindow::askDims() {
    const auto& bound = m_document.inputs().dims;
    std::vector<std::string> names = m_document.info()->freeDims;
    for (const auto& [name, value] : bound)
        if (std::find(names.begin(), names.end(), name) == names.end())
            names.push_back(name);
    if (names.empty())
        return say(u"every dimension of this model has a size"_s);
    DimsDialog dialog(names, bound, this);
    if (dialog.exec() == QDialog::Accepted)
        m_document.edit(snapshot::SetDims{dialog.dims()});
}

void MainWindow::askTypes() {
    const auto& given = m_document.inputs().types;
    std::vector<std::string> names;
    for (const auto& [name, type] : given)
        names.push_back(name);
    for (const std::string& name : m_document.info()->untyped)
        if (!given.contains(name))
            names.push_back(name);
    if (names.empty())
        return say(u"every value of this model has a type"_s);
    TypesDialog dialog(names, given, this);
    if (dialog.exec() == QDialog::Accepted)
        m_document.edit(snapshot::SetTypes{dialog.types()});
}

void MainWindow::openLogDialog() {
    const QString path =
        QFileDialog::getOpenFileName(this, u"Open measurements"_s, m_settings.folder(),
                                     u"Measurements (*.jsonl);;All files (*)"_s);
    if (!path.isEmpty())
        m_document.edit(snapshot::SetLog{QFileInfo(path).absoluteFilePath().toStdString()});
}

void MainWindow::tuneDialog() {
    if (!m_document.inputs().log.empty())
        return m_document.tasks().tune(text(m_document.inputs().log));
    const QString name = QFileInfo(m_document.path()).completeBaseName() + u".jsonl"_s;
    const QString path = QFileDialog::getSaveFileName(
        this, u"Where to keep the measurements"_s, QDir(m_settings.folder()).filePath(name),
        u"Measurements (*.jsonl);;All files (*)"_s, nullptr, QFileDialog::DontConfirmOverwrite);
    if (!path.isEmpty())
        m_document.tasks().tune(QFileInfo(path).absoluteFilePath());
}

void MainWindow::verifyCandidates() {
    const QString folder = QStandardPaths::writableLocation(QStandardPaths::CacheLocation);
    m_document.tasks().verify(QDir(folder).filePath(u"differing"_s));
}

void MainWindow::openBook(const QString& path) {
    m_document.edit(snapshot::AddBook{QFileInfo(path).absoluteFilePath().toStdString()});
}

void MainWindow::exportDialog() {
    const QFileInfo model(m_document.path());
    ExportDialog dialog(m_document.path(),
                        m_document.plan() ? text(m_document.plan()->target) : m_document.target(),
                        QDir(m_settings.folder()).filePath(model.completeBaseName() + u"-module"_s),
                        this);
    if (dialog.exec() == QDialog::Accepted)
        m_document.tasks().exportModule(dialog.folder(), {dialog.embeds(), dialog.isStatic()});
}

void MainWindow::exportRewrittenDialog() {
    const QFileInfo model(m_document.path());
    QString file = QFileDialog::getSaveFileName(
        this, u"Export the rewritten model"_s,
        QDir(m_settings.folder()).filePath(model.completeBaseName() + u"-rewritten.onnx"_s),
        u"ONNX models (*.onnx);;Graphs as text (*.fw)"_s);
    if (file.isEmpty())
        return;
    if (QFileInfo(file).suffix().isEmpty())
        file += u".onnx"_s;
    m_document.tasks().exportRewritten(file);
}

void MainWindow::savePictureDialog(const std::shared_ptr<const picture::Picture>& picture,
                                   const QString& title) {
    const QString file = QFileDialog::getSaveFileName(this, title, m_settings.folder(),
                                                      u"SVG (*.svg);;PDF (*.pdf);;PNG (*.png)"_s);
    if (file.isEmpty())
        return;
    if (const Status saved = writePicture(picture, file, Theme::instance().kind()); !saved)
        showProblem(saved.diag());
    else
        say(u"saved "_s + file);
}

void MainWindow::openDialog() {
    const QString path = QFileDialog::getOpenFileName(
        this, u"Open a model or a document"_s, m_settings.folder(),
        u"Models and documents (*.onnx *.fw *.fwdoc);;All files (*)"_s);
    if (!path.isEmpty())
        openModel(path);
}

void MainWindow::fillRecent() {
    m_recentMenu->clear();
    QStringList existing;
    for (const QString& path : m_settings.recent()) {
        QString name = path;
        m_recentMenu->addAction(name.replace(u'&', u"&&"_s), this,
                                [this, path] { openModel(path); });
        if (QFileInfo::exists(path))
            existing << path;
    }
    m_recentMenu->addSeparator();
    m_recentMenu->addAction(u"Clear"_s, this, [this] {
        m_settings.clearRecent();
        fillRecent();
    });
    m_welcome->setRecent(existing);
}

} // namespace fw::ui
