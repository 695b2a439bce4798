// From the tree of a graph to the graph.
#include "ir/graph_text.h"
#include "ir/graph_values.h"
#include "ir/number_operands.h"

#include "base/nearest.h"
#include "ir/missing_type.h"
#include "ir/tensor_text.h"

#include "expr/parse.h"
#include "expr/simplify.h"
#include "syntax/declarations.h"
#include "syntax/foreign_words.h"
#include "syntax/parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace fw {

namespace {

constexpr std::size_t mostErrors = 100;

enum class Constants : std::uint8_t { Read, Ignored }; // their data

// Reads on behind a mistake: a value that is wrong has no type, and what reads it is looked at only
// as far as that goes without one.
class GraphReader {
public:
    GraphReader(const GraphTree& tree, std::shared_ptr<const OperatorSet> operators,
                const GraphTextOptions& options, Constants constants = Constants::Read)
        : m_tree(tree), m_options(options), m_file(options.file), m_operators(operators),
          m_editor(std::move(operators), tree.name), m_constants(constants), m_used(m_ownUsed) {
        nameDims();
    }
    // Of a body: `outer` takes the given dimensions that occur.
    GraphReader(const GraphTree& tree, GraphReader& outer)
        : m_tree(tree), m_options(outer.m_options), m_file(outer.m_file),
          m_operators(outer.m_operators), m_editor(outer.m_operators, tree.name),
          m_constants(outer.m_constants), m_isBody(true), m_used(outer.m_used) {
        nameDims();
    }

    Result<GraphPtr> run() {
        collectNames();
        for (const GraphInputTree& input : m_tree.inputs) {
            const Result<TensorType> type = typeFromTree(input.type, m_scope);
            if (!type)
                note(type.diag());
            define(input.value.name, type ? m_editor.addInput(input.value.name, *type) : ValueRef(),
                   input.origins);
        }
        for (const GraphAssumptionTree& assumption : m_tree.assumptions)
            note(assume(assumption));
        for (const GraphNodeTree& node : m_tree.nodes) {
            if (m_errors.size() >= mostErrors)
                break;
            const Status added = node.constant ? addConstant(node) : addCall(node);
            note(added);
            for (const ValueTree& result : node.results)
                if (!result.name.empty())
                    m_values.emplace(result.name, ValueRef()); // it is wrong
        }
        if (m_tree.results.empty())
            note(makeDiag(DiagCode::Syntax, "a graph needs a result", at(m_tree.span)));
        for (const GraphResultTree& result : m_tree.results) {
            const Result<ValueRef> value = find(result.value);
            if (!value)
                note(value.diag());
            else if (value->valid())
                m_editor.addResult(result.name, *value);
        }
        if (!m_isBody && m_errors.empty())
            checkOptions();
        if (m_errors.empty()) {
            Result<GraphPtr> made = m_editor.finish(m_options.origins);
            if (made)
                return made;
            note(made.diag());
        }
        std::stable_sort(m_errors.begin(), m_errors.end(), [](const Diag& a, const Diag& b) {
            return std::pair(a.where.line, a.where.column) <
                   std::pair(b.where.line, b.where.column);
        });
        return m_errors.front();
    }

    Diags takeErrors() { return std::move(m_errors); }

private:
    Where at(const Span& span) const { return {m_file, {}, span.line, span.column}; }

    Diag refuse(DiagCode code, std::string message, const Span& span, std::string hint = {}) const {
        return makeDiag(code, std::move(message), at(span), std::move(hint));
    }

    void note(const Status& status) {
        if (!status && m_errors.size() < mostErrors)
            m_errors.push_back(status.diag());
    }

    void nameDims() {
        m_scope.file = m_file;
        m_scope.variable = [this](const std::string& name) -> std::optional<Expr> {
            const auto given = m_options.dims.find(name);
            if (given == m_options.dims.end()) {
                m_free.insert(name);
                return varExpr(Symbol(name));
            }
            m_used.insert(name);
            return intExpr(given->second);
        };
    }

