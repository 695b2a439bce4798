#include "session/stops.h"

#include "snapshot/node_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

namespace fw {

namespace {

constexpr std::string_view anotherRule = "another rule";

enum class HowTouched : std::uint8_t { Matched, Created, Erased };

// Every node that the application matches, makes or takes out.
void visitTouched(const Application& one, const auto& visit) {
    for (const NodePtr& node : one.matched)
        visit(*node, HowTouched::Matched);
    for (const GraphStep::Edit& edit : one.step.edits)
        if (!edit.before)
            visit(*edit.after, HowTouched::Created);
        else if (!edit.after)
            visit(*edit.before, HowTouched::Erased);
}

bool isMeant(const std::string& what, HowTouched touch) {
    return what == "creates"  ? touch == HowTouched::Created
           : what == "erases" ? touch == HowTouched::Erased
                              : true;
}

// The first node of the application that `what` means and that fits.
const Node* findTouched(const Application& one, const std::string& what, const auto& fits) {
    const Node* found = nullptr;
    visitTouched(one, [&](const Node& node, HowTouched touch) {
        if (found == nullptr && isMeant(what, touch) && fits(node))
            found = &node;
    });
    return found;
}

// As queries see a node: what it is, without its operands, which may be gone by now.
snapshot::NodeRecord asSearched(const Node& node, snapshot::NodeId id) {
    snapshot::NodeRecord out;
    out.id = id;
    out.name = node.name;
    out.op = node.shownOp();
    out.constant = node.isConstant();
    for (const Output& output : node.outputs)
        out.outputs.push_back({output.name, output.type.text()});
    for (const auto& [name, value] : node.attrs)
        out.attributes[name] = attrText(value);
    return out;
}

// All that the applications touch, once.
struct Touched {
    snapshot::GraphDocument graph;
    std::vector<const Node*> nodes; // by id

    explicit Touched(const RewriteTrace& trace) {
        std::unordered_set<const Node*> seen;
        for (const Application& one : trace.applications)
            visitTouched(one, [&](const Node& node, HowTouched) {
                if (!seen.insert(&node).second)
                    return;
                graph.nodes.push_back(
                    asSearched(node, static_cast<snapshot::NodeId>(nodes.size())));
                nodes.push_back(&node);
            });
    }
};

bool isQuery(const std::vector<snapshot::QueryTerm>& terms) {
    return terms.size() > 1 || std::any_of(terms.begin(), terms.end(), [](const auto& term) {
               return !term.key.empty() || term.isAbsent;
           });
}

Status checkName(const std::string& what, const std::string& name, const RewriteTrace& trace,
                 const OperatorSet& operators) {
    const auto isOperator = [&] {
        return operators.find(name) != nullptr ||
               std::any_of(trace.applications.begin(), trace.applications.end(),
                           [&](const Application& one) { // constants, and what is not known
                               return findTouched(one, {}, [&](const Node& node) {
                                          return node.op == name;
                                      }) != nullptr;
                           });
    };
    if ((what == "creates" || what == "erases") && !isOperator())
        return makeDiag(DiagCode::UnknownName, "there is no operator named " + name, {},
                        "fw ops lists them");
    if (what == "rule" && std::none_of(trace.applied.begin(), trace.applied.end(),
                                       [&](const AppliedRule& rule) { return rule.rule == name; }))
        return makeDiag(DiagCode::UnknownName, "there is no rule named " + name, {},
                        "fw rewrite lists those that were applied");
    return {};
}

} // namespace

Result<Stops::Stop> Stops::readOne(const std::string& text) {
    Stop out{text, text, {}, {}};
    if (text == anotherRule)
        return out;
    const std::size_t blank = std::min(text.find(' '), text.size());
    out.what = text.substr(0, blank);
    out.name = text.substr(std::min(blank + 1, text.size()));
    static constexpr std::string_view known[] = {"rule", "at", "creates", "erases", "when"};
    if (out.what == "shape" || out.what == "dtype")
        out = {text, "when", out.name.empty() ? "" : out.what + ":" + out.name, {}};
    if (std::find(std::begin(known), std::end(known), out.what) == std::end(known) ||
        out.name.find_first_not_of(' ') == std::string::npos)
        return makeDiag(DiagCode::Usage, "'" + text + "' is nothing to stop at", {},
                        "\"rule R\", \"creates OP\", \"erases OP\", \"at OPERATOR\", \"another "
                        "rule\", \"shape 1x128\", \"dtype f16\" or \"when QUERY\", as in Find");
    return out;
}

Result<Stops> Stops::read(const std::vector<std::string>& texts, const RewriteTrace& trace,
                          const OperatorSet& operators) {
    Stops out;
    std::optional<Touched> touched; // if a query is asked
    for (const std::string& text : texts) {
        FW_TRY(Stop stop, readOne(text));
        const bool ofNodes = stop.what == "creates" || stop.what == "erases";
        if (ofNodes || stop.what == "when") {
            FW_TRY(const std::vector<snapshot::QueryTerm> query, snapshot::parseQuery(stop.name));
            if (!ofNodes || isQuery(query)) {
                if (!touched)
                    touched.emplace(trace);
                FW_TRY(const std::vector<snapshot::NodeId> ids,
                       snapshot::NodeSearch(touched->graph, nullptr, nullptr).find(query));
                stop.found.emplace();
                for (const snapshot::NodeId id : ids)
                    stop.found->insert(touched->nodes[static_cast<std::size_t>(id)]);
            }
        }
        if (!stop.found)
            FW_CHECK(checkName(stop.what, stop.name, trace, operators));
        out.m_stops.push_back(std::move(stop));
    }
    return out;
}

std::string Stops::reason(const Application& one, const RewriteTrace& trace,
                          std::optional<std::size_t> before) const {
    const std::string& rule = trace.applied.at(one.entry).rule;
    for (const Stop& stop : m_stops) {
        if (stop.what == anotherRule) {
            if (one.entry != before)
                return "another rule: " + rule;
        } else if (stop.what == "rule") {
            if (rule == stop.name)
                return "rule " + rule;
        } else if (const Node* node = findTouched(one, stop.what, [&](const Node& candidate) {
                       return stop.found          ? stop.found->contains(&candidate)
                              : stop.what == "at" ? candidate.name == stop.name
                                                  : candidate.op == stop.name;
                   })) {
            return stop.what == "at" ? "at " + stop.name
                                     : fmt::format("{}: {}", stop.text, node->name);
        }
    }
    return {};
}

} // namespace fw
