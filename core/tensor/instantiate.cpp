#include "tensor/instantiate.h"

#include "expr/parse.h"
#include "expr/scalar.h"
#include "expr/simplify.h"
#include "tensor/bind_attributes.h"
#include "tensor/broadcast.h"
#include "tensor/reducible.h"
#include "tensor/requirement.h"
#include "tensor/safety.h"
#include "tensor/work_limit.h"
#include "tensor/writes.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>

namespace fw {

namespace {

// A tensor that a statement may read: its symbol and how patterns of indices meet it.
struct Readable {
    Symbol symbol;
    TensorType type;
    std::vector<Shape> items; // extents per item of its pattern
    std::vector<Slot> slots;
};

// A variable of a statement: one axis, or a pack of them.
struct Local {
    std::string name;
    bool pack = false;
};

class Builder {
public:
    Builder(const OpTree& op, const std::string& file, const Binding& binding)
        : m_op(op), m_file(file), m_binding(binding) {}

    Result<OpInst> run();

private:
    friend class BodyEvaluator;
    Status statement(const StmtTree& stmt, std::size_t element);
    void makeAxes(const Local& local, const Shape& extents, Names& locals, std::vector<Axis>& axes);
    Symbol freshName(const std::string& wish);
    const Readable* readable(const std::string& name, const StmtTree& stmt, std::size_t element);
    Diag error(const Tree& tree, DiagCode code, std::string message) const {
        return makeDiag(code, std::move(message), {m_file, {}, tree.span.line, tree.span.column});
    }
    Where placeOf(const StmtTree& stmt) const {
        return {m_file, {}, stmt.span.line, stmt.span.column};
    }
    std::optional<Shape> extentsOf(const Local& local, const Tree& item, std::size_t position,
                                   const StmtTree& stmt, std::size_t element);
    std::optional<Shape> fromReads(const Local& local, const Tree& tree, const StmtTree& stmt,
                                   std::size_t element);
    Ranges ranges(const std::vector<Axis>& axes);
    Expr sumBefore(const std::string& dim, const Exprs& extents, std::size_t count);
    Status finishStage(Stage& stage, const TensorType& written, const StmtTree& stmt);

    const OpTree& m_op;
    const std::string& m_file;
    const Binding& m_binding;
    OpInst m_inst;
    std::set<std::string> m_taken;
    std::unordered_map<std::string, int> m_counted; // names made of a wish
    std::map<std::string, Readable> m_written;      // outputs and lets so far
    std::map<std::string, Readable> m_params;
    std::optional<Ranges> m_known;       // of the operands, once they are asked for
    std::map<std::string, Exprs> m_sums; // of the first extents of a dim: none, one, two ...
};

// The body of a statement: reads of tensors, reductions, given().
class BodyEvaluator final : public TreeEvaluator {
public:
    BodyEvaluator(Builder& builder, const StmtTree& stmt, std::size_t element)
        : TreeEvaluator(builder.m_binding.names, builder.m_file), m_builder(builder), m_stmt(stmt),
          m_element(element) {
        if (stmt.each.empty())
            return;
        for (const auto& [name, extents] : builder.m_binding.perElement)
            if (element < extents.size())
                m_locals[name] = extents[element];
    }

    Names& locals() { return m_locals; }
    void setAxes(const std::vector<Axis>& axes) { m_axes = axes; }
    const std::vector<Axis>& axes() const { return m_axes; }

    // The variables of a reduction become axes; names they hide come back with `restore`.
    Result<std::vector<Axis>> enter(const Tree& tree) {
        std::vector<Axis> out;
        for (std::size_t i = 0; i + 2 < tree.args.size() + 1; i += 2) {
            const Tree& var = tree.args[i];
            const bool pack = var.kind == TreeKind::Pack;
            const std::string& name = pack ? var.args[0].text : var.text;
            Shape extents;
            const Placing placing(*this);
            if (pack) {
                FW_TRY(extents, list(tree.args[i + 1]));
            } else {
                FW_TRY(Expr one, extent(tree.args[i + 1]));
                extents = {std::move(one)};
            }
            for (Expr& extent : extents) {
                if (extent.dtype() != DType::I64)
                    return error(tree.args[i + 1], DiagCode::TextType,
                                 "the extent of a reduction is an integer");
                extent = simplify(extent);
                if (hasLoad(extent))
                    return error(tree.args[i + 1], DiagCode::TextType,
                                 fmt::format("how far {} runs is read from a tensor: {}", name,
                                             extent.text()))
                        .advise("let it run over a dimension, and select() what counts");
                for (const auto* axes : {&m_axes, &out})
                    for (const Axis& axis : *axes)
                        if (freeVars(extent).contains(axis.var))
                            return error(tree.args[i + 1], DiagCode::TextType,
                                         fmt::format("how far {} runs depends on the index {}: {}",
                                                     name, axis.var.text(), extent.text()))
                                .advise("let it run as far as it may at most, and select() "
                                        "what counts");
            }
            m_builder.makeAxes({name, pack}, extents, m_locals, out);
        }
        m_axes.insert(m_axes.end(), out.begin(), out.end());
        return out;
    }

