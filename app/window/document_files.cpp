#include "app/window/document_files.h"

#include "app/window/book_file.h"
#include "app/window/bookmarks.h"
#include "app/window/view_docks.h"
#include "snapshot/document_file.h"

#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QMessageBox>
#include <QPushButton>

namespace fw::ui {

using namespace Qt::StringLiterals;

DocumentFiles::DocumentFiles(QWidget& window, Document& document, const ViewDocks& views,
                             Bookmarks& bookmarks, Settings& settings, Memory memory,
                             const Answers& answers)
    : QObject(&window), m_window(window), m_document(document), m_views(views),
      m_bookmarks(bookmarks), m_settings(settings), m_memory(memory), m_answers(answers) {
    connect(&bookmarks, &Bookmarks::changed, this, &DocumentFiles::keep);
    for (const ViewDocks::Shown& shown : views)
        connect(shown.view, &View::keptChanged, this, &DocumentFiles::keep);
}

void DocumentFiles::open(const QString& path) {
    if (m_document.isOpen() && isBookFile(path))
        return Q_EMIT bookGiven(QFileInfo(path).absoluteFilePath());
    if (!mayDiscard())
        return;
    keep();
    Q_EMIT opening(path);
    m_wanted = path;
    m_document.open(path);
}

void DocumentFiles::openByDialog() {
    const QString path = QFileDialog::getOpenFileName(
        &m_window, u"Open a model or a document"_s, m_settings.folder(),
        u"Models and documents (*.onnx *.fw *.fwdoc);;All files (*)"_s);
    if (!path.isEmpty())
        open(path);
}

void DocumentFiles::openAgain() {
    if (!m_wanted.isEmpty())
        open(m_wanted);
}

void DocumentFiles::opened() {
    remember(m_document.documentPath().isEmpty() ? m_document.path() : m_document.documentPath());
    const bool isAlone = m_document.documentPath().isEmpty() && m_memory == Memory::Remember;
    if (isAlone && m_document.left() == snapshot::KeptView())
        m_document.setLeft(snapshot::parseKept(m_settings.kept(m_document.path()).toStdString()));
    const snapshot::KeptView left = m_document.left();
    m_bookmarks.show(left);
    for (const ViewDocks::Shown& shown : m_views)
        shown.view->showKept(left);
}

snapshot::KeptView DocumentFiles::leftNow() const {
    snapshot::KeptView out;
    m_bookmarks.keep(out);
    for (const ViewDocks::Shown& shown : m_views)
        shown.view->keep(out);
    return out;
}

// Which blocks are open is saved with a document only.
void DocumentFiles::keep() {
    if (!m_document.isOpen())
        return;
    snapshot::KeptView left = leftNow();
    left.blocks = m_document.left().blocks;
    m_document.setLeft(left);
    left.blocks.reset();
    if (m_document.documentPath().isEmpty() && m_memory == Memory::Remember)
        m_settings.setKept(m_document.path(),
                           left == snapshot::KeptView()
                               ? QByteArray()
                               : QByteArray::fromStdString(snapshot::keptText(left)));
}

void DocumentFiles::remember(const QString& path) {
    if (m_memory != Memory::Remember)
        return;
    m_settings.addRecent(path);
    m_settings.setFolder(QFileInfo(path).absolutePath());
    Q_EMIT recentChanged();
}

void DocumentFiles::clearRecent() {
    m_settings.clearRecent();
    Q_EMIT recentChanged();
}

bool DocumentFiles::mayDiscard() {
    if (!m_document.unsaved())
        return true;
    Unsaved answer = Unsaved::Cancel;
    if (m_answers.unsaved) {
        answer = m_answers.unsaved();
    } else {
        QMessageBox box(QMessageBox::NoIcon, u"Fusewright"_s,
                        u"%1 has changes that are not saved."_s.arg(m_document.fileName()),
                        QMessageBox::Save | QMessageBox::Discard | QMessageBox::Cancel, &m_window);
        box.setTextFormat(Qt::PlainText);
        box.setInformativeText(u"Rule books, pins, target and libraries belong to the document."_s);
        box.setDefaultButton(QMessageBox::Save);
        const int pressed = box.exec();
        answer = pressed == QMessageBox::Save      ? Unsaved::Save
                 : pressed == QMessageBox::Discard ? Unsaved::Discard
                                                   : Unsaved::Cancel;
    }
    return answer == Unsaved::Discard || (answer == Unsaved::Save && save());
}

bool DocumentFiles::save() {
    return m_document.documentPath().isEmpty() ? saveAs() : saveTo(m_document.documentPath());
}

bool DocumentFiles::saveAs() {
    if (!m_document.isOpen())
        return false;
    const QFileInfo model(m_document.path());
    const QString suggestion =
        m_document.documentPath().isEmpty()
            ? QDir(m_settings.folder()).filePath(model.completeBaseName() + u".fwdoc"_s)
            : m_document.documentPath();
    QString file = QFileDialog::getSaveFileName(&m_window, u"Save the document"_s, suggestion,
                                                u"Fusewright documents (*.fwdoc)"_s);
    if (file.isEmpty())
        return false;
    if (!snapshot::isDocumentFile(file.toStdString()))
        file += u".fwdoc"_s;
    return saveTo(file);
}

bool DocumentFiles::mayOverwrite(const QString& file) {
    if (!m_document.wasWrittenByOthers(file))
        return true;
    const QString question =
        u"%1 was written by another window or program since it was opened here.\n\nWhat it holds "
        "now is lost if it is overwritten; Save as… keeps both."_s.arg(file);
    if (m_answers.overwrite)
        return m_answers.overwrite(question);
    QMessageBox box(QMessageBox::NoIcon, u"Fusewright"_s, question, QMessageBox::Cancel, &m_window);
    box.setTextFormat(Qt::PlainText);
    const QPushButton* overwrite = box.addButton(u"&Overwrite"_s, QMessageBox::DestructiveRole);
    box.setDefaultButton(QMessageBox::Cancel);
    box.exec();
    return box.clickedButton() == overwrite;
}

bool DocumentFiles::saveTo(const QString& file) {
    if (!mayOverwrite(file))
        return false;
    for (const ViewDocks::Shown& shown : m_views)
        shown.view->saving();
    if (const Status saved = m_document.save(file, leftNow()); !saved) {
        Q_EMIT failed(saved.diag()); // the old file is whole, and the document is still here
        return false;
    }
    remember(m_document.documentPath());
    Q_EMIT said(u"saved "_s + file);
    return true;
}

} // namespace fw::ui
