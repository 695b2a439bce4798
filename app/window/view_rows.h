// The views of the window: one row each, in one ordered table. Docks, the View menu and its keys,
// saved layouts, what is told to whom, and the tests that go through all views come from the rows.
#pragma once

#include "app/window/answers.h"
#include "views/common/view.h"

#include <functional>
#include <memory>
#include <vector>

namespace fw::ui {

class Document;
class Drafts;
class NodeFinder;

enum class Area : std::uint8_t {
    Text,   // left of the graphs, only while there is something in it
    Centre, // the middle, while a model is open
    Left,
    Right,
    Below, // tabs
};

// What views of this folder are made from.
struct ViewSources {
    Document& document;
    const Answers& answers;
    NodeFinder& finder;
    std::function<std::unique_ptr<Drafts>()> drafts; // null: nothing is kept from a crash
};

struct ViewRow {
    QString name;  // of the dock: saved layouts know it by that
    QString title; // in its header or tab, and in the View menu
    Area area;
    int share;   // of the area's height at first, beside the others of the area
    Parts shows; // it is told when one of them changed
    std::function<View*(const ViewSources&)> make;
};
using ViewRows = std::vector<ViewRow>;

const ViewRows& viewRows();

// A view that needs nothing but what all views are given.
template <class V>
View* makeView(const ViewSources&) {
    return new V;
}

// Another one for every other set of docks: what was saved for one set does not fit another.
int layoutVersion(const ViewRows& rows);

} // namespace fw::ui
