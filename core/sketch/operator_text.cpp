#include "sketch/operator_text.h"

#include "expr/simplify.h"
#include "sketch/pattern_text.h"
#include "strategy/group_body.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace fw {

namespace {

using Types = std::map<ValueRef, TensorType>; // of the operands of a part

// The part as a graph of its own on operands of these types.
struct PartGraph {
    GraphPtr graph;
    std::map<ValueRef, ValueRef> values; // of the part -> of the graph
};

Result<PartGraph> apart(const SketchPart& part, const Types& types) {
    PartGraph out;
    GraphEditor editor(part.graph->operatorSet(), "part");
    for (const ValueRef& operand : part.operands) {
        const TensorData* data = part.graph->constant(operand);
        out.values[operand] = data != nullptr && data->count() == 1
                                  ? editor.addConstant(part.names.at(operand), *data)
                                  : editor.addInput(part.names.at(operand), types.at(operand));
    }
    for (const NodeId id : part.nodes) {
        const Node& node = part.node(id);
        GraphEditor::NewNode made;
        made.op = node.op;
        made.attrs = node.attrs;
        for (const ValueRef& operand : node.inputs)
            made.inputs.push_back(operand.valid() ? out.values.at(operand) : ValueRef{});
        FW_TRY(const std::vector<ValueRef> results, editor.add(std::move(made)));
        for (std::size_t i = 0; i < results.size(); ++i)
            out.values[{id, static_cast<int>(i)}] = results[i];
    }
    for (const ValueRef& result : part.results)
        editor.addResult(part.names.at(result), out.values.at(result));
    FW_TRY(out.graph, editor.finish());
    return out;
}

// Sizes that the operators want equal, or 1, are made so; what nothing is asked of stays free.
class Sizes {
public:
    explicit Sizes(const SketchPart& part) : m_part(part) {
        int count = 0;
        for (const ValueRef& operand : part.operands) {
            TensorType type = part.graph->type(operand);
            for (Dim& dim : type.shape) {
                const Symbol name(fmt::format("size{}", count++));
                m_here.emplace(name, dim);
                dim = varExpr(name);
            }
            m_types.emplace(operand, std::move(type));
        }
    }

    // nullopt: the operators want numbers.
    std::optional<Types> find() {
        for (std::size_t round = 0; round <= 2 * m_here.size(); ++round) {
            Result<PartGraph> made = apart(m_part, m_types);
            if (!made)
                return std::nullopt;
            if (settle(*made->graph))
                continue;
            if (const auto size = readTooEarly())
                become(*size, m_here.at(*size));
            else
                return isPlain(*made->graph) ? std::optional(m_types) : std::nullopt;
        }
        return std::nullopt;
    }

private:
    Expr here(const Expr& e) const { return simplify(substitute(e, m_here)); }

    // One more equation among sizes is taken up; those between two sizes before those with numbers.
    // Where it is about a product, as of a reshape, its sizes are those that they are here.
    bool settle(const Graph& graph) {
        std::optional<std::pair<Symbol, Expr>> found, product;
        const auto look = [&](const Expr& e) {
            visitExpr(e, [&](const Expr& part) {
                if (part.op() != ExprOp::Eq || !(here(part.arg(0)) == here(part.arg(1))))
                    return;
                for (const auto& [left, right] :
                     {std::pair(part.arg(0), part.arg(1)), std::pair(part.arg(1), part.arg(0))})
                    if (left.isVar() && !usesVar(right, left->symbol) &&
                        (!found || (!found->second.isVar() && right.isVar())))
                        found = {left->symbol, right};
                for (const Symbol size : freeVars(part))
                    if (const auto known = m_here.find(size); known != m_here.end())
                        product = {size, known->second};
            });
        };
        for (const Assumption& assumption : graph.assumptions())
            look(assumption.condition);
        for (const NodePtr& node : graph.nodes())
            for (const Output& output : node->outputs)
                for (const Dim& dim : output.type.shape)
                    look(dim);
        if (!found)
            found = product;
        if (!found)
            return false;
        become(found->first, found->second);
        return true;
    }

    void become(Symbol size, const Expr& value) {
        for (auto& [operand, type] : m_types)
            for (Dim& dim : type.shape)
                dim = simplify(substitute(dim, {{size, value}}));
    }

    // A size of which something is computed before an operand has it as it is: names of a signature
    // are bound from left to right.
    std::optional<Symbol> readTooEarly() const {
        std::set<Symbol> bound;
        for (const ValueRef& operand : m_part.operands)
            for (const Dim& dim : m_types.at(operand).shape) {
                if (dim.isVar())
                    bound.insert(dim->symbol);
                for (const Symbol size : freeVars(dim))
                    if (!bound.contains(size) && m_here.contains(size))
                        return size;
            }
        return std::nullopt;
    }

    // A size that depends on a comparison is no size of one operator.
    static bool isPlain(const Graph& graph) {
        bool plain = true;
        for (const NodePtr& node : graph.nodes())
            for (const Output& output : node->outputs)
                for (const Dim& dim : output.type.shape)
                    visitExpr(dim,
                              [&](const Expr& e) { plain = plain && e.op() != ExprOp::Select; });
        return plain;
    }

