// What the palettes offer: every command of the menus, and everything that has a name.
#pragma once

#include "views/common/choice.h"
#include "views/common/document_parts.h"

class QMenuBar;

namespace fw::ui {

std::vector<Choice> menuChoices(const QMenuBar& bar);

struct QuickActs {
    std::function<void(const QString&)> openBook, select, openModel;
};
// Books first, then groups and nodes of the plan, then what was open before.
std::vector<Choice> quickChoices(const DocumentParts& document, const QStringList& books,
                                 const QStringList& recent, const QuickActs& acts);

} // namespace fw::ui