    // Dimensions and values that the options give and the graph has not.
    void checkOptions() {
        for (const auto& [name, value] : m_options.dims)
            if (!m_used.contains(name))
                note(makeDiag(DiagCode::UnknownName, "there is no free dimension " + name, {m_file},
                              m_free.empty()
                                  ? std::string("no other dimension is free")
                                  : fmt::format("there are {}", fmt::join(m_free, ", "))));
        for (const auto& [name, type] : m_options.types)
            if (!m_typed.contains(name))
                note(makeDiag(DiagCode::UnknownName, "no unknown operator gives " + name, {m_file},
                              "a type is given to what nothing infers (fw info)"));
    }

    // Names as written are kept, so nodes without a name must not take one of them.
    void collectNames() {
        const auto add = [&](const std::string& name, const Span& span) {
            if (!m_names.insert(name).second)
                note(refuse(DiagCode::TextName, "the name " + quoteText(name) + " is used twice",
                            span));
        };
        for (const GraphInputTree& input : m_tree.inputs)
            add(input.value.name, input.value.span);
        for (const GraphNodeTree& node : m_tree.nodes) {
            for (const ValueTree& result : node.results)
                if (!result.name.empty())
                    add(result.name, result.span);
            if (!node.name.empty() && !node.constant)
                add(node.name, node.span);
        }
    }

    std::string freshName(const std::string& wish) {
        std::string name = wish;
        for (int& i = m_counters[wish]; !m_names.insert(name).second;)
            name = fmt::format("{}_{}", wish, ++i);
        return name;
    }

    void define(const std::string& name, ValueRef value,
                const std::optional<std::vector<std::int64_t>>& origins) {
        if (!name.empty())
            m_values[name] = value;
        if (origins && value.valid())
            m_editor.setOrigins(value.node, *origins);
    }

    // Not valid where the value is wrong, which is told at its own place.
    Result<ValueRef> find(const ValueTree& tree) const {
        if (const auto found = m_values.find(tree.name); found != m_values.end())
            return found->second;
        if (m_names.contains(tree.name))
            return refuse(DiagCode::TextName,
                          quoteText(tree.name) + " is no value, or is used before it is computed",
                          tree.span);
        std::vector<std::string> known;
        for (const auto& [name, value] : m_values)
            known.push_back(name);
        return refuse(DiagCode::TextName, "there is no value " + quoteText(tree.name), tree.span,
                      didYouMean(tree.name, known));
    }

    // "; here N is 5": the given sizes that a condition names.
    std::string sizesIn(const Tree& condition) const {
        std::set<std::string> names;
        const auto collect = [&](const auto& self, const Tree& tree) -> void {
            if (tree.isName() && m_options.dims.contains(tree.text))
                names.insert(tree.text);
            for (const Tree& part : tree.args)
                self(self, part);
        };
        collect(collect, condition);
        std::string out;
        for (const std::string& name : names)
            out += fmt::format("{}{} is {}", out.empty() ? "; here " : ", ", name,
                               m_options.dims.at(name));
        return out;
    }

    // Dimensions that were given a size may decide it here.
    Status assume(const GraphAssumptionTree& tree) {
        FW_TRY(const Expr condition, elaborateExpr(tree.condition, m_scope));
        if (condition.dtype() != DType::Bool || hasLoad(condition))
            return refuse(DiagCode::TextType, "what is assumed is a truth about dimensions",
                          tree.span, "assume N == M");
        const std::string sentence =
            tree.sentence.empty() ? condition.text() + " must hold" : tree.sentence;
        const std::optional<bool> holds = decide(condition);
        if (holds && !*holds)
            return makeDiag(DiagCode::ShapeMismatch, sentence + sizesIn(tree.condition),
                            {m_file, tree.node, tree.span.line, tree.span.column});
        if (!holds)
            m_editor.assume({condition, sentence, tree.node});
        return {};
    }

