#include "app/window/view_rows.h"

#include "app/window/books_view.h"
#include "app/window/drafts.h"
#include "app/window/pattern_view.h"
#include "views/authoring/rules_view.h"
#include "views/authoring/sketch_view.h"
#include "views/compare/changes_view.h"
#include "views/explain/explain_view.h"
#include "views/found/found_view.h"
#include "views/graph/graphs_view.h"
#include "views/hazards/hazards_view.h"
#include "views/implementations/implementations_view.h"
#include "views/inspector/outline_view.h"
#include "views/inspector/properties_view.h"
#include "views/problems/problems_view.h"
#include "views/profile/profile_view.h"
#include "views/stages/stages_view.h"
#include "views/steps/steps_view.h"

namespace fw::ui {

using namespace Qt::StringLiterals;

namespace {

View* makeBooks(const ViewSources& sources) {
    return new BooksView(sources.document, sources.answers, sources.drafts());
}

View* makeFound(const ViewSources& sources) {
    return new FoundView(sources.finder);
}

View* makePattern(const ViewSources& sources) {
    return new PatternView(sources.document);
}

} // namespace

// Docks are numbered (Alt+1, ...) in this order, and tabs stand in it.
const ViewRows& viewRows() {
    using enum Part;
    // clang-format off
    static const ViewRows rows = {
        {u"booksView"_s, u"Books"_s, Area::Text, 0,
         {Inputs, Info, Checks, Rewrite, TextMatches, Bisected, Plan, Profile}, makeBooks},
        {u"graphs"_s, u"Graphs"_s, Area::Centre, 0,
         {Info, Imported, Fused, Regions, States, Plan, Profile, Against, Verified, Step, Explain}, makeView<GraphsView>},
        {u"outline"_s, u"Outline"_s, Area::Left, 520,
         {Info, Imported, Fused, Plan}, makeView<OutlineView>},
        {u"explain"_s, u"Explain"_s, Area::Right, 300,
         {Plan, Regions, Profile, Against, Explain, Forms}, makeView<ExplainView>},
        {u"implementationsDock"_s, u"Implementations"_s, Area::Right, 270,
         {Plan, Profile, Against, Verified, Schedule}, makeView<ImplementationsView>},
        {u"properties"_s, u"Properties"_s, Area::Right, 240,
         {Info, Imported, Fused, Plan, Ops, Value}, makeView<PropertiesView>},
        {u"opTimesDock"_s, u"Op times"_s, Area::Below, 0,
         {Doctor, Plan, Profile, Baseline, Against}, makeView<ProfileView>},
        {u"changesDock"_s, u"Changes"_s, Area::Below, 0,
         {Info, Plan, Changes}, makeView<ChangesView>},
        {u"stages"_s, u"Stages"_s, Area::Below, 0,
         {Stages}, makeView<StagesView>},
        {u"problems"_s, u"Problems"_s, Area::Below, 0,
         {Inputs, Checks, Rewrite, Matches}, makeView<ProblemsView>},
        {u"log"_s, u"Log"_s, Area::Below, 0,
         {}, makeView<LogView>},
        {u"rulesDock"_s, u"Rules"_s, Area::Left, 200,
         {Info, Inputs, Plan, Rewrite, Order, Checks, Matches, Bisected}, makeView<RulesView>},
        {u"pattern"_s, u"Pattern"_s, Area::Below, 0,
         {Info, Checks, TextMatches}, makePattern},
        {u"make"_s, u"Make"_s, Area::Below, 0,
         {Info, Plan, Sketch}, makeView<SketchView>},
        {u"steps"_s, u"Steps"_s, Area::Below, 0,
         {Info, Inputs, Rewrite, Step}, makeView<StepsView>},
        {u"found"_s, u"Found"_s, Area::Below, 0,
         {Info, Imported, Fused, Plan, Profile, Verified}, makeFound},
        {u"hazards"_s, u"Hazards"_s, Area::Below, 0,
         {Info, Plan, Hazards}, makeView<HazardsView>},
    };
    // clang-format on
    return rows;
}

int layoutVersion(const ViewRows& rows) {
    constexpr int form = 5; // of what is saved
    QByteArray names;
    for (const ViewRow& row : rows)
        names += row.name.toUtf8() + '/' + QByteArray::number(int(row.area)) + '\n';
    return form << 16 | qChecksum(names);
}

} // namespace fw::ui
