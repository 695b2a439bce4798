#include "tensor/binding.h"

#include "expr/simplify.h"
#include "tensor/bind_attributes.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace fw {

const BoundTensor* Binding::find(std::size_t param, std::size_t element) const {
    for (const BoundTensor& tensor : tensors)
        if (tensor.param == param && tensor.element == element)
            return &tensor;
    return nullptr;
}

namespace {

// Shapes may use total(D) and before(D); nothing else of a body.
class ShapeEvaluator final : public TreeEvaluator {
public:
    ShapeEvaluator(const Binding& binding, const std::string& file)
        : TreeEvaluator(binding.names, file), m_binding(binding) {}

protected:
    std::optional<Result<Expr>> perElement(const std::string& function,
                                           const std::string& dim) override {
        const auto found = m_binding.perElement.find(dim);
        if (found == m_binding.perElement.end() || function != "total")
            return std::nullopt;
        Expr sum(0);
        for (const Dim& extent : found->second)
            sum = sum + extent;
        return Result<Expr>(sum);
    }

private:
    const Binding& m_binding;
};

// Names inside total() and before().
void collectPerElement(const Tree& tree, std::set<std::string>& names) {
    if ((tree.isCall("total") || tree.isCall("before")) && tree.args.size() == 1)
        names.insert(tree.args[0].text);
    for (const Tree& arg : tree.args)
        collectPerElement(arg, names);
}

class Binder {
public:
    Binder(const OpTree& op, const std::string& file, const OpCall& call)
        : m_op(op), m_file(file), m_call(call), m_shapes(m_binding, file) {}

    Result<Binding> run() {
        for (const OutTree& out : m_op.outs)
            for (const DimTree& dim : out.type.dims)
                collectPerElement(dim.value, m_perElement);
        for (const StmtTree& stmt : m_op.stmts)
            for (const Tree& index : stmt.indices)
                collectPerElement(index, m_perElement);
        FW_CHECK(bindAttributes(m_op, m_call, m_shapes, m_binding.names));
        FW_CHECK(bindOperands());
        if (m_op.requirement)
            FW_CHECK(require(*m_op.requirement));
        for (const WhereTree& where : m_op.where) {
            FW_TRY(const Expr value, m_shapes.scalar(where.value));
            const Dim dim = simplify(value);
            FW_CHECK(checkDim(where.name, dim));
            m_binding.names[where.name] = dim;
        }
        for (BoundTensor& tensor : m_binding.tensors)
            FW_CHECK(finishTensor(tensor));
        for (const OutTree& out : m_op.outs)
            FW_CHECK(bindOutput(out));
        return std::move(m_binding);
    }

private:
    // --- operands

    Status bindOperands() {
        const std::size_t given = m_call.inputs.size(), params = m_op.params.size();
        std::size_t variadic = 0; // elements of the variadic parameter
        bool any = false;
        for (const ParamTree& param : m_op.params)
            any = any || param.variadic;
        if (any)
            variadic = given + 1 > params ? given + 1 - params : 0;
        if (!any && given > params)
            return makeDiag(DiagCode::OperatorArity,
                            fmt::format("takes {} operands, not {}", params, given));
        std::size_t next = 0;
        for (std::size_t p = 0; p < params; ++p) {
            const ParamTree& param = m_op.params[p];
            const std::size_t count = param.variadic ? variadic : 1;
            for (std::size_t element = 0; element < count; ++element, ++next) {
                if (next >= given || !m_call.inputs[next]) {
                    if (param.optional)
                        continue;
                    return makeDiag(DiagCode::OperatorArity,
                                    fmt::format("operand {} is missing", param.name));
                }
                BoundTensor tensor;
                tensor.param = p;
                tensor.element = element;
                tensor.name = param.variadic ? param.name + std::to_string(element) : param.name;
                tensor.type = *m_call.inputs[next];
                FW_CHECK(bindDtype(param.type, tensor));
                FW_CHECK(bindDims(param, tensor));
                m_binding.tensors.push_back(std::move(tensor));
            }
        }
        return {};
    }

