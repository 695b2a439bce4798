#include "app/window/help_window.h"

#include <QDialog>
#include <QDir>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QImage>
#include <QListWidget>
#include <QScrollBar>
#include <QSplitter>
#include <QTextBrowser>
#include <QTreeWidget>
#include <QVBoxLayout>

namespace fw::ui {

using namespace Qt::StringLiterals;

namespace {

// A page whose pictures are as wide as there is room.
class Page : public QTextBrowser {
public:
    using QTextBrowser::QTextBrowser;

private:
    QVariant loadResource(int type, const QUrl& name) override {
        const QVariant found = QTextBrowser::loadResource(type, name);
        QImage image;
        if (type != QTextDocument::ImageResource || !image.loadFromData(found.toByteArray()))
            return found;
        const int room = viewport()->width() - 2 * int(document()->documentMargin()) -
                         verticalScrollBar()->sizeHint().width();
        return image.width() <= room ? image : image.scaledToWidth(room, Qt::SmoothTransformation);
    }
};

} // namespace

QStringList HelpWindow::pages() {
    QStringList out = QDir(u":/docs"_s).entryList({u"*.md"_s}, QDir::Files, QDir::Name);
    const QString first = u"first-rule.md"_s; // what a newcomer reads
    if (out.removeOne(first))
        out.prepend(first);
    return out;
}

HelpWindow::HelpWindow(QWidget* parent)
    : SideWindow(parent), m_list(new QListWidget(this)), m_page(new Page(this)) {
    setWindowTitle(u"Fusewright documentation"_s);
    resize(980, 720);
    for (const QString& page : pages()) {
        QString title = page.chopped(3).replace(u'-', u' ');
        title[0] = title[0].toUpper();
        auto* item = new QListWidgetItem(title, m_list);
        item->setData(Qt::UserRole, page);
    }
    m_list->setAccessibleName(u"Pages"_s);
    m_page->setOpenLinks(true);
    m_page->setOpenExternalLinks(false);
    m_page->document()->setDocumentMargin(16);
    auto* splitter = new QSplitter(this);
    splitter->addWidget(m_list);
    splitter->addWidget(m_page);
    splitter->setSizes({220, 760});
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(splitter);
    connect(m_list, &QListWidget::currentItemChanged, this, [this](QListWidgetItem* item) {
        if (item)
            m_page->setSource(QUrl(u"qrc:/docs/"_s + item->data(Qt::UserRole).toString()),
                              QTextDocument::MarkdownResource);
    });
    if (m_list->count() > 0)
        m_list->setCurrentRow(0);
    else
        m_page->setPlainText(u"This build carries no documentation."_s);
}

void HelpWindow::showShortcuts(QWidget* parent, const std::vector<Shortcut>& shortcuts) {
    auto* dialog = new QDialog(parent);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(u"Keyboard shortcuts"_s);
    dialog->resize(560, 640);
    auto* table = new QTreeWidget(dialog);
    table->setHeaderLabels({u"keys"_s, u"action"_s, u"menu"_s});
    table->setRootIsDecorated(false);
    table->setAlternatingRowColors(true);
    const auto add = [&](const QString& keys, const QString& action, const QString& menu) {
        new QTreeWidgetItem(table, {keys, action, menu});
    };
    for (const Shortcut& shortcut : shortcuts)
        add(shortcut.keys, shortcut.action, shortcut.menu);
    const QString canvas = u"in a graph"_s;
    add(u"arrows, Shift+arrows"_s, u"Walk along edges, extend the selection"_s, canvas);
    add(u"Space, F"_s, u"Fit the selection, or all"_s, canvas);
    add(u"+ − 0"_s, u"Zoom in, out, 100 %"_s, canvas);
    add(u"M"_s, u"Minimap"_s, canvas);
    add(u"Esc"_s, u"Select nothing"_s, canvas);
    add(u"Ctrl+wheel, drag"_s, u"Zoom, move"_s, canvas);
    add(u"Shift+drag, Ctrl+drag"_s, u"Select, zoom into a rectangle"_s, canvas);
    add(u"Esc"_s, u"Close"_s, u"in a window beside this one"_s);
    table->header()->resizeSection(0, 180);
    table->header()->resizeSection(1, 260);
    auto* layout = new QVBoxLayout(dialog);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(table);
    dialog->show();
}

} // namespace fw::ui