    const SketchPart& m_part;
    Types m_types;
    Substitution m_here; // what each size is in the part
};

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

// A tensor that several stages write, one behind the other along an axis, as the language has it:
// each piece by itself, then one statement that picks the piece. Usage where they lie otherwise.
Result<OpInst> inOnePiece(OpInst inst) {
    std::map<Symbol, std::vector<std::size_t>> writers;
    for (std::size_t i = 0; i < inst.stages.size(); ++i)
        writers[inst.stages[i].out].push_back(i);
    std::vector<Stage> stages;
    std::map<Symbol, std::vector<std::pair<Expr, Expr>>> written; // pieces so far: where, what
    std::map<Symbol, std::pair<std::size_t, Expr>> ends;          // of the last one: axis, end
    const auto noText = [](Symbol tensor) {
        return makeDiag(DiagCode::Usage,
                        fmt::format("{} is written in a way that has no text", tensor.text()), {},
                        "select the operators around what makes it");
    };
    for (std::size_t i = 0; i < inst.stages.size(); ++i) {
        Stage stage = inst.stages[i];
        const std::vector<std::size_t>& all = writers.at(stage.out);
        if (all.size() == 1) {
            stages.push_back(std::move(stage));
            continue;
        }
        const TensorDecl whole = *inst.find(stage.out);
        Substitution first; // every variable 0: where the piece begins
        for (const Axis& axis : stage.space)
            first.emplace(axis.var, Expr(0));
        Exprs inside;
        Expr within = intExpr(1, DType::Bool);
        std::vector<Axis> axes;
        TensorDecl piece{Symbol(fmt::format("{}_{}", whole.name.text(), i)),
                         {whole.type.dtype, {}}};
        Exprs store;
        for (std::size_t d = 0; d < stage.store.size(); ++d) {
            const Symbol variable(fmt::format("{}_axis{}", whole.name.text(), d));
            const Expr begin = simplify(substitute(stage.store[d], first));
            const auto axis =
                std::find_if(stage.space.begin(), stage.space.end(), [&](const Axis& one) {
                    return simplify(stage.store[d] - varExpr(one.var)) == begin;
                });
            if (axis == stage.space.end())
                return noText(whole.name);
            piece.type.shape.push_back(axis->extent);
            store.push_back(varExpr(axis->var));
            axes.push_back({variable, whole.type.shape[d]});
            inside.push_back(simplify(varExpr(variable) - begin));
            if (begin.isInt(0) && axis->extent == whole.type.shape[d])
                continue;
            const Expr end = simplify(begin + axis->extent);
            const auto last = ends.find(whole.name);
            const bool follows =
                last == ends.end() ? begin.isInt(0) : last->second == std::pair(d, begin);
            if (!within.isInt(1) || !follows)
                return noText(whole.name);
            within = ltExpr(varExpr(variable), end);
            ends.insert_or_assign(whole.name, std::pair(d, end));
        }
        const Expr read = padExpr(loadExpr(piece.name, inside, whole.type.dtype),
                                  constantExpr(0, whole.type.dtype));
        stage.out = piece.name;
        stage.store = std::move(store);
        stages.push_back(stage);
        inst.temporaries.push_back(piece);
        std::vector<std::pair<Expr, Expr>>& pieces = written[whole.name];
        pieces.emplace_back(within, read);
        if (i != all.back())
            continue;
        Expr value = pieces.back().second;
        for (std::size_t k = pieces.size() - 1; k-- > 0;)
            value = selectExpr(pieces[k].first, pieces[k].second, value);
        Stage join;
        join.out = whole.name;
        join.space = axes;
        for (const Axis& axis : axes)
            join.store.push_back(varExpr(axis.var));
        join.body = value;
        stages.push_back(std::move(join));
    }
    inst.stages = std::move(stages);
    return inst;
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
void giveNames(Types& types, const std::vector<ValueRef>& operands, SizeNames& names) {
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

} // namespace

Result<OperatorText> operatorText(const SketchPart& part, const std::string& name) {
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
    std::set<std::string> tensors;
    for (const auto& [value, own] : part.names)
        tensors.insert(own);
    SizeNames names(tensors);
    OperatorText out;
    Types types;
    if (auto found = Sizes(part).find()) {
        types = std::move(*found);
        out.anySize = true;
    } else {
        for (const ValueRef& operand : part.operands)
            types.emplace(operand, part.graph->type(operand));
    }
    giveNames(types, part.operands, names);
    FW_TRY(const PartGraph made, apart(part, types));
    for (const ValueRef& operand : part.operands)
        out.types[operand] = made.graph->type(made.values.at(operand)).text();

    GroupSite site;
    site.graph = made.graph.get();
    site.name = name;
    std::vector<NodeId> nodes;
    for (const NodePtr& node : made.graph->nodes())
        if (!node->isLeaf())
            nodes.push_back(node->id);
    std::vector<ValueRef> inputs, outputs;
    for (const NodeId id : nodes)
        for (const ValueRef& operand : made.graph->node(id).inputs)
            if (operand.valid() && made.graph->node(operand.node).isLeaf() &&
                std::find(inputs.begin(), inputs.end(), operand) == inputs.end())
                inputs.push_back(operand);
    for (const ValueRef& result : part.results)
        outputs.push_back(made.values.at(result));
    site.nodes = nodes;
    site.anchor = nodes.back();
    site.inputs = inputs;
    site.outputs = outputs;
    site.layout = [](ValueRef) { return StorageMap{}; };
    site.mayReuse = [](ValueRef, ValueRef) { return false; };
    FW_TRY(const GroupBody body, groupBody(site));

    std::vector<std::pair<Symbol, Symbol>> tensorNames;
    std::vector<std::string> operandNames;
    for (std::size_t i = 0; i < body.operands.size(); ++i) {
        const ValueRef input = inputs[body.operands[i]];
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