    Status bindDtype(const TypeTree& type, const BoundTensor& tensor) {
        std::optional<DType> wanted = parseDtype(type.dtype);
        std::string from = "the signature";
        if (!wanted) {
            const auto found = m_binding.names.find(type.dtype);
            if (found == m_binding.names.end()) {
                m_binding.names[type.dtype] = tensor.type.dtype;
                m_origin[type.dtype] = tensor.name;
                return {};
            }
            if (const auto* dtype = std::get_if<DType>(&found->second))
                wanted = *dtype;
            from = m_origin[type.dtype];
        }
        if (!wanted || *wanted != tensor.type.dtype)
            return makeDiag(DiagCode::DtypeMismatch,
                            fmt::format("{} is {} from {} but {} from {}", type.dtype,
                                        wanted ? dtypeText(*wanted) : "nothing", from,
                                        dtypeText(tensor.type.dtype), tensor.name));
        return {};
    }

    static bool isPack(const DimTree& dim) { return dim.value.kind == TreeKind::Pack; }

    // The name behind a Name or a Pack of one; empty for other expressions.
    static std::string nameOf(const DimTree& dim) {
        const Tree& tree = isPack(dim) ? dim.value.args[0] : dim.value;
        return tree.isName() ? tree.text : std::string();
    }

    Status bindDims(const ParamTree& param, BoundTensor& tensor) {
        const std::vector<DimTree>& dims = param.type.dims;
        const bool packs = std::any_of(dims.begin(), dims.end(), isPack);
        if (param.bcast && !packs)
            return bindAligned(dims, tensor);
        FW_TRY(const std::vector<std::size_t> sizes, itemSizes(param, tensor));
        std::size_t at = 0;
        for (std::size_t i = 0; i < dims.size(); ++i) {
            const auto begin = tensor.type.shape.begin() + static_cast<std::ptrdiff_t>(at);
            const Shape part(begin, begin + static_cast<std::ptrdiff_t>(sizes[i]));
            at += sizes[i];
            const std::string name = nameOf(dims[i]);
            if (isPack(dims[i]) && name.empty()) {
                FW_TRY(const Exprs wanted, m_shapes.list(dims[i].value));
                for (std::size_t k = 0; k < part.size(); ++k)
                    FW_CHECK(
                        equate("a dimension", wanted[k], part[k], "the signature", tensor.name));
            } else if (isPack(dims[i])) {
                FW_CHECK(param.bcast ? joinPack(name, part, tensor) : bindPack(name, part, tensor));
            } else {
                FW_CHECK(bindOne(dims[i], name, part[0], tensor));
            }
            tensor.items.push_back(part);
        }
        return {};
    }

    // A broadcasting parameter without packs: dims count from the right, missing ones and 1
    // broadcast.
    Status bindAligned(const std::vector<DimTree>& dims, BoundTensor& tensor) {
        if (tensor.type.rank() > dims.size())
            return makeDiag(DiagCode::ShapeMismatch,
                            fmt::format("{} has rank {}, at most {} fits", tensor.name,
                                        tensor.type.rank(), dims.size()));
        const std::size_t missing = dims.size() - tensor.type.rank();
        for (std::size_t i = 0; i < dims.size(); ++i) {
            if (i < missing) {
                tensor.items.emplace_back();
                continue;
            }
            const Dim& dim = tensor.type.shape[i - missing];
            tensor.items.push_back({dim});
            const std::string name = nameOf(dims[i]);
            const bool one = dim.isInt(1) && (name.empty() || m_binding.names.contains(name));
            if (!one)
                FW_CHECK(bindOne(dims[i], name, dim, tensor));
        }
        return {};
    }

