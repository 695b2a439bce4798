#include "app/window/export_dialog.h"

#include "snapshot/export_words.h"

#include <QCheckBox>
#include <QDialogButtonBox>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>

namespace fw::ui {

using namespace Qt::StringLiterals;

ExportDialog::ExportDialog(const QString& model, const QString& target, const QString& folder,
                           QWidget* parent)
    : QDialog(parent), m_folder(new QLineEdit(folder, this)),
      m_embed(new QCheckBox(u"--embed: "_s + QString::fromLatin1(snapshot::embedWords), this)),
      m_static(new QCheckBox(u"--static: "_s + QString::fromLatin1(snapshot::staticWords), this)),
      m_what(new QLabel(this)), m_note(new QLabel(this)) {
    setWindowTitle(u"Export module"_s);
    m_what->setWordWrap(true);
    m_what->setTextFormat(Qt::PlainText);
    m_note->setWordWrap(true);
    m_note->setProperty("muted", true);
    m_note->setTextFormat(Qt::PlainText);
    m_note->setMinimumHeight(2 * fontMetrics().lineSpacing());
    m_folder->setAccessibleName(u"Folder"_s);
    m_folder->setMinimumWidth(380);
    auto* browse = new QPushButton(u"Browse…"_s, this);
    connect(browse, &QPushButton::clicked, this, [this] {
        const QString chosen = QFileDialog::getExistingDirectory(
            this, u"Folder for the module"_s, QFileInfo(this->folder()).absolutePath());
        if (!chosen.isEmpty())
            m_folder->setText(chosen);
    });
    auto* line = new QHBoxLayout;
    line->addWidget(m_folder, 1);
    line->addWidget(browse);
    const auto plain = [this](const QString& text) {
        auto* label = new QLabel(text, this);
        label->setTextFormat(Qt::PlainText);
        label->setWordWrap(true);
        return label;
    };
    auto* form = new QFormLayout;
    form->setHorizontalSpacing(14);
    form->addRow(u"Model"_s, plain(model));
    form->addRow(u"Target"_s, plain(target));
    form->addRow(u"Folder"_s, line);
    form->addRow(u"Options"_s, m_embed);
    form->addRow(QString(), m_static);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
    m_export = buttons->addButton(u"Export"_s, QDialogButtonBox::AcceptRole);
    m_export->setDefault(true);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(18, 16, 18, 14);
    layout->setSpacing(12);
    layout->addWidget(m_what);
    layout->addLayout(form);
    layout->addWidget(m_note);
    layout->addWidget(buttons);
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(m_folder, &QLineEdit::textChanged, this, &ExportDialog::check);
    connect(m_embed, &QCheckBox::toggled, this, &ExportDialog::say);
    connect(m_static, &QCheckBox::toggled, this, &ExportDialog::say);
    check();
    say();
    m_folder->selectAll(); // typing replaces it
    m_folder->setFocus();
}

QString ExportDialog::folder() const {
    const QString text = m_folder->text().trimmed();
    return text.isEmpty() ? QString() : QDir::cleanPath(QFileInfo(text).absoluteFilePath());
}

void ExportDialog::setFolder(const QString& folder) {
    m_folder->setText(folder);
}

bool ExportDialog::embeds() const {
    return m_embed->isChecked();
}

bool ExportDialog::isStatic() const {
    return m_static->isChecked();
}

QString ExportDialog::what() const {
    return m_what->text();
}

void ExportDialog::say() {
    m_what->setText(u"Compiles the model and writes a folder that runs without Fusewright: %1, a C "
                    "header, %2a CMake package, an example program and a manifest."_s.arg(
                        isStatic() ? u"an archive for the linker"_s : u"a shared library"_s,
                        embeds() ? QString() : u"the weights, "_s));
}

QString ExportDialog::note() const {
    return m_note->text();
}

void ExportDialog::check() {
    const QFileInfo info(folder());
    QString note;
    bool usable = true;
    if (folder().isEmpty()) {
        note = u"Name a folder."_s;
        usable = false;
    } else if (info.exists() && !info.isDir()) {
        note = u"There is a file of this name; choose a folder."_s;
        usable = false;
    } else if (!info.exists()) {
        note = u"The folder will be made."_s;
    } else if (QDir(folder()).isEmpty()) {
        note = u"The folder is empty."_s;
    } else {
        note = u"The folder is not empty: files of the same names are replaced, others stay."_s;
    }
    m_note->setText(note);
    m_export->setEnabled(usable);
}

} // namespace fw::ui