    Result<Reducer> reducerOf(const Tree& tree) const {
        for (const Reducer reducer : {Reducer::Sum, Reducer::Prod, Reducer::Max, Reducer::Min})
            if (reducerText(reducer) == tree.text)
                return reducer;
        return error(tree, DiagCode::TextName,
                     fmt::format("there is no reduction '{}' (sum, prod, max, min)", tree.text));
    }

    // What `tree` reduces over the axes that were entered.
    Result<Expr> reducedBody(const Tree& tree, Reducer reducer) {
        FW_TRY(Expr body, scalar(tree.args.back()));
        if (!isReducible(reducer, body.dtype()))
            return error(
                tree, DiagCode::TextType,
                fmt::format("{}() takes numbers, not {}", tree.text, dtypeText(body.dtype())));
        return body;
    }

protected:
    const NameValue* find(const std::string& name) const override {
        const auto local = m_locals.find(name);
        return local != m_locals.end() ? &local->second : TreeEvaluator::find(name);
    }

    Result<bool> present(const std::string& parameter, const Where& where) const override {
        for (std::size_t p = 0; p < m_builder.m_op.params.size(); ++p)
            if (m_builder.m_op.params[p].name == parameter)
                return m_builder.m_binding.find(p) != nullptr;
        return TreeEvaluator::present(parameter, where);
    }

    std::optional<Result<Expr>> perElement(const std::string& function,
                                           const std::string& dim) override {
        const auto found = m_builder.m_binding.perElement.find(dim);
        if (found == m_builder.m_binding.perElement.end())
            return std::nullopt;
        const std::size_t count = function == "before" ? m_element : found->second.size();
        return Result<Expr>(m_builder.sumBefore(dim, found->second, count));
    }

    // Of empty axes there are no places, so an extent may divide them.
    std::optional<DiagCode> refusesZero(const Tree& divisor) const override {
        return isPlacing() && isOfAttributes(divisor, m_builder.m_op)
                   ? std::optional(DiagCode::UnsupportedAttribute)
                   : std::nullopt;
    }

    bool isTensor(const std::string& name) const override {
        return m_builder.readable(name, m_stmt, m_element) != nullptr;
    }

    Result<Expr> load(const Tree& tree) override { return read(tree, false); }

    Result<Expr> pad(const Tree& tree) override {
        if (tree.args.size() != 2 || tree.args[0].kind != TreeKind::Index)
            return error(tree, DiagCode::TextType, "pad() takes a read of a tensor and a value");
        FW_TRY(const Expr inside, read(tree.args[0], true));
        FW_TRY(Expr otherwise, scalar(tree.args[1]));
        const Readable* tensor = m_builder.readable(tree.args[0].text, m_stmt, m_element);
        if (tensor == nullptr ||
            inRange(inside.args(), tensor->type.shape, m_builder.ranges(m_axes), Empty::Possible))
            return inside;
        // The value takes the dtype of the tensor, as literals do.
        if (otherwise.isConstant() && inside.dtype() != DType::Text &&
            (isFloat(inside.dtype()) || otherwise.isInt()))
            otherwise = literalAs(otherwise, inside.dtype());
        if (otherwise.dtype() != inside.dtype())
            return error(tree, DiagCode::TextType, "the value of pad() has another element type");
        return padExpr(inside, otherwise);
    }

