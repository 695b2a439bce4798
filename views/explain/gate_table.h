// The table of reasons: a sign, what is spoken of, and what is said of it, in rows as high as their
// texts.
#pragma once

#include <QTreeWidget>

namespace fw::ui {

enum class GateTone : std::uint8_t { Plain, Good, Bad, Muted };

QTreeWidget* makeGateTable(QWidget* parent, const QString& name, const QStringList& titles);
void setCell(QTreeWidgetItem* item, int column, const QString& value,
             GateTone tone = GateTone::Plain);

} // namespace fw::ui
