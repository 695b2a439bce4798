#include "app/window/kept_widths.h"

#include "app/window/settings.h"
#include "views/common/fitted_columns.h"

#include <QHeaderView>
#include <QMainWindow>
#include <QSplitter>

namespace fw::ui {

using namespace Qt::StringLiterals;

namespace {

// act(name, splitter or header); what was set by hand comes last.
template <class Do>
void forEachWidth(const QMainWindow& window, int version, Do act) {
    const QString before = QString::number(version) + u'/';
    for (QSplitter* splitter : window.findChildren<QSplitter*>())
        if (!splitter->objectName().isEmpty())
            act(before + splitter->objectName() + u'/' + QString::number(splitter->count()),
                splitter);
    for (QHeaderView* header : window.findChildren<QHeaderView*>())
        if (header->orientation() == Qt::Horizontal && header->count() > 0 &&
            !header->parentWidget()->objectName().isEmpty())
            act(before + header->parentWidget()->objectName() + u'/' +
                    QString::number(header->count()),
                header);
    for (FittedColumns* columns : window.findChildren<FittedColumns*>())
        if (const QObject* table = columns->parent()->parent(); !table->objectName().isEmpty())
            act(before + table->objectName() + u"/set"_s, columns);
}

} // namespace

void saveWidths(const QMainWindow& window, Settings& settings, int version) {
    forEachWidth(window, version, [&](const QString& name, auto* widget) {
        settings.setWidths(name, widget->saveState());
    });
}

void restoreWidths(QMainWindow& window, const Settings& settings, int version) {
    forEachWidth(window, version, [&](const QString& name, auto* widget) {
        widget->restoreState(settings.widths(name));
    });
}

} // namespace fw::ui
