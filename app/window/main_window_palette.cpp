// What the palettes offer: every command of the menus, and everything that has a name.
#include "app/window/main_window.h"
#include "app/window/palette.h"
#include "app/window/shown_names.h"

#include <QFileInfo>
#include <QMenu>
#include <QMenuBar>

#include <set>

namespace fw::ui {

using namespace Qt::StringLiterals;

namespace {

void addCommands(std::vector<Choice>& out, const QString& menu, const QList<QAction*>& actions) {
    for (QAction* action : actions) {
        if (action->isSeparator() || !action->isEnabled() || !action->isVisible())
            continue;
        QString text = action->text();
        text.remove(u'&');
        if (action->menu())
            addCommands(out, menu + u": "_s + text, action->menu()->actions());
        else
            out.push_back({menu + u": "_s + text,
                           action->shortcut().toString(QKeySequence::NativeText),
                           [action] { action->trigger(); }});
    }
}

} // namespace

void MainWindow::openCommands() {
    std::vector<Choice> entries;
    for (const QAction* menu : menuBar()->actions())
        addCommands(entries, menu->text().remove(u'&'), menu->menu()->actions());
    m_palette->open(u"A command …"_s, std::move(entries));
}

// Books first, then groups and nodes of the plan, then what was open before.
void MainWindow::openQuickly() {
    std::vector<Choice> entries;
    std::set<QString> named;
    const auto book = [&](const QString& path) {
        if (named.insert(path).second)
            entries.push_back(
                {QFileInfo(path).fileName(), u"book"_s, [this, path] { editBook(path, 0); }});
    };
    for (const ShownView& shown : m_views)
        for (const QString& path : shown.view->openBooks())
            book(path);
    for (const auto& known : m_document.inputs().books)
        book(QString::fromStdString(known.path));
    if (const auto order = m_document.order()) // those that take part
        for (const auto& entry : order->entries)
            if (const QString file = QString::fromStdString(entry.file);
                file.endsWith(u".fw"_s) && !file.contains(u'/') && named.insert(file).second)
                entries.push_back({file, u"shipped book"_s, [this, file] { editBook(file, 0); }});
    const auto node = [&](const QString& name, const QString& what) {
        if (!name.isEmpty() && named.insert(name).second)
            entries.push_back({name, what, [this, name] { selectByName(name); }});
    };
    if (const auto plan = m_document.plan())
        for (const auto& group : plan->groups)
            node(QString::fromStdString(group.name), u"group"_s);
    for (const auto& graph : {m_document.fused(), m_document.imported()})
        if (graph)
            for (const auto& record : graph->nodes)
                if (!record.constant)
                    node(QString::fromStdString(record.name), QString::fromStdString(record.op));
    if (m_memory == Memory::Remember) {
        const QStringList recent = m_settings.recent(), names = shownNames(recent);
        for (qsizetype i = 0; i < recent.size(); ++i)
            entries.push_back({names[i], recent[i], [this, path = recent[i]] { openModel(path); }});
    }
    m_palette->open(u"A book, group, operator or recent file …"_s, std::move(entries));
}

} // namespace fw::ui