    // A reduction inside an expression becomes a stage of its own, over those axes that it uses.
    Result<Expr> reduce(const Tree& tree) override {
        FW_TRY(const Reducer reducer, reducerOf(tree));
        const Names hidden = m_locals;
        const std::vector<Axis> outer = m_axes;
        FW_TRY(std::vector<Axis> reduceAxes, enter(tree));
        // As it is written: once for each point around it.
        Stage written;
        written.out = m_stmt.name;
        written.space = outer;
        written.reduce = reduceAxes;
        if (Status within = checkPoints(written); !within)
            return within.takeDiag().at(where(tree));
        // Computed once beside an axis that it does not name: one of no elements excuses no read.
        const std::set<Symbol> named = namedVars(tree);
        std::erase_if(m_axes, [&](const Axis& axis) { return !named.contains(axis.var); });
        FW_TRY(const Expr body, reducedBody(tree, reducer));
        m_locals = hidden;
        m_axes = outer;
        Stage stage;
        stage.out = m_builder.freshName(m_stmt.name + "_" + tree.text);
        stage.reducer = reducer;
        stage.reduce = std::move(reduceAxes);
        Substitution renamed;
        Exprs from;
        Shape shape;
        for (const Axis& axis : outer) {
            if (!named.contains(axis.var))
                continue;
            const Symbol var = m_builder.freshName(axis.var.text());
            renamed[axis.var] = varExpr(var);
            from.push_back(varExpr(axis.var));
            stage.space.push_back({var, axis.extent});
            stage.store.push_back(varExpr(var));
            shape.push_back(axis.extent);
        }
        stage.body = substitute(body, renamed);
        m_builder.m_inst.temporaries.push_back({stage.out, {body.dtype(), shape}});
        const Symbol out = stage.out;
        m_builder.m_inst.stages.push_back(std::move(stage));
        return loadExpr(out, std::move(from), body.dtype());
    }

private:
    Result<Expr> read(const Tree& tree, bool guarded) {
        const Readable* tensor = m_builder.readable(tree.text, m_stmt, m_element);
        if (tensor == nullptr)
            return error(tree, DiagCode::TextName,
                         fmt::format("there is no tensor '{}' to read here", tree.text));
        FW_TRY(const Exprs written, places(tree.args));
        if (written.size() != tensor->slots.size())
            return error(tree, DiagCode::TextType,
                         fmt::format("'{}' has {} dimensions, read with {} indices", tree.text,
                                     tensor->slots.size(), written.size()));
        const Ranges known = m_builder.ranges(m_axes);
        Shape whole; // what each index runs over
        for (const Shape& item : tensor->items)
            whole.insert(whole.end(), item.begin(), item.end());
        FW_TRY(const std::vector<bool> brought, broughtIntoRange(tree.args));
        Exprs indices;
        bool nothing = false; // an index was brought into the range of no element
        for (std::size_t i = 0; i < written.size(); ++i) {
            if (!isInteger(written[i].dtype()))
                return error(tree, DiagCode::TextType, "an index is an integer");
            if (tensor->slots[i] == Slot::Drop)
                continue;
            if (tensor->slots[i] == Slot::Zero) {
                indices.emplace_back(0);
                continue;
            }
            nothing = nothing || (tensor->type.shape.at(indices.size()).isInt(0) && brought[i]);
            Expr index = simplify(castExpr(written[i], DType::I64), known);
            if (leaves64Bits(index, known))
                return error(tree, DiagCode::TextType,
                             "an index of " + tree.text + " leaves 64 bits: " + index.text())
                    .advise("write a smaller number, or ask for one in requires");
            if (tensor->slots[i] == Slot::Stretch) {
                const Dim& own = tensor->type.shape.at(indices.size());
                if (guarded) // an index that leaves the result leaves the operand, too
                    index = selectExpr(eqExpr(own, whole.at(i)), index, Expr(0));
                else if (inRange({index}, {whole.at(i)}, known))
                    index = stretchedIndex(index, own);
            }
            indices.push_back(std::move(index));
        }
        bool sure = guarded || inRange(indices, tensor->type.shape, known, Empty::Possible);
        if (!sure) {
            const bool asked =
                asksOf(m_builder.m_op, m_builder.m_binding.names, tensor->type.shape);
            if (nothing && !asked)
                return constantExpr(0, tensor->type.dtype);
            if (!inRange(indices, tensor->type.shape, known))
                return error(tree, DiagCode::UnsafeAccess,
                             fmt::format("{}[{}] may lie outside {}", tree.text, indexText(indices),
                                         tensor->type.text()))
                    .advise(elementCount(tensor->type.shape).isInt(0)
                                ? "say in requires that " + tree.text +
                                      " has elements, or write pad(" + tree.text + "[...], value)"
                                : "write pad(" + tree.text +
                                      "[...], value), or wrap() an index that is read");
            Ranges filled = known; // the read is made
            for (const Axis& axis : m_axes)
                filled.assume(leExpr(Expr(1), axis.extent));
            sure = asked || inRange(indices, tensor->type.shape, filled, Empty::Possible);
        }
        const Expr load = loadExpr(tensor->symbol, std::move(indices), tensor->type.dtype);
        return sure ? load : padExpr(load, constantExpr(0, load.dtype()));
    }

