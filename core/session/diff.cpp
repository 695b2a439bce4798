#include "session/diff.h"

#include "ir/diff.h"
#include "session/describe.h"
#include "session/document.h"

#include <fmt/format.h>

namespace fw {

namespace {

using namespace snapshot;

enum class Compared : std::uint8_t { Graphs, Plans };

struct Sides {
    Arguments before, after;
    Compared what = Compared::Plans;
};

Result<Sides> twoModels(const Arguments& arguments) {
    if (arguments.targets.size() > 1 || !arguments.versus.empty())
        return makeDiag(DiagCode::Usage, "two models are compared under one target and its books",
                        {}, "give one MODEL with two --target, or with --rules and --versus");
    Sides out{arguments, arguments};
    out.before.model = arguments.models[0];
    out.after.model = arguments.models[1];
    if (!arguments.targets.empty())
        out.before.target = out.after.target = arguments.targets[0];
    FW_TRY(out.before, withDocument(std::move(out.before)));
    FW_TRY(out.after, withDocument(std::move(out.after)));
    const std::string& stage = arguments.stage;
    if (!stage.empty() && stage != "imported" && stage != "rewritten" && stage != "fused")
        return makeDiag(DiagCode::Usage, "there is no graph of stage " + stage, {},
                        "imported, rewritten or fused");
    const bool plans = stage.empty() ? out.before.model == out.after.model : stage == "fused";
    out.what = plans ? Compared::Plans : Compared::Graphs;
    return out;
}

Result<Sides> oneModel(const Arguments& arguments) {
    if (arguments.targets.size() > 2 || (arguments.targets.size() < 2 && arguments.versus.empty()))
        return makeDiag(DiagCode::Usage, "there is nothing to compare the model with", {},
                        "give a second MODEL, two --target, or --versus BOOK.fw");
    Sides out{arguments, arguments};
    if (arguments.model.empty() && !arguments.models.empty())
        out.before.model = out.after.model = arguments.models[0];
    if (!arguments.targets.empty()) {
        out.before.target = arguments.targets.front();
        out.after.target = arguments.targets.back();
    }
    if (!arguments.versus.empty())
        out.after.rules = arguments.versus;
    FW_TRY(out.before, withDocument(std::move(out.before)));
    FW_TRY(out.after, withDocument(std::move(out.after)));
    return out;
}

std::string listed(const std::vector<std::string>& books) {
    std::string out;
    for (const std::string& book : books)
        out += (out.empty() ? "" : ", ") + book;
    return out.empty() ? "no books" : out;
}

// What tells the two sides apart.
std::string labelOf(const Arguments& side, const Arguments& other, const std::string& target) {
    std::string out = side.model == other.model ? std::string() : side.model;
    const auto add = [&](const std::string& part) { out += (out.empty() ? "" : ", ") + part; };
    if (side.target != other.target)
        add(target);
    if (side.rules != other.rules)
        add(listed(side.rules));
    if (side.pins != other.pins)
        add(side.pins.empty() ? "no pins" : "pins");
    return out.empty() ? target : out;
}

Result<FuseDocument> planOf(PipelineStore& store, const Arguments& side, const Context& context) {
    FW_TRY(Pipeline * pipeline, store.find(inputsOf(side)));
    FW_TRY(const FusionPlan* plan, pipeline->plan(context));
    FW_TRY(const Simplified* simplified, pipeline->simplified(context));
    FW_TRY(const Target* target, pipeline->target());
    return describePlan(side.model, *simplified->graph, *plan, *target, Edges::Leave);
}

Result<GraphPtr> graphOf(PipelineStore& store, const Arguments& side, const Context& context) {
    FW_TRY(Pipeline * pipeline, store.find(inputsOf(side)));
    if (side.stage == "rewritten") {
        FW_TRY(const Simplified* simplified, pipeline->simplified(context));
        return simplified->graph;
    }
    FW_TRY(const Imported* imported, pipeline->imported(context));
    return imported->graph;
}

DiffDocument describeChanges(const std::vector<NodeChange>& changes, const Graph& before,
                             const Graph& after) {
    DiffDocument out;
    for (const NodeChange& change : changes) {
        const Node& node = (change.change == Change::Removed ? before : after).node(change.node);
        ChangeRecord row;
        row.name = node.name;
        row.sentence = change.text.substr(2); // without the mark
        row.nodes = {change.node};
        switch (change.change) {
        case Change::Removed:
            row.kind = "removed";
            out.removed.push_back(std::move(row));
            break;
        case Change::Added:
            row.kind = "added";
            out.added.push_back(std::move(row));
            break;
        case Change::Changed:
            row.kind = "changed";
            out.changed.push_back(std::move(row));
            break;
        }
    }
    return out;
}

} // namespace

Result<DiffSideDocument> diffSide(PipelineStore& store, const Arguments& arguments,
                                  const Context& context) {
    if (arguments.models.size() > 2)
        return makeDiag(DiagCode::Usage, "three models cannot be compared");
    if (arguments.side != "before" && arguments.side != "after")
        return makeDiag(DiagCode::Usage, "there is no side " + arguments.side, {},
                        "before or after");
    FW_TRY(const Sides sides,
           arguments.models.size() == 2 ? twoModels(arguments) : oneModel(arguments));
    DiffSideDocument out;
    if (sides.what == Compared::Graphs) {
        FW_TRY(const GraphPtr before, graphOf(store, sides.before, context));
        FW_TRY(const GraphPtr after, graphOf(store, sides.after, context));
        out.graphs = describeChanges(diffByName(*before, *after), *before, *after);
        out.graphs->before = sides.before.model;
        out.graphs->after = sides.after.model;
        return out;
    }
    const bool first = arguments.side == "before";
    const Arguments &side = first ? sides.before : sides.after,
                    &other = first ? sides.after : sides.before;
    FW_TRY(out.plan, planOf(store, side, context));
    out.label = labelOf(side, other, out.plan.target);
    return out;
}

} // namespace fw
