#include "app/window/quick_choices.h"

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

std::vector<Choice> menuChoices(const QMenuBar& bar) {
    std::vector<Choice> out;
    for (const QAction* menu : bar.actions())
        addCommands(out, menu->text().remove(u'&'), menu->menu()->actions());
    return out;
}

std::vector<Choice> quickChoices(const DocumentParts& document, const QStringList& books,
                                 const QStringList& recent, const QuickActs& acts) {
    std::vector<Choice> entries;
    std::set<QString> named;
    const auto book = [&](const QString& path) {
        if (named.insert(path).second)
            entries.push_back({QFileInfo(path).fileName(), u"book"_s,
                               [open = acts.openBook, path] { open(path); }});
    };
    for (const QString& path : books)
        book(path);
    for (const auto& known : document.inputs().books)
        book(QString::fromStdString(known.path));
    if (const auto order = document.order()) // those that take part
        for (const auto& entry : order->entries)
            if (const QString file = QString::fromStdString(entry.file);
                file.endsWith(u".fw"_s) && !file.contains(u'/') && named.insert(file).second)
                entries.push_back(
                    {file, u"shipped book"_s, [open = acts.openBook, file] { open(file); }});
    const auto node = [&](const QString& name, const QString& what) {
        if (!name.isEmpty() && named.insert(name).second)
            entries.push_back({name, what, [select = acts.select, name] { select(name); }});
    };
    if (const auto plan = document.plan())
        for (const auto& group : plan->groups)
            node(QString::fromStdString(group.name), u"group"_s);
    for (const auto& graph : {document.fused(), document.imported()})
        if (graph)
            for (const auto& record : graph->nodes)
                if (!record.constant)
                    node(QString::fromStdString(record.name), QString::fromStdString(record.op));
    const QStringList names = shownNames(recent);
    for (qsizetype i = 0; i < recent.size(); ++i)
        entries.push_back(
            {names[i], recent[i], [open = acts.openModel, path = recent[i]] { open(path); }});
    return entries;
}

} // namespace fw::ui