    Status addConstant(const GraphNodeTree& node) {
        if (node.results.size() != 1)
            return refuse(DiagCode::OperatorArity, "a constant is one value", node.span);
        if (m_constants == Constants::Ignored && node.constant->kind != ConstantKind::Inline) {
            FW_TRY(const TensorType type, typeFromTree(node.types.at(0), m_scope));
            if (Result<std::vector<std::int64_t>> extents = constantExtents(type); !extents)
                return extents.takeDiag().at(at(node.span));
            define(node.results[0].name, m_editor.addInput(node.results[0].name, type),
                   node.origins);
            return {};
        }
        FW_TRY(TensorData data, m_data.constant(node));
        define(node.results[0].name, m_editor.addConstant(node.results[0].name, std::move(data)),
               node.origins);
        return {};
    }

    // What can be said of a call without the types of its operands.
    bool isSound(const GraphNodeTree& tree, const Operator* op) {
        const std::size_t before = m_errors.size();
        if (op == nullptr) {
            std::vector<std::string> names;
            for (const Operator* known : m_operators->all())
                names.push_back(known->name());
            const bool standsForCalls = m_operators->findReader(tree.op) != nullptr;
            note(refuse(DiagCode::UnknownOperator,
                        standsForCalls ? tree.op + " stands for calls of others and is in no graph"
                                       : "there is no operator named " + tree.op,
                        tree.opSpan,
                        standsForCalls ? "write the calls of its body"
                        : tree.op == "const"
                            ? "a constant is written const [1, 2] : f32[2]"
                            : didYouMean(tree.op, names, "fw ops lists the operators")));
            return false;
        }
        if (const Arity arity = op->arity(); !arity.takes(tree.operands.size()))
            note(refuse(
                DiagCode::OperatorArity,
                fmt::format("{} has {}, not {}", tree.op, arity.text(), tree.operands.size()),
                tree.opSpan, op->signature()));
        for (const TreeAttr& attr : tree.attrs)
            if (!op->attrType(attr.name))
                note(refuse(
                    DiagCode::TextName, tree.op + " has no attribute " + attr.name, attr.span,
                    didYouMean(attr.name, op->attrNames(), "fw ops " + tree.op + " lists them")));
        return m_errors.size() == before;
    }

    // `sound`: nothing wrong was noted; what is sound is looked at further.
    Status readOperands(const GraphNodeTree& tree, GraphEditor::NewNode& wish, bool& sound) {
        std::vector<std::size_t> numbers;
        for (const ValueTree& operand : tree.operands) {
            if (isNumber(operand))
                numbers.push_back(wish.inputs.size());
            const bool none = operand.name.empty() || isNumber(operand);
            const Result<ValueRef> value = none ? ValueRef() : find(operand);
            if (!value)
                note(value.diag());
            sound = sound && value && (value->valid() || none);
            wish.inputs.push_back(value ? *value : ValueRef());
        }
        if (sound && !numbers.empty()) {
            FW_CHECK(addNumbers(tree, numbers, wish));
        }
        return {};
    }

    void readAttributes(const GraphNodeTree& tree, GraphEditor::NewNode& wish, bool& sound) {
        for (const TreeAttr& attr : tree.attrs) {
            if (wish.attrs.has(attr.name))
                note(refuse(DiagCode::TextName, "the attribute " + attr.name + " is written twice",
                            attr.span));
            Result<AttrValue> value = m_data.attribute(attr.value);
            if (!value)
                note(value.diag());
            sound = sound && value;
            wish.attrs.set(attr.name, value ? std::move(*value) : AttrValue());
        }
    }

