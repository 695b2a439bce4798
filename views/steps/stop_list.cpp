#include "views/steps/stop_list.h"

#include <QKeyEvent>
#include <QSignalBlocker>

namespace fw::ui {

using namespace Qt::StringLiterals;

StopList::StopList(QWidget* parent) : QListWidget(parent) {
    setObjectName(u"stops"_s);
    setAccessibleName(u"Stops"_s);
    setToolTip(u"Run goes on to the next of those that are ticked; Delete takes one out, Enter "
               "puts it into the box above"_s);
    setTextElideMode(Qt::ElideMiddle);
    setMaximumWidth(220);
    hide();
    connect(this, &QListWidget::itemChanged, this, &StopList::changed);
    connect(this, &QListWidget::itemActivated, this,
            [this](const QListWidgetItem* item) { Q_EMIT edited(item->text()); });
}

void StopList::put(const QString& text, bool isOn) {
    auto* item = new QListWidgetItem(text, this);
    item->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsUserCheckable);
    item->setCheckState(isOn ? Qt::Checked : Qt::Unchecked);
    setVisible(true);
}

void StopList::add(const QString& text) {
    const QList<QListWidgetItem*> same = findItems(text, Qt::MatchExactly);
    if (!same.empty())
        return same.front()->setCheckState(Qt::Checked);
    if (std::size_t(count()) == snapshot::mostStops)
        return;
    {
        const QSignalBlocker quiet(this);
        put(text, true);
    }
    Q_EMIT changed();
}

void StopList::show(const std::vector<snapshot::KeptStop>& stops) {
    const QSignalBlocker quiet(this);
    clear();
    for (const snapshot::KeptStop& stop : stops)
        put(QString::fromStdString(stop.text), stop.isOn);
    setVisible(count() > 0);
}

std::vector<snapshot::KeptStop> StopList::stops() const {
    std::vector<snapshot::KeptStop> out;
    for (int row = 0; row < count(); ++row)
        out.push_back({item(row)->text().toStdString(), item(row)->checkState() == Qt::Checked});
    return out;
}

std::vector<std::string> StopList::on() const {
    std::vector<std::string> out;
    for (snapshot::KeptStop& stop : stops())
        if (stop.isOn)
            out.push_back(std::move(stop.text));
    return out;
}

void StopList::keyPressEvent(QKeyEvent* event) {
    if (event->key() != Qt::Key_Delete || currentRow() < 0)
        return QListWidget::keyPressEvent(event);
    {
        const QSignalBlocker quiet(this);
        delete takeItem(currentRow());
    }
    setVisible(count() > 0);
    Q_EMIT changed();
}

} // namespace fw::ui
