#include "sketch/operator_text.h"

#include "expr/simplify.h"
#include "sketch/part_sizes.h"
#include "sketch/pattern_text.h"
#include "sketch/pieces.h"
#include "strategy/group_body.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace fw {

namespace {

// Names of sizes: their letters, small, are no names of tensors, for an index runs over the size
// that is written like it.
class SizeNames {
public:
    explicit SizeNames(std::set<std::string> tensors) : m_taken(std::move(tensors)) {}

    std::string take() {
        constexpr std::string_view letters = "NCHWKMPQRSUVABDEFGLXYZ";
        for (;; ++m_next) {
            const std::size_t round = m_next / letters.size();
            const char letter = letters[m_next % letters.size()];
            const char lower = static_cast<char>(letter - 'A' + 'a');
            const std::string number = round == 0 ? std::string() : std::to_string(round + 1);
            if (m_taken.insert(lower + number).second)
                return letter + number;
        }
    }
    std::string takeVariable() {
        for (;; ++m_variables)
            if (const std::string name = fmt::format("i{}", m_variables);
                m_taken.insert(name).second)
                return name;
    }

private:
    std::set<std::string> m_taken;
    std::size_t m_next = 0;
    int m_variables = 0;
};

std::string lower(std::string name) {
    for (char& c : name)
        c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    return name;
}

class Writer {
public:
    Writer(const SketchPart& part, const OpInst& inst, SizeNames& names)
        : m_part(part), m_inst(inst), m_names(names) {}

    std::string write(const std::string& name, const std::vector<ValueRef>& operands,
                      const std::vector<std::string>& operandNames) {
        for (const Symbol dim : freeDimsOf(m_inst))
            m_sizes[varExpr(dim).text()].push_back(dim.text());
        std::vector<std::string> inputs, outputs;
        for (std::size_t i = 0; i < operands.size(); ++i)
            inputs.push_back(fmt::format("{}: {}", operandNames[i], m_inst.inputs[i].type.text()));
        for (const TensorDecl& output : m_inst.outputs)
            outputs.push_back(fmt::format("{}: {}", output.name.text(), typeText(output.type)));
        std::string body;
        for (const Stage& stage : m_inst.stages)
            body += "  " + statement(stage) + "\n";
        std::string where;
        for (const auto& [size, value] : m_where)
            where += fmt::format("{}{} = {}", where.empty() ? "\n  where " : ", ", size, value);
        const std::string results =
            outputs.size() == 1 ? outputs.front() : fmt::format("({})", fmt::join(outputs, ", "));
        return fmt::format("op {} \"{}\"\n  ({}) -> {}{} {{\n{}}}", name, about(),
                           fmt::join(inputs, ", "), results, where, body);
    }

private:
    std::string about() const {
        std::vector<std::string> ops;
        for (const NodeId id : m_part.nodes)
            ops.push_back(m_part.node(id).op);
        constexpr std::size_t most = 6;
        const bool many = ops.size() > most;
        if (many)
            ops.resize(most);
        return fmt::format("{}{} as one", fmt::join(ops, ", "), many ? ", ..." : "");
    }

    // The n-th name of a size; a `where` gives it one that it has not.
    std::string sizeName(const Dim& size, std::size_t n) {
        std::vector<std::string>& known = m_sizes[size.text()];
        while (known.size() <= n) {
            const std::string name = m_names.take();
            m_where.emplace_back(name, size.text());
            known.push_back(name);
        }
        return known[n];
    }

    std::string typeText(const TensorType& type) {
        TensorType named = type;
        for (Dim& dim : named.shape)
            if (!dim.isInt())
                dim = varExpr(Symbol(sizeName(dim, 0)));
        return named.text();
    }

    // A variable runs as far as a tensor that is read at it alone; where it does not, it is written
    // as a sum.
    Expr withOwnExtents(const Stage& stage, const Substitution& names) const {
        return mapExpr(stage.body, [&](const Expr& e) {
            const TensorDecl* read = e.op() == ExprOp::Load ? m_inst.find(e->symbol) : nullptr;
            if (read == nullptr)
                return e;
            Exprs indices = e.args();
            for (std::size_t d = 0; d < indices.size() && d < read->type.rank(); ++d)
                for (const Axis& axis : stage.space)
                    if (indices[d] == varExpr(axis.var) && !(axis.extent == read->type.shape[d]))
                        indices[d] = varExpr(Symbol(names.at(axis.var).text() + " + 0"));
            return loadExpr(e->symbol, std::move(indices), e.dtype());
        });
    }

    std::string statement(const Stage& stage) {
        Substitution variables;
        std::map<std::string, std::size_t> used; // names of a size in this statement
        for (const Axis& axis : stage.space)
            variables.emplace(
                axis.var,
                varExpr(Symbol(lower(sizeName(axis.extent, used[axis.extent.text()]++)))));
        std::vector<std::string> sums;
        for (const Axis& axis : stage.reduce) {
            const Symbol name(m_names.takeVariable());
            variables.emplace(axis.var, varExpr(name));
            sums.push_back(fmt::format("{} in {}", name.text(), axis.extent.text()));
        }
        std::vector<std::string> indices;
        for (const Expr& index : stage.store)
            indices.push_back(substitute(index, variables).text());
        const std::string value = substitute(withOwnExtents(stage, variables), variables).text();
        const bool output =
            std::any_of(m_inst.outputs.begin(), m_inst.outputs.end(),
                        [&](const TensorDecl& one) { return one.name == stage.out; });
        std::string right = stage.isMap() ? value
                                          : fmt::format("{}({} : {})", reducerText(stage.reducer),
                                                        fmt::join(sums, ", "), value);
        if (const DType stored = m_inst.find(stage.out)->type.dtype; stored != stage.body.dtype())
            right = fmt::format("cast({}, {})", right, dtypeText(stored));
        return fmt::format("{}{}[{}] = {}", output ? "" : "let ", stage.out.text(),
                           fmt::join(indices, ", "), right);
    }