    Status describeUnknown(const GraphNodeTree& tree, GraphEditor::NewNode& wish) {
        wish.attrs.set("domain", tree.domain);
        wish.attrs.set("op_type", tree.type);
        for (const TypeTree& type : tree.types) {
            FW_TRY(TensorType declared, typeFromTree(type, m_scope));
            wish.declaredTypes.push_back(std::move(declared));
        }
        FW_CHECK(giveTypes(tree, wish));
        return {};
    }

    Status addCall(const GraphNodeTree& tree) {
        if (tree.op == "input" || tree.op == "constant")
            return refuse(DiagCode::UnknownOperator, tree.op + " cannot be called", tree.span,
                          "write an input in the parentheses, a constant as const");
        GraphEditor::NewNode wish;
        wish.op = tree.op;
        wish.name = tree.name.empty() ? freshName(tree.op) : tree.name;
        bool sound = isSound(tree, m_operators->find(tree.op));
        FW_CHECK(readOperands(tree, wish, sound));
        readAttributes(tree, wish, sound);
        if (tree.op == "unknown")
            FW_CHECK(describeUnknown(tree, wish));
        for (const ValueTree& result : tree.results)
            wish.outputNames.push_back(result.name.empty() ? freshName(wish.name + ".unread")
                                                           : result.name);
        for (const GraphBodyTree& body : tree.bodies) {
            std::optional<Body> made = bodyOf(body, wish.inputs.size());
            sound = sound && made;
            if (made)
                wish.bodies.push_back(std::move(*made));
        }
        if (!sound)
            return {}; // told already
        Result<std::vector<ValueRef>> values = m_editor.add(std::move(wish));
        if (!values)
            return values.takeDiag().at(at(tree.span));
        if (values->size() != tree.results.size())
            return refuse(DiagCode::OperatorArity,
                          fmt::format("{} has {} result{}, {} are named", tree.op, values->size(),
                                      values->size() == 1 ? "" : "s", tree.results.size()),
                          tree.span);
        for (std::size_t i = 0; i < values->size(); ++i)
            define(tree.results[i].name, (*values)[i], tree.origins);
        return {};
    }

    bool isNumber(const ValueTree& operand) const {
        return operand.number && (operand.name.empty() || !m_names.contains(operand.name));
    }

    // Each is a constant of the element type that the operands beside it give it.
    Status addNumbers(const GraphNodeTree& tree, const std::vector<std::size_t>& numbers,
                      GraphEditor::NewNode& wish) {
        const Operator* op = m_operators->find(tree.op);
        if (op == nullptr || tree.op == "unknown")
            return refuse(DiagCode::DtypeMismatch,
                          "nothing says of which element type a number is for an unknown operator",
                          tree.operands[numbers.front()].span, "write a constant before it");
        std::vector<std::optional<DType>> types;
        for (const ValueRef in : wish.inputs)
            types.push_back(in.valid() ? std::optional(m_editor.type(in).dtype) : std::nullopt);
        for (const std::size_t i : numbers) {
            const ValueTree& operand = tree.operands[i];
            Result<DType> dtype = typeOfNumber(*op, types, i);
            if (!dtype)
                return dtype.takeDiag().at(at(operand.span));
            Tree list;
            list.kind = TreeKind::List;
            list.span = operand.span;
            list.args = {*operand.number};
            FW_TRY(TensorData data, tensorFromTree({*dtype, {}}, list, m_file));
            wish.inputs[i] = m_editor.addConstant(freshName("scalar"), std::move(data));
        }
        return {};
    }

    // Results of which nothing infers the type may be told by the options.
    Status giveTypes(const GraphNodeTree& tree, GraphEditor::NewNode& wish) {
        for (std::size_t i = 0; i < std::min(tree.results.size(), wish.declaredTypes.size()); ++i) {
            const auto given = m_options.types.find(tree.results[i].name);
            if (m_isBody || given == m_options.types.end())
                continue;
            FW_TRY(const TypeTree type, parseTypeTree(given->second, given->first));
            FW_TRY(wish.declaredTypes[i], typeFromTree(type, m_scope));
            m_typed.insert(given->first);
            for (const char* key : {untypedOutputsKey, unrankedOutputsKey})
                if (const AttrValue* value = wish.attrs.find(key))
                    if (const auto* outputs = std::get_if<Integers>(value)) {
                        Integers rest = *outputs;
                        std::erase(rest, static_cast<std::int64_t>(i));
                        wish.attrs.set(key, std::move(rest));
                    }
        }
        return {};
    }

