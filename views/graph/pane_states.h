// What a pane can show, for people to choose from, and how its state is told over its picture.
#pragma once

#include "views/graph/graph_panes.h"

namespace fw::ui {

// `set` gets what was chosen, of the pane.
std::vector<Choice> stateChoices(const GraphPanes& panes, std::size_t pane,
                                 const std::function<void(const GraphState&)>& set);
void showStateOf(const GraphPanes& panes, std::size_t pane);

} // namespace fw::ui