    // How many dimensions each item of the pattern takes.
    Result<std::vector<std::size_t>> itemSizes(const ParamTree& param, const BoundTensor& tensor) {
        const std::vector<DimTree>& dims = param.type.dims;
        const std::size_t rank = tensor.type.rank();
        constexpr std::size_t unknown = static_cast<std::size_t>(-1);
        std::vector<std::size_t> sizes(dims.size(), 1), starts(dims.size(), unknown);
        for (std::size_t i = 0; i < dims.size(); ++i) {
            if (isPack(dims[i])) {
                const std::string name = nameOf(dims[i]);
                const auto bound = m_binding.names.find(name);
                sizes[i] = unknown;
                if (name.empty()) {
                    FW_TRY(const Exprs wanted, m_shapes.list(dims[i].value));
                    sizes[i] = wanted.size();
                } else if (!param.bcast && bound != m_binding.names.end()) {
                    if (const auto* list = std::get_if<Exprs>(&bound->second))
                        sizes[i] = list->size();
                }
            }
            if (!dims[i].axis.empty())
                FW_CHECK(anchor(dims[i], rank, sizes[i], starts[i]));
        }
        std::size_t at = 0;
        const Diag misfit = makeDiag(DiagCode::ShapeMismatch,
                                     fmt::format("{} is {}, which does not fit {}", tensor.name,
                                                 tensor.type.text(), patternText(param)));
        if (!dims.empty() && starts[0] != unknown && starts[0] != 0)
            return misfit;
        for (std::size_t i = 0; i < dims.size();) {
            std::size_t end = i + 1;
            while (end < dims.size() && starts[end] == unknown)
                ++end;
            const std::size_t limit = end < dims.size() ? starts[end] : rank;
            std::size_t known = 0, open = unknown;
            for (std::size_t k = i; k < end; ++k) {
                if (sizes[k] == unknown && open != unknown)
                    return makeDiag(DiagCode::TextType,
                                    fmt::format("where {} ends is not decided", nameOf(dims[open])),
                                    {m_file, {}, param.span.line, param.span.column});
                if (sizes[k] == unknown)
                    open = k;
                else
                    known += sizes[k];
            }
            const bool fits = at + known <= limit && (open != unknown || at + known == limit);
            if (!fits)
                return misfit;
            if (open != unknown)
                sizes[open] = limit - at - known;
            at = limit;
            i = end;
        }
        if (dims.empty() && rank != 0)
            return misfit;
        return sizes;
    }

    // The place of an item picked by an attribute: one axis, or an adjacent run of them.
    Status anchor(const DimTree& dim, std::size_t rank, std::size_t& size, std::size_t& start) {
        const auto found = m_binding.names.find(dim.axis);
        Exprs axes;
        if (found != m_binding.names.end()) {
            if (const auto* one = std::get_if<Expr>(&found->second))
                axes = {*one};
            else if (const auto* list = std::get_if<Exprs>(&found->second))
                axes = *list;
        }
        std::vector<std::size_t> places;
        for (const Expr& axis : axes) {
            std::int64_t value = axis.asInt().value_or(static_cast<std::int64_t>(rank));
            if (value < 0)
                value += static_cast<std::int64_t>(rank);
            if (value < 0 || value >= static_cast<std::int64_t>(rank))
                return makeDiag(
                    DiagCode::UnsupportedAttribute,
                    fmt::format("{} is {}, out of range of rank {}", dim.axis, axis.text(), rank));
            places.push_back(static_cast<std::size_t>(value));
        }
        if (axes.empty() && found != m_binding.names.end())
            for (std::size_t i = 0; i < rank; ++i)
                places.push_back(i);
        std::sort(places.begin(), places.end());
        for (std::size_t i = 1; i < places.size(); ++i)
            if (places[i] != places[i - 1] + 1)
                return makeDiag(DiagCode::UnsupportedAttribute,
                                fmt::format("{} are not adjacent axes", dim.axis));
        start = places.empty() ? 0 : places.front();
        size = places.size();
        return {};
    }

    static std::string patternText(const ParamTree& param) {
        std::string out = param.type.dtype + "[";
        for (std::size_t i = 0; i < param.type.dims.size(); ++i) {
            const DimTree& dim = param.type.dims[i];
            const std::string name = nameOf(dim);
            out += (i > 0 ? ", " : "") + (name.empty() ? "expression" : name) +
                   (isPack(dim) ? "..." : "") + (dim.axis.empty() ? "" : "@" + dim.axis);
        }
        return out + "]";
    }

    Status bindOne(const DimTree& dim, const std::string& name, const Dim& extent,
                   const BoundTensor& tensor) {
        if (name.empty()) {
            FW_TRY(const Expr wanted, m_shapes.scalar(dim.value));
            return equate("a dimension", wanted, extent, "the signature", tensor.name);
        }
        if (m_perElement.contains(name)) {
            m_binding.perElement[name].push_back(extent);
            return {};
        }
        const auto found = m_binding.names.find(name);
        if (found == m_binding.names.end()) {
            m_binding.names[name] = extent;
            m_origin[name] = tensor.name;
            return {};
        }
        const auto* bound = std::get_if<Expr>(&found->second);
        if (bound == nullptr)
            return makeDiag(DiagCode::TextName, fmt::format("'{}' is used for two things", name));
        return equate(name, *bound, extent, m_origin[name], tensor.name);
    }