    // For each index that is written, whether it is a wrap() or clamp().
    Result<std::vector<bool>> broughtIntoRange(const std::vector<Tree>& written) {
        std::vector<bool> out;
        for (const Tree& tree : written) {
            std::size_t count = 1;
            if (isList(tree)) {
                FW_TRY(const Exprs all, list(tree));
                count = all.size();
            }
            out.insert(out.end(), count, tree.isCall("wrap") || tree.isCall("clamp"));
        }
        return out;
    }

    static std::string indexText(const Exprs& indices) {
        std::string out;
        for (const Expr& index : indices)
            out += (out.empty() ? "" : ", ") + index.text();
        return out;
    }

    Builder& m_builder;
    const StmtTree& m_stmt;
    std::size_t m_element;
    Names m_locals;
    std::vector<Axis> m_axes;
};

Symbol Builder::freshName(const std::string& wish) {
    std::string name = wish;
    for (int& n = m_counted[wish]; !m_taken.insert(name).second;)
        name = fmt::format("{}_{}", wish, ++n);
    return name;
}

void Builder::makeAxes(const Local& local, const Shape& extents, Names& locals,
                       std::vector<Axis>& axes) {
    Exprs vars;
    for (std::size_t i = 0; i < extents.size(); ++i) {
        const Symbol var = freshName(local.pack ? local.name + std::to_string(i) : local.name);
        axes.push_back({var, extents[i]});
        vars.push_back(varExpr(var));
    }
    if (local.pack)
        locals[local.name] = std::move(vars);
    else
        locals[local.name] = vars.at(0);
}

const Readable* Builder::readable(const std::string& name, const StmtTree& stmt,
                                  std::size_t element) {
    const auto written = m_written.find(name);
    if (written != m_written.end())
        return &written->second;
    const auto param = m_params.find(stmt.each == name ? name + std::to_string(element) : name);
    return param == m_params.end() ? nullptr : &param->second;
}

Expr Builder::sumBefore(const std::string& dim, const Exprs& extents, std::size_t count) {
    Exprs& sums = m_sums[dim];
    if (sums.empty()) {
        sums.emplace_back(0);
        for (const Expr& extent : extents)
            sums.push_back(sums.back() + extent);
    }
    return sums[std::min(count, extents.size())];
}

Ranges Builder::ranges(const std::vector<Axis>& axes) {
    if (!m_known) {
        m_known.emplace();
        for (const Assumption& assumption : m_binding.assumptions)
            m_known->assume(assumption.condition);
        // Operands exist, so their extents are none below 0: N - 1, say.
        for (const BoundTensor& tensor : m_binding.tensors)
            for (const Dim& dim : tensor.type.shape)
                if (!dim.isInt() && !proveNonNegative(dim))
                    m_known->assume(leExpr(Expr(0), dim));
    }
    Ranges out = *m_known;
    for (const Axis& axis : axes)
        out.push(axis.var, Expr(0), axis.extent - Expr(1));
    return out;
}

// The first name in an index of the left side that stands for nothing yet is its variable.
std::optional<Local> localOf(const Tree& tree, const Names& names, bool insidePack) {
    const bool pack = insidePack || tree.kind == TreeKind::Pack;
    if (tree.isName())
        return names.contains(tree.text) ? std::nullopt : std::optional(Local{tree.text, pack});
    if (tree.isCall("before") || tree.isCall("total"))
        return std::nullopt;
    for (const Tree& arg : tree.args)
        if (auto found = localOf(arg, names, pack))
            return found;
    return std::nullopt;
}

// An index that is exactly the variable, or the pack of it.
bool isBare(const Tree& item, const Local& local) {
    const Tree& tree = item.kind == TreeKind::Pack ? item.args[0] : item;
    return tree.isName(local.name);
}

// Extents of a variable from the reads on the right side: `x[..., d, ...]` at an item of x's
// pattern.
std::optional<Shape> Builder::fromReads(const Local& local, const Tree& tree, const StmtTree& stmt,
                                        std::size_t element) {
    if (tree.kind == TreeKind::Index)
        if (const Readable* tensor = readable(tree.text, stmt, element))
            if (tensor->items.size() == tree.args.size())
                for (std::size_t i = 0; i < tree.args.size(); ++i)
                    if (isBare(tree.args[i], local) &&
                        (tree.args[i].kind == TreeKind::Pack) == local.pack)
                        return tensor->items[i];
    for (const Tree& arg : tree.args)
        if (auto found = fromReads(local, arg, stmt, element))
            return found;
    return std::nullopt;
}

std::optional<Shape> Builder::extentsOf(const Local& local, const Tree& item, std::size_t position,
                                        const StmtTree& stmt, std::size_t element) {
    for (const BoundOutput& out : m_binding.outputs)
        if (out.name == stmt.name && isBare(item, local) && position < out.items.size())
            return out.items[position];
    if (auto found = fromReads(local, stmt.value, stmt, element))
        return found;
    // The convention: the variable `oh` runs over the dimension `OH`, the pack `p...` over `P...`.
    std::string upper = local.name;
    for (char& c : upper)
        c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    const auto found = m_binding.names.find(upper);
    if (found == m_binding.names.end() || upper == local.name)
        return std::nullopt;
    if (const auto* one = std::get_if<Expr>(&found->second); one != nullptr && !local.pack)
        return Shape{*one};
    if (const auto* list = std::get_if<Exprs>(&found->second); list != nullptr && local.pack)
        return *list;
    return std::nullopt;
}

Status Builder::statement(const StmtTree& stmt, std::size_t element) {
    BodyEvaluator body(*this, stmt, element);
    Stage stage;
    Tree place;
    place.span = stmt.span;
    std::vector<Shape> items;
    std::set<std::string> seen;
    for (std::size_t i = 0; i < stmt.indices.size(); ++i) {
        const auto local = localOf(stmt.indices[i], m_binding.names, false);
        if (!local) {
            items.emplace_back(); // a constant place
            continue;
        }
        if (!seen.insert(local->name).second)
            return error(stmt.indices[i], DiagCode::TextName,
                         fmt::format("'{}' is used twice on the left side", local->name));
        const auto extents = extentsOf(*local, stmt.indices[i], i, stmt, element);
        if (!extents || (!local->pack && extents->size() != 1))
            return error(
                stmt.indices[i], DiagCode::TextName,
                fmt::format("how far '{}' runs is not known; no dimension {} and no read says it",
                            local->name, local->pack ? "pack" : "name"));
        makeAxes(*local, *extents, body.locals(), stage.space);
        items.push_back(*extents);
    }
    body.setAxes(stage.space);
    FW_TRY(stage.store, body.places(stmt.indices));
    const bool whole = stmt.value.kind == TreeKind::Reduce;
    if (whole) {
        FW_TRY(stage.reducer, body.reducerOf(stmt.value));
        FW_TRY(stage.reduce, body.enter(stmt.value));
    }
    FW_TRY(stage.body,
           whole ? body.reducedBody(stmt.value, stage.reducer) : body.scalar(stmt.value));

    const auto out =
        std::find_if(m_binding.outputs.begin(), m_binding.outputs.end(),
                     [&](const BoundOutput& candidate) { return candidate.name == stmt.name; });
    TensorType type;
    if (out != m_binding.outputs.end()) {
        type = out->type;
        items = out->items;
        stage.out = stmt.name;
        // An index written into a float output and a literal into any.
        const bool literal =
            stage.body.isConstant() ||
            (isFloat(type.dtype) && stage.body.dtype() == DType::I64 && !hasLoad(stage.body));
        if (stage.body.dtype() != type.dtype && type.dtype != DType::Text && literal)
            stage.body = stage.body.isConstant() ? literalAs(stage.body, type.dtype)
                                                 : castExpr(stage.body, type.dtype);
    } else {
        type.dtype = stage.body.dtype();
        for (const Axis& axis : stage.space)
            type.shape.push_back(axis.extent);
        for (std::size_t i = 0; i < stage.store.size(); ++i)
            if (i >= stage.space.size() || !(stage.store[i] == varExpr(stage.space[i].var)))
                return error(
                    place, DiagCode::TextType,
                    fmt::format("'let {}' takes plain variables on the left side", stmt.name));
        stage.out = freshName(stmt.name);
        m_inst.temporaries.push_back({stage.out, type});
    }
    if (stage.body.dtype() != type.dtype)
        return error(stmt.value, DiagCode::TextType,
                     fmt::format("{} is {}, the expression is {}", stmt.name, dtypeText(type.dtype),
                                 dtypeText(stage.body.dtype())));
    if (stage.store.size() != type.rank())
        return error(place, DiagCode::TextType,
                     fmt::format("{} has {} dimensions, written with {} indices", stmt.name,
                                 type.rank(), stage.store.size()));
    const Symbol written = stage.out;
    FW_CHECK(finishStage(stage, type, stmt));
    m_inst.stages.push_back(std::move(stage));
    m_written[stmt.name] = {written, type, items, std::vector<Slot>(type.rank(), Slot::Same)};
    return {};
}

// Writes in range, and the axes of a permuted store in the order of the output.
Status Builder::finishStage(Stage& stage, const TensorType& written, const StmtTree& stmt) {
    const Ranges known = ranges(stage.space);
    std::vector<Axis> ordered;
    for (Expr& index : stage.store) {
        index = simplify(index, known);
        const auto axis = std::find_if(stage.space.begin(), stage.space.end(),
                                       [&](const Axis& a) { return index == varExpr(a.var); });
        if (axis != stage.space.end() &&
            std::find(ordered.begin(), ordered.end(), *axis) == ordered.end())
            ordered.push_back(*axis);
    }
    if (!inRange(stage.store, written.shape, known))
        return makeDiag(DiagCode::UnsafeAccess,
                        fmt::format("a write may lie outside {}: {}", stmt.name, written.text()),
                        placeOf(stmt));
    if (ordered.size() == stage.space.size())
        stage.space = std::move(ordered);
    return {};
}

Result<OpInst> Builder::run() {
    const auto takeDims = [&](const Exprs& dims) {
        for (const Expr& dim : dims)
            for (const Symbol var : freeVars(dim))
                m_taken.insert(var.text());
    };
    for (const BoundTensor& tensor : m_binding.tensors) {
        m_inst.inputs.push_back({tensor.name, tensor.type});
        m_taken.insert(tensor.name);
        m_params[tensor.name] = {tensor.name, tensor.type, tensor.items, tensor.slots};
        takeDims(tensor.type.shape);
    }
    for (const BoundOutput& out : m_binding.outputs) {
        m_inst.outputs.push_back({out.name, out.type});
        m_taken.insert(out.name);
        takeDims(out.type.shape);
    }
    for (const auto& [name, value] : m_binding.names) {
        if (const auto* dim = std::get_if<Expr>(&value))
            takeDims({*dim});
        else if (const auto* dims = std::get_if<Exprs>(&value))
            takeDims(*dims);
    }
    std::vector<const StmtTree*> from; // of every stage
    for (const StmtTree& stmt : m_op.stmts) {
        if (stmt.each.empty()) {
            FW_CHECK(statement(stmt, 0));
        } else {
            for (const BoundTensor& tensor : m_binding.tensors)
                if (m_op.params[tensor.param].name == stmt.each)
                    FW_CHECK(statement(stmt, tensor.element));
        }
        from.resize(m_inst.stages.size(), &stmt);
    }
    for (std::size_t i = 0; i < m_inst.stages.size(); ++i)
        if (Status within = checkPoints(m_inst.stages[i]); !within)
            return within.takeDiag().at(placeOf(*from[i]));
    if (const auto problem = writeProblem(m_inst, ranges({})))
        return makeDiag(DiagCode::UnsafeAccess, problem->what, placeOf(*from[problem->stage]),
                        problem->hint);
    return std::move(m_inst);
}

} // namespace

Result<OpInst> instantiateOp(const OpTree& op, const std::string& file, const Binding& binding) {
    return Builder(op, file, binding).run();
}

} // namespace fw
