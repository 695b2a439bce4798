// From the tree of a graph to the graph.
#include "ir/graph_text.h"
#include "ir/missing_type.h"
#include "ir/tensor_text.h"

#include "expr/parse.h"
#include "expr/simplify.h"
#include "syntax/parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace fw {

namespace {

class GraphReader {
public:
    // `used` takes the given dimensions that occur; nullptr if nobody else asks for them.
    GraphReader(const GraphTree& tree, std::shared_ptr<const OperatorSet> operators,
                const GraphTextOptions& options, std::set<std::string>* used = nullptr)
        : m_tree(tree), m_options(options), m_file(options.file), m_operators(operators),
          m_editor(std::move(operators), tree.name), m_isBody(used != nullptr),
          m_used(used != nullptr ? *used : m_ownUsed) {
        m_scope.file = m_file;
        m_scope.variable = [this](const std::string& name) -> std::optional<Expr> {
            const auto given = m_options.dims.find(name);
            if (given == m_options.dims.end())
                return varExpr(Symbol(name));
            m_used.insert(name);
            return intExpr(given->second);
        };
    }

    Result<GraphPtr> run() {
        FW_CHECK(collectNames());
        for (const GraphInputTree& input : m_tree.inputs) {
            FW_TRY(TensorType type, typeFromTree(input.type, m_scope));
            const ValueRef value = m_editor.addInput(input.value.name, std::move(type));
            define(input.value.name, value, input.origins);
        }
        for (const GraphAssumptionTree& assumption : m_tree.assumptions)
            FW_CHECK(assume(assumption));
        for (const GraphNodeTree& node : m_tree.nodes)
            FW_CHECK(node.constant ? addConstant(node) : addCall(node));
        if (m_tree.results.empty())
            return makeDiag(DiagCode::Syntax, "a graph needs a result", at(m_tree.span));
        for (const GraphResultTree& result : m_tree.results) {
            FW_TRY(const ValueRef value, find(result.value));
            m_editor.addResult(result.name, value);
        }
        for (const auto& [name, value] : m_options.dims)
            if (!m_isBody && !m_used.contains(name))
                return makeDiag(DiagCode::UnknownName, "there is no free dimension " + name,
                                {m_file});
        for (const auto& [name, type] : m_options.types)
            if (!m_isBody && !m_typed.contains(name))
                return makeDiag(DiagCode::UnknownName, "no unknown operator gives " + name,
                                {m_file}, "a type is given to what nothing infers (fw info)");
        return m_editor.finish(m_options.origins);
    }

private:
    Where at(const Span& span) const { return {m_file, {}, span.line, span.column}; }

    Diag refuse(DiagCode code, std::string message, const Span& span, std::string hint = {}) const {
        return makeDiag(code, std::move(message), at(span), std::move(hint));
    }

    // Names as written are kept, so nodes without a name must not take one of them.
    Status collectNames() {
        const auto add = [&](const std::string& name, const Span& span) -> Status {
            if (!m_names.insert(name).second)
                return refuse(DiagCode::TextName, "the name " + quoteText(name) + " is used twice",
                              span);
            return {};
        };
        for (const GraphInputTree& input : m_tree.inputs)
            FW_CHECK(add(input.value.name, input.value.span));
        for (const GraphNodeTree& node : m_tree.nodes) {
            for (const ValueTree& result : node.results)
                FW_CHECK(add(result.name, result.span));
            if (!node.name.empty() && !node.constant)
                FW_CHECK(add(node.name, node.span));
        }
        return {};
    }

    std::string freshName(const std::string& wish) {
        std::string name = wish;
        for (int& i = m_counters[wish]; !m_names.insert(name).second;)
            name = fmt::format("{}_{}", wish, ++i);
        return name;
    }

    void define(const std::string& name, ValueRef value,
                const std::optional<std::vector<std::int64_t>>& origins) {
        m_values[name] = value;
        if (origins)
            m_editor.setOrigins(value.node, *origins);
    }

    Result<ValueRef> find(const ValueTree& tree) const {
        if (const auto found = m_values.find(tree.name); found != m_values.end())
            return found->second;
        if (m_names.contains(tree.name))
            return refuse(DiagCode::TextName,
                          quoteText(tree.name) + " is no value, or is used before it is computed",
                          tree.span);
        return refuse(DiagCode::TextName, "there is no value " + quoteText(tree.name), tree.span);
    }