    // Nothing where it is wrong, which is noted.
    std::optional<Body> bodyOf(const GraphBodyTree& tree, std::size_t operands) {
        GraphReader inside(*tree.graph, *this);
        const Result<GraphPtr> graph = inside.run();
        for (const Diag& diag : inside.takeErrors())
            note(diag);
        Body out;
        out.name = tree.name.name;
        bool sound = graph.ok();
        for (const std::int64_t operand : tree.operands) {
            if (operand >= static_cast<std::int64_t>(operands)) {
                note(refuse(DiagCode::OperatorArity, fmt::format("there is no operand {}", operand),
                            tree.name.span, "operands are counted from 0"));
                sound = false;
            }
            out.operands.push_back(static_cast<int>(operand));
        }
        if (!sound)
            return std::nullopt;
        out.graph = *graph;
        return out;
    }

    const GraphTree& m_tree;
    const GraphTextOptions& m_options;
    const std::string& m_file;
    std::shared_ptr<const OperatorSet> m_operators;
    GraphEditor m_editor;
    ExprScope m_scope;
    GraphValues m_data{m_options, m_scope};
    Constants m_constants;
    bool m_isBody = false;
    Diags m_errors;
    std::set<std::string> m_typed; // results that the options gave a type
    std::set<std::string> m_ownUsed;
    std::set<std::string>& m_used; // of the given dimensions
    std::set<std::string> m_free;  // dimensions that have no size
    std::set<std::string> m_names;
    std::map<std::string, int> m_counters;
    std::map<std::string, ValueRef> m_values;
};

} // namespace

Result<GraphPtr> elaborateGraph(const GraphTree& tree, std::shared_ptr<const OperatorSet> operators,
                                const GraphTextOptions& options) {
    GraphReader reader(tree, std::move(operators), options);
    Result<GraphPtr> out = reader.run();
    if (options.errors != nullptr && !out)
        *options.errors = reader.takeErrors();
    return out;
}

Diags checkGraph(const GraphTree& tree, std::shared_ptr<const OperatorSet> operators,
                 const std::string& file) {
    GraphTextOptions options;
    options.file = file;
    GraphReader reader(tree, std::move(operators), options, Constants::Ignored);
    const Result<GraphPtr> made = reader.run();
    return made ? Diags() : reader.takeErrors();
}

Result<GraphPtr> parseGraph(std::string_view text, std::shared_ptr<const OperatorSet> operators,
                            const GraphTextOptions& options) {
    const std::string& file = options.file;
    const FileTree tree = parseFile(text, file);
    if (!tree.errors.empty()) {
        if (options.errors != nullptr)
            *options.errors = tree.errors;
        return tree.errors.front();
    }
    const auto graphs = each<GraphTree>(tree.declarations);
    if (graphs.size() > 1)
        return makeDiag(DiagCode::Syntax, "a second graph, " + graphs[1]->name,
                        {file, {}, graphs[1]->span.line, graphs[1]->span.column},
                        "one text holds one graph");
    if (graphs.empty())
        return makeDiag(DiagCode::Syntax, "the text holds no graph", {file},
                        tree.declarations.empty()
                            ? "graph NAME(x: f32[1, 4]) -> y { ... }"
                            : "a book is opened beside a model: --rules BOOK.fw, in the window "
                              "Rules > Open book (Ctrl+Shift+O)");
    return elaborateGraph(*graphs.front(), std::move(operators), options);
}

} // namespace fw
