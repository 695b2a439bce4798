#include "session/drawing.h"

#include "pattern/declared.h"
#include "rewrite/matches.h"
#include "rewrite/right_side.h"
#include "session/book_texts.h"
#include "session/text_range.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

namespace fw {

namespace {

using namespace snapshot;

// A value in the picture; none: what has no box, as an operand that is any.
struct Drawn {
    NodeId node = noNode;
    int output = 0;
};

class Drawing {
public:
    Drawing(const TextPlaces& places, DrawingDocument& out) : m_places(places), m_out(out) {
        m_out.graph.stage = "pattern";
    }

    void draw(const DeclarationTree& declaration) {
        byKind(declaration, [&](const PatternDeclTree& pattern) {
            addResult(pattern.name, build(pattern.pattern, {}));
        });
        if (const RuleTree* rule = ruleOf(declaration)) {
            m_erases = !rule->emit.empty();
            for (const NamedPattern& named : rule->match)
                m_values[named.name] = build(named.pattern, {});
            const std::map<std::string, Drawn> matched = m_values;
            for (const NamedTree& named : rule->let)
                m_values[named.name] = made(named.value);
            for (const NamedTree& named : rule->emit)
                addResult(named.name, made(named.value));
            if (rule->emit.empty()) {
                for (const NamedPattern& named : rule->match)
                    addResult(named.name, matched.at(named.name));
                for (const RuleTree::Exposed& exposed : rule->expose)
                    if (const auto part = matched.find(exposed.name); part != matched.end())
                        addResult(exposed.name, part->second);
            }
        }
        for (NodeRecord& node : m_nodes)
            m_out.graph.nodes.push_back(std::move(node));
    }

private:
    NodeRecord& add(const std::string& op, const std::string& name, const Span& span,
                    NodeMark mark) {
        NodeRecord& node = m_nodes.emplace_back();
        node.id = static_cast<NodeId>(m_nodes.size()) - 1;
        node.op = op;
        node.name = name;
        node.line = span.line;
        m_out.nodes.push_back({node.id, mark, rangeOf(m_places, span), {}, {}});
        return node;
    }

    // Its value as it is written.
    std::string clause(const NodeRecord& node, const Span& span) {
        std::string text(m_places.text().substr(span.begin, span.end - span.begin));
        Fix& written = m_out.nodes[static_cast<std::size_t>(node.id)].clauses.emplace_back();
        static_cast<TextRange&>(written) = rangeOf(m_places, span);
        written.text = text;
        return text;
    }

    Drawn leaf(const std::string& name, const Span& span) {
        return {add("input", name, span, {}).id, 0};
    }

    static std::string constraintsText(const PatternTree& p) {
        std::vector<std::string> all;
        for (const PatternConstraint& one : p.constraints)
            all.push_back(one.text);
        return all.empty() ? std::string() : fmt::format(": {}", fmt::join(all, " & "));
    }

    Drawn call(const std::string& title, const PatternTree& p, const Drawn& previous) {
        std::vector<InputRef> inputs;
        for (const PatternTree& arg : p.args)
            if (const Drawn value = build(arg, previous); value.node != noNode)
                inputs.push_back({value.node, value.output, {}});
        NodeRecord& node = add(title, {}, p.span, m_erases ? NodeMark("erased") : "kept");
        node.inputs = std::move(inputs);
        for (const PatternAttrTree& attr : p.attrs)
            node.attributes[attr.kind == PatternAttrTree::Kind::All ? "*" + attr.name : attr.name] =
                clause(node, attr.span);
        return {node.id, 0};
    }

    // What stands in it may be absent, or be there several times.
    Drawn marked(const PatternTree& p, const Drawn& previous, const std::string& sign) {
        const std::size_t before = m_nodes.size();
        const Drawn out = build(p.args.front(), previous);
        for (std::size_t i = before; i < m_nodes.size(); ++i)
            if (m_nodes[i].op != "input")
                m_nodes[i].op += sign;
        return out;
    }

    Drawn joined(const std::string& word, const std::vector<Drawn>& values, const Span& span) {
        NodeRecord& node = add(word, {}, span, {});
        for (const Drawn& value : values)
            if (value.node != noNode)
                node.inputs.push_back({value.node, value.output, {}});
        return {node.id, 0};
    }

    Drawn dominated(const PatternTree& p, const Drawn& previous) {
        const Drawn from = build(p.args[0], previous);
        const std::size_t before = m_nodes.size();
        const Drawn path = build(p.args[1], from);
        for (std::size_t i = before; i < m_nodes.size(); ++i)
            if (m_nodes[i].op != "input")
                m_nodes[i].op += " *";
        return build(p.args[2], path.node == noNode ? from : path);
    }