    Status bindPack(const std::string& name, const Shape& part, const BoundTensor& tensor) {
        const auto found = m_binding.names.find(name);
        if (found == m_binding.names.end()) {
            m_binding.names[name] = part;
            m_origin[name] = tensor.name;
            return {};
        }
        const auto* bound = std::get_if<Exprs>(&found->second);
        if (bound == nullptr)
            return makeDiag(DiagCode::TextName, fmt::format("'{}' is used for two things", name));
        if (bound->size() != part.size())
            return makeDiag(DiagCode::ShapeMismatch,
                            fmt::format("{} is {} from {} but {} from {}", name, shapeText(*bound),
                                        m_origin[name], shapeText(part), tensor.name));
        for (std::size_t i = 0; i < part.size(); ++i)
            FW_CHECK(equate(fmt::format("{}[{}]", name, i), (*bound)[i], part[i], m_origin[name],
                            tensor.name));
        return {};
    }

    // NumPy broadcasting: aligned at the right, 1 gives way.
    Status joinPack(const std::string& name, const Shape& part, const BoundTensor& tensor) {
        const auto found = m_binding.names.find(name);
        if (found == m_binding.names.end())
            return bindPack(name, part, tensor);
        const auto* bound = std::get_if<Exprs>(&found->second);
        if (bound == nullptr)
            return makeDiag(DiagCode::TextName, fmt::format("'{}' is used for two things", name));
        Shape joined = bound->size() >= part.size() ? *bound : part;
        const Shape& shorter = bound->size() >= part.size() ? part : *bound;
        const std::size_t offset = joined.size() - shorter.size();
        for (std::size_t i = 0; i < shorter.size(); ++i) {
            Dim& dim = joined[offset + i];
            if (dim.isInt(1)) {
                dim = shorter[i];
            } else if (!shorter[i].isInt(1) && !proveEqual(dim, shorter[i])) {
                if (proveDifferent(dim, shorter[i]))
                    return makeDiag(DiagCode::ShapeMismatch,
                                    fmt::format("{} from {} and {} from {} do not broadcast",
                                                shapeText(*bound), m_origin[name], shapeText(part),
                                                tensor.name));
                assume(eqExpr(dim, shorter[i]));
                if (shorter[i].isInt())
                    dim = shorter[i];
            }
        }
        m_binding.names[name] = joined;
        return {};
    }

    Status equate(const std::string& name, const Dim& bound, const Dim& found,
                  const std::string& boundFrom, const std::string& foundFrom) {
        if (proveEqual(bound, found))
            return {};
        if (proveDifferent(bound, found))
            return makeDiag(DiagCode::ShapeMismatch,
                            fmt::format("{} is {} from {} but {} from {}", name, bound.text(),
                                        boundFrom, found.text(), foundFrom));
        assume(eqExpr(bound, found));
        return {};
    }

    void assume(const Expr& condition) {
        m_binding.assumptions.push_back(
            {condition, fmt::format("{}: {}", m_op.name, condition.text())});
    }

    // --- conditions and outputs

    Status require(const Tree& tree) {
        if (tree.kind == TreeKind::Binary && tree.text == "&&") {
            FW_CHECK(require(tree.args[0]));
            return require(tree.args[1]);
        }
        FW_TRY(const Expr condition, m_shapes.scalar(tree));
        if (condition.dtype() != DType::Bool)
            return makeDiag(DiagCode::TextType, "the condition behind 'requires' is not a truth",
                            {m_file, {}, tree.span.line, tree.span.column});
        const std::optional<bool> holds = decide(condition);
        if (!holds)
            assume(condition);
        else if (!*holds)
            return makeDiag(DiagCode::ShapeMismatch,
                            fmt::format("{} does not hold{}", treeText(tree), valuesOf(tree)));
        return {};
    }