    Result<TensorData> resolve(const std::string& name, const std::string& hash,
                               const TensorType& type, const Span& span) const {
        std::optional<TensorData> data =
            m_options.constants ? m_options.constants(name, hash, type) : std::nullopt;
        if (!data)
            return refuse(DiagCode::UnknownName,
                          "the constant " + quoteText(name) + " is not part of this text", span,
                          "only its name and hash are written; open the model it came from, or "
                          "write random(SEED)");
        if (!(data->type() == type))
            return refuse(DiagCode::ShapeMismatch,
                          fmt::format("the constant {} is {}, not {}", quoteText(name),
                                      data->type().text(), type.text()),
                          span);
        if (!hash.empty() && data->hash().hex() != hash)
            return refuse(DiagCode::InputMismatch,
                          "the constant " + quoteText(name) + " has another content", span);
        return std::move(*data);
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

    Result<TensorData> constantData(const GraphNodeTree& node) const {
        FW_TRY(const TensorType type, typeFromTree(node.types.at(0), m_scope));
        switch (node.constant->kind) {
        case ConstantKind::Inline:
            return tensorFromTree(type, node.constant->elements, m_file);
        case ConstantKind::Random: {
            Result<std::vector<std::int64_t>> extents = constantExtents(type);
            if (!extents)
                return extents.takeDiag().at(at(node.span));
            if (type.dtype == DType::Text)
                return refuse(DiagCode::TextType, "there is no random text", node.span);
            return randomData(type.dtype, std::move(*extents),
                              static_cast<std::uint64_t>(node.constant->seed));
        }
        case ConstantKind::Reference:
            return resolve(node.constant->name, node.constant->hash, type, node.span);
        }
        return refuse(DiagCode::Internal, "a constant of no kind", node.span);
    }

    Status addConstant(const GraphNodeTree& node) {
        if (node.results.size() != 1)
            return refuse(DiagCode::OperatorArity, "a constant is one value", node.span);
        FW_TRY(TensorData data, constantData(node));
        define(node.results[0].name, m_editor.addConstant(node.results[0].name, std::move(data)),
               node.origins);
        return {};
    }

    Status addCall(const GraphNodeTree& tree) {
        if (tree.op == "input" || tree.op == "constant")
            return refuse(DiagCode::UnknownOperator, tree.op + " cannot be called", tree.span,
                          "write an input in the parentheses, a constant as const");
        GraphEditor::NewNode wish;
        wish.op = tree.op;
        wish.name = tree.name.empty() ? freshName(tree.op) : tree.name;
        for (const ValueTree& operand : tree.operands) {
            ValueRef value;
            if (!operand.name.empty()) {
                FW_TRY(value, find(operand));
            }
            wish.inputs.push_back(value);
        }
        for (const TreeAttr& attr : tree.attrs) {
            if (wish.attrs.has(attr.name))
                return refuse(DiagCode::TextName,
                              "the attribute " + attr.name + " is written twice", attr.span);
            FW_TRY(AttrValue value, attribute(attr.value));
            wish.attrs.set(attr.name, std::move(value));
        }
        if (tree.op == "unknown") {
            wish.attrs.set("domain", tree.domain);
            wish.attrs.set("op_type", tree.type);
            for (const TypeTree& type : tree.types) {
                FW_TRY(TensorType declared, typeFromTree(type, m_scope));
                wish.declaredTypes.push_back(std::move(declared));
            }
            FW_CHECK(giveTypes(tree, wish));
        }
        for (const ValueTree& result : tree.results)
            wish.outputNames.push_back(result.name);
        for (const GraphBodyTree& body : tree.bodies) {
            FW_TRY(Body made, bodyOf(body, wish.inputs.size()));
            wish.bodies.push_back(std::move(made));
        }
        Result<std::vector<ValueRef>> values = m_editor.add(std::move(wish));
        if (!values)
            return values.takeDiag().at(at(tree.span));
        if (values->size() != tree.results.size())
            return refuse(DiagCode::OperatorArity,
                          fmt::format("{} has {} results, {} are named", tree.op, values->size(),
                                      tree.results.size()),
                          tree.span);
        for (std::size_t i = 0; i < values->size(); ++i)
            define(tree.results[i].name, (*values)[i], tree.origins);
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

    Result<Body> bodyOf(const GraphBodyTree& tree, std::size_t operands) {
        Body out;
        out.name = tree.name.name;
        FW_TRY(out.graph, GraphReader(*tree.graph, m_operators, m_options, &m_used).run());
        for (const std::int64_t operand : tree.operands) {
            if (operand >= static_cast<std::int64_t>(operands))
                return refuse(DiagCode::OperatorArity,
                              fmt::format("there is no operand {}", operand), tree.name.span,
                              "operands are counted from 0");
            out.operands.push_back(static_cast<int>(operand));
        }
        return out;
    }

    // tensor(f32[2], [1, 2]) or tensor(f32[1000], "hash")
    Result<AttrValue> tensorAttribute(const Tree& tree) const {
        if (tree.args.size() != 2 || tree.args[0].kind != TreeKind::Index)
            return refuse(DiagCode::TextType, "tensor needs a type and its elements", tree.span);
        TypeTree written;
        written.dtype = tree.args[0].text;
        written.span = tree.args[0].span;
        for (const Tree& dim : tree.args[0].args)
            written.dims.push_back({dim, {}});
        FW_TRY(const TensorType type, typeFromTree(written, m_scope));
        if (tree.args[1].kind == TreeKind::Text) {
            FW_TRY(TensorData data, resolve({}, tree.args[1].text, type, tree.span));
            return AttrValue(std::move(data));
        }
        FW_TRY(TensorData data, tensorFromTree(type, tree.args[1], m_file));
        return AttrValue(std::move(data));
    }

    Result<AttrValue> attribute(const Tree& tree) const {
        if (const auto integer = integerFromTree(tree))
            return AttrValue(*integer);
        if (const auto real = numberFromTree(tree))
            return AttrValue(*real);
        if (tree.kind == TreeKind::Text)
            return AttrValue(tree.text);
        if (tree.isName())
            if (const auto dtype = parseDtype(tree.text))
                return AttrValue(*dtype);
        if (tree.isCall("tensor"))
            return tensorAttribute(tree);
        if (tree.kind == TreeKind::List)
            return listAttribute(tree);
        return refuse(DiagCode::TextType, "this is no value of an attribute", tree.span,
                      "a number, a text, an element type or a list");
    }

    Result<AttrValue> listAttribute(const Tree& tree) const {
        const auto all = [&](auto test) {
            return std::all_of(tree.args.begin(), tree.args.end(), test);
        };
        if (all([](const Tree& part) { return integerFromTree(part).has_value(); })) {
            Integers list;
            for (const Tree& part : tree.args)
                list.push_back(*integerFromTree(part));
            return AttrValue(std::move(list));
        }
        if (all([](const Tree& part) { return numberFromTree(part).has_value(); })) {
            Reals list;
            for (const Tree& part : tree.args)
                list.push_back(*numberFromTree(part));
            return AttrValue(std::move(list));
        }
        if (all([](const Tree& part) { return part.kind == TreeKind::Text; })) {
            Texts list;
            for (const Tree& part : tree.args)
                list.push_back(part.text);
            return AttrValue(std::move(list));
        }
        Exprs list;
        for (const Tree& part : tree.args) {
            FW_TRY(Expr value, elaborateExpr(part, m_scope));
            if (value.dtype() != DType::I64 || hasLoad(value))
                return refuse(DiagCode::TextType, "a list holds numbers, texts or dimensions",
                              part.span);
            list.push_back(std::move(value));
        }
        return AttrValue(std::move(list));
    }

    const GraphTree& m_tree;
    const GraphTextOptions& m_options;
    const std::string& m_file;
    std::shared_ptr<const OperatorSet> m_operators;
    GraphEditor m_editor;
    ExprScope m_scope;
    bool m_isBody;
    std::set<std::string> m_typed; // results that the options gave a type
    std::set<std::string> m_ownUsed;
    std::set<std::string>& m_used; // of the given dimensions
    std::set<std::string> m_names;
    std::map<std::string, int> m_counters;
    std::map<std::string, ValueRef> m_values;
};

} // namespace

ConstantResolver constantsOf(const Graph& graph) {
    const auto find = [](const auto& self, const Graph& in, const std::string& name,
                         const std::string& hash,
                         const TensorType& type) -> std::optional<TensorData> {
        const auto fits = [&](const TensorData& data, const std::string& held) {
            return data.type() == type && (hash.empty() ? held == name : data.hash().hex() == hash);
        };
        for (const NodePtr& node : in.nodes()) {
            if (node->data && fits(*node->data, node->name))
                return *node->data;
            for (const auto& [key, value] : node->attrs)
                if (const auto* data = std::get_if<TensorData>(&value);
                    data != nullptr && !hash.empty() && fits(*data, {}))
                    return *data;
            for (const Body& body : node->bodies)
                if (auto inner = self(self, *body.graph, name, hash, type))
                    return inner;
        }
        return std::nullopt;
    };
    return [&graph, find](const std::string& name, const std::string& hash,
                          const TensorType& type) { return find(find, graph, name, hash, type); };
}

Result<GraphPtr> elaborateGraph(const GraphTree& tree, std::shared_ptr<const OperatorSet> operators,
                                const GraphTextOptions& options) {
    return GraphReader(tree, std::move(operators), options).run();
}

Result<GraphPtr> parseGraph(std::string_view text, std::shared_ptr<const OperatorSet> operators,
                            const GraphTextOptions& options) {
    const std::string& file = options.file;
    const FileTree tree = parseFile(text, file);
    if (!tree.errors.empty())
        return tree.errors.front();
    std::shared_ptr<const GraphTree> graph;
    for (const DeclarationPtr& declaration : tree.declarations)
        if (auto next = declarationAs<GraphTree>(declaration)) {
            if (graph)
                return makeDiag(DiagCode::Syntax, "a second graph, " + next->name,
                                {file, {}, next->span.line, next->span.column},
                                "one text holds one graph");
            graph = std::move(next);
        }
    if (!graph)
        return makeDiag(DiagCode::Syntax, "the text holds no graph", {file},
                        tree.declarations.empty()
                            ? "graph NAME(x: f32[1, 4]) -> y { ... }"
                            : "a book is opened beside a model: --rules BOOK.fw, in the window "
                              "Rules > Open book (Ctrl+Shift+O)");
    return elaborateGraph(*graph, std::move(operators), options);
}

} // namespace fw