    Drawn build(const PatternTree& p, const Drawn& previous) {
        switch (p.kind) {
        case PatternKind::Previous:
            return previous;
        case PatternKind::Any:
            return p.constraints.empty() ? Drawn{} : leaf("any" + constraintsText(p), p.span);
        case PatternKind::Const:
            return leaf("const" + constraintsText(p), p.span);
        case PatternKind::Capture: {
            const auto known = m_values.find(p.name);
            if (known != m_values.end())
                return known->second;
            return m_values[p.name] = leaf(p.name + constraintsText(p), p.span);
        }
        case PatternKind::Bind: {
            const Drawn out = build(p.args.front(), previous);
            m_values[p.name] = out;
            if (p.result >= 0)
                m_values[p.name].output = p.result;
            else if (out.node != noNode)
                m_out.nodes[static_cast<std::size_t>(out.node)].name = p.name;
            return out;
        }
        case PatternKind::Call:
            return call((p.ofKind ? "kind " : "") + p.name, p, previous);
        case PatternKind::Associative:
            return call("assoc " + p.name, p, previous);
        case PatternKind::Sequence: {
            Drawn out = previous;
            for (const PatternTree& step : p.args)
                out = build(step, out);
            return out;
        }
        case PatternKind::Alternatives: {
            std::vector<Drawn> all;
            for (const PatternTree& one : p.args)
                all.push_back(build(one, previous));
            return joined("either", all, p.span);
        }
        case PatternKind::Optional:
            return marked(p, previous, " ?");
        case PatternKind::Repeat:
            return marked(p, previous, fmt::format(" *{}..{}", p.low, p.high));
        case PatternKind::Not:
            return joined("not", {build(p.args.front(), previous)}, p.span);
        case PatternKind::Output: {
            Drawn out = build(p.args.front(), previous);
            out.output = static_cast<int>(std::max<std::int64_t>(p.low, 0));
            return out;
        }
        case PatternKind::Rest:
            return p.args.empty() ? leaf("..." + p.name, p.span) : build(p.args.front(), previous);
        case PatternKind::Dominated:
            return dominated(p, previous);
        }
        return {};
    }

    // --- the right side

    static std::string attributesText(const NodeRecord& node) {
        std::string out;
        for (const auto& [name, text] : node.attributes)
            if (name.starts_with('*'))
                return name; // all of them, whatever else is said of one
            else
                out += text + ";";
        return out;
    }

    // A call of the left side on the same values with the same attributes stays.
    NodeRecord* same(const NodeRecord& made) {
        for (NodeRecord& node : m_nodes)
            if (node.id != made.id && node.op == made.op && node.inputs == made.inputs &&
                attributesText(node) == attributesText(made) &&
                m_out.nodes[static_cast<std::size_t>(node.id)].mark != "created")
                return &node;
        return nullptr;
    }

    // What the right side reads stays, and what that is computed from.
    void keep(NodeId id) {
        NodeMark& mark = m_out.nodes[static_cast<std::size_t>(id)].mark;
        if (mark != "erased")
            return;
        mark = "kept";
        for (const InputRef& input : m_nodes[static_cast<std::size_t>(id)].inputs)
            keep(input.node);
    }

    Drawn made(const Tree& tree) {
        if (tree.isName()) {
            const auto known = m_values.find(tree.text);
            if (known == m_values.end())
                return leaf(tree.text, tree.span);
            if (known->second.node != noNode)
                keep(known->second.node);
            return known->second;
        }
        if (tree.kind == TreeKind::Index && tree.text.empty()) { // (p, q) = call
            const std::size_t place = tree.span.begin;
            if (!m_calls.contains(place))
                m_calls[place] = made(tree.args.front());
            return {m_calls[place].node, static_cast<int>(tree.integer)};
        }
        if (tree.kind == TreeKind::Pack)
            return tree.args.empty() ? Drawn{} : made(tree.args.front());
        if (tree.kind == TreeKind::Int || tree.kind == TreeKind::Float)
            return leaf(tree.text.empty()
                            ? fmt::format("{}", tree.kind == TreeKind::Int
                                                    ? static_cast<double>(tree.integer)
                                                    : tree.real)
                            : tree.text,
                        tree.span);
        if (isNodeByName(tree))
            return leaf(tree.args[0].text, tree.span);
        std::vector<InputRef> inputs;
        for (const Tree& arg : tree.args)
            if (const Drawn value = made(arg); value.node != noNode)
                inputs.push_back({value.node, value.output, {}});
        const std::string title = tree.text.empty() ? "list" : tree.text;
        NodeRecord& node = add(title, {}, tree.span, "created");
        node.inputs = std::move(inputs);
        for (const TreeAttr& attr : tree.attrs)
            node.attributes[attr.name == "*" ? "*" + attr.value.text : attr.name] =
                clause(node, attr.span);
        if (NodeRecord* stays = same(node)) {
            m_out.nodes[static_cast<std::size_t>(stays->id)].mark = "kept";
            const Drawn out{stays->id, 0};
            m_nodes.pop_back();
            m_out.nodes.pop_back();
            return out;
        }
        return {node.id, 0};
    }

    void addResult(const std::string& name, const Drawn& value) {
        if (value.node != noNode)
            m_out.graph.results.push_back({value.node, value.output, name});
    }

    const TextPlaces& m_places;
    DrawingDocument& m_out;
    std::vector<NodeRecord> m_nodes;
    std::map<std::string, Drawn> m_values;
    std::map<std::size_t, Drawn> m_calls; // with several results, by their place
    bool m_erases = false;
};

} // namespace

Result<DrawingDocument> drawDeclaration(const Arguments& arguments) {
    FW_TRY(const BookText book, bookText(arguments.book, arguments.texts));
    const TextPlaces places(book.text);
    DrawingDocument out;
    const FileTree tree = parseFile(book.text, book.file);
    out.diagnostics = tree.errors;
    const std::size_t at = arguments.position
                               ? places.offset(arguments.position->line, arguments.position->column)
                               : 0;
    const auto found = std::find_if(
        tree.declarations.begin(), tree.declarations.end(),
        [&](const DeclarationPtr& one) { return one->span.begin <= at && at <= one->span.end; });
    if (found == tree.declarations.end() || !canMatch(**found))
        return out;
    out.name = (*found)->name;
    out.kind = (*found)->keyword;
    out.range = rangeOf(places, (*found)->span);
    Drawing(places, out).draw(**found);
    return out;
}

} // namespace fw