    const SketchPart& m_part;
    const OpInst& m_inst;
    SizeNames& m_names;
    std::map<std::string, std::vector<std::string>> m_sizes; // by text: names that it has
    std::vector<std::pair<std::string, std::string>> m_where;
};

// As many names as there are free sizes, in the order in which the operands have them.
void giveNames(OperandTypes& types, const std::vector<ValueRef>& operands, SizeNames& names) {
    Substitution with;
    for (const ValueRef& operand : operands)
        for (const Dim& dim : types.at(operand).shape)
            for (const Symbol size : freeVars(dim))
                if (!with.contains(size))
                    with.emplace(size, varExpr(Symbol(names.take())));
    for (const ValueRef& operand : operands)
        for (Dim& dim : types.at(operand).shape)
            dim = substitute(dim, with);
}

// What one group of the whole part has.
struct WholePart {
    WholePart(const SketchPart& part, const PartGraph& made) {
        for (const NodePtr& node : made.graph->nodes())
            if (!node->isLeaf())
                nodes.push_back(node->id);
        for (const NodeId id : nodes)
            for (const ValueRef& operand : made.graph->node(id).inputs)
                if (operand.valid() && made.graph->node(operand.node).isLeaf() &&
                    std::find(inputs.begin(), inputs.end(), operand) == inputs.end())
                    inputs.push_back(operand);
        for (const ValueRef& result : part.results)
            outputs.push_back(made.values.at(result));
    }
    std::vector<NodeId> nodes;
    std::vector<ValueRef> inputs, outputs;
};

Status hasNoFreeAttributes(const SketchPart& part) {
    for (const NodeId id : part.nodes)
        for (const auto& [attribute, value] : part.node(id).attrs)
            if (const auto* sizes = std::get_if<Exprs>(&value);
                sizes != nullptr && std::any_of(sizes->begin(), sizes->end(),
                                                [](const Expr& size) { return !size.isInt(); }))
                return makeDiag(DiagCode::Usage,
                                fmt::format("{} of {} is of a free dimension, {}, which no "
                                            "operator of text can have",
                                            attribute, part.node(id).name, attrText(value)),
                                {{}, part.node(id).name}, "select the operators around it");
    return {};
}

} // namespace

Result<OperatorText> operatorText(const SketchPart& part, const std::string& name) {
    FW_CHECK(hasNoFreeAttributes(part));
    std::set<std::string> tensors;
    for (const auto& [value, own] : part.names)
        tensors.insert(own);
    SizeNames names(tensors);
    OperatorText out;
    OperandTypes types;
    if (auto found = freeSizes(part)) {
        types = std::move(*found);
        out.anySize = true;
    } else {
        for (const ValueRef& operand : part.operands)
            types.emplace(operand, part.graph->type(operand));
    }
    giveNames(types, part.operands, names);
    FW_TRY(const PartGraph made, partGraph(part, types));
    for (const ValueRef& operand : part.operands)
        out.types[operand] = made.graph->type(made.values.at(operand)).text();

    const WholePart whole(part, made);
    GroupSite site;
    site.graph = made.graph.get();
    site.name = name;
    site.nodes = whole.nodes;
    site.anchor = whole.nodes.back();
    site.inputs = whole.inputs;
    site.outputs = whole.outputs;
    site.layout = [](ValueRef) { return StorageMap{}; };
    site.mayReuse = [](ValueRef, ValueRef) { return false; };
    FW_TRY(const GroupBody body, groupBody(site));

    std::vector<std::pair<Symbol, Symbol>> tensorNames;
    std::vector<std::string> operandNames;
    for (std::size_t i = 0; i < body.operands.size(); ++i) {
        const ValueRef input = whole.inputs[body.operands[i]];
        for (const ValueRef& operand : part.operands)
            if (made.values.at(operand) == input) {
                out.operands.push_back(operand);
                operandNames.push_back(part.names.at(operand));
                tensorNames.emplace_back(body.inst.inputs[i].name, Symbol(operandNames.back()));
            }
    }
    for (std::size_t i = 0; i < part.results.size(); ++i)
        tensorNames.emplace_back(body.inst.outputs[i].name, Symbol(part.names.at(part.results[i])));
    for (const TensorDecl& inner : body.inst.temporaries) {
        std::string wish = inner.name.text();
        while (tensors.contains(wish))
            wish += "_";
        tensorNames.emplace_back(inner.name, Symbol(wish));
    }
    FW_TRY(const OpInst inst,
           inOnePiece(renamed(body.inst, tensorNames, [](Symbol variable) { return variable; })));
    out.text = Writer(part, inst, names).write(name, out.operands, operandNames);
    return out;
}

} // namespace fw