    static std::string treeText(const Tree& tree) {
        switch (tree.kind) {
        case TreeKind::Int:
            return std::to_string(tree.integer);
        case TreeKind::Unary:
            return tree.text + treeText(tree.args[0]);
        case TreeKind::Binary:
            return treeText(tree.args[0]) + " " + tree.text + " " + treeText(tree.args[1]);
        case TreeKind::Call:
        case TreeKind::Index: {
            std::string out = tree.text + (tree.kind == TreeKind::Call ? "(" : "[");
            for (std::size_t i = 0; i < tree.args.size(); ++i)
                out += (i > 0 ? ", " : "") + treeText(tree.args[i]);
            return out + (tree.kind == TreeKind::Call ? ")" : "]");
        }
        case TreeKind::Float:
        case TreeKind::Text:
        case TreeKind::Name:
        case TreeKind::Pack:
        case TreeKind::Reduce:
        case TreeKind::List:
            break;
        }
        return tree.text;
    }

    // ": C is 3, CG is 4"
    std::string valuesOf(const Tree& tree) const {
        std::string out;
        std::set<std::string> seen;
        const auto visit = [&](const auto& self, const Tree& part) -> void {
            const auto found =
                part.isName() ? m_binding.names.find(part.text) : m_binding.names.end();
            if (found != m_binding.names.end() && seen.insert(part.text).second)
                if (const auto* value = std::get_if<Expr>(&found->second))
                    out += fmt::format("{} {} is {}", out.empty() ? ":" : ",", part.text,
                                       value->text());
            for (const Tree& arg : part.args)
                self(self, arg);
        };
        visit(visit, tree);
        return out;
    }

    Status checkDim(const std::string& name, const Dim& dim) {
        if (dim.dtype() != DType::I64)
            return makeDiag(DiagCode::TextType, fmt::format("{} is not an integer", name));
        if (const auto value = dim.asInt(); value && *value < 0)
            return makeDiag(DiagCode::ShapeMismatch, fmt::format("{} would be {}", name, *value));
        if (!proveNonNegative(dim))
            assume(leExpr(Expr(0), dim));
        return {};
    }

    // After broadcasting every pack is known, so the relation of each operand to it is.
    Status finishTensor(BoundTensor& tensor) {
        const ParamTree& param = m_op.params[tensor.param];
        for (std::size_t i = 0; i < tensor.items.size(); ++i) {
            const Shape own = tensor.items[i];
            const std::string name = nameOf(param.type.dims[i]);
            const auto found = m_binding.names.find(name);
            Shape whole = own;
            if (param.bcast && found != m_binding.names.end()) {
                if (const auto* list = std::get_if<Exprs>(&found->second))
                    whole = *list;
                else if (const auto* one = std::get_if<Expr>(&found->second))
                    whole = {*one};
            }
            const std::size_t missing = whole.size() - own.size();
            for (std::size_t k = 0; k < whole.size(); ++k) {
                if (k < missing)
                    tensor.slots.push_back(Slot::Drop);
                else
                    tensor.slots.push_back(
                        own[k - missing].isInt(1) && !whole[k].isInt(1) ? Slot::Zero : Slot::Same);
            }
            tensor.items[i] = whole;
        }
        return {};
    }

    Status bindOutput(const OutTree& tree) {
        BoundOutput out;
        out.name = tree.name;
        Tree dtypeName;
        dtypeName.kind = TreeKind::Name;
        dtypeName.text = tree.type.dtype;
        dtypeName.span = tree.span;
        FW_TRY(out.type.dtype, m_shapes.dtype(dtypeName));
        for (const DimTree& dim : tree.type.dims) {
            FW_TRY(Exprs part, m_shapes.expanded({dim.value}));
            for (Dim& extent : part) {
                extent = simplify(extent);
                FW_CHECK(checkDim("a dimension of " + tree.name, extent));
                out.type.shape.push_back(extent);
            }
            out.items.push_back(std::move(part));
        }
        m_binding.outputs.push_back(std::move(out));
        return {};
    }

    const OpTree& m_op;
    const std::string& m_file;
    const OpCall& m_call;
    Binding m_binding;
    ShapeEvaluator m_shapes;
    std::set<std::string> m_perElement;
    std::map<std::string, std::string> m_origin; // which operand bound a name
};

} // namespace

Result<Binding> bindCall(const OpTree& op, const std::string& file, const OpCall& call) {
    return Binder(op, file, call).run();
}

} // namespace fw
