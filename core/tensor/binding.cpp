#include "tensor/binding.h"

#include "expr/simplify.h"
#include "tensor/bind_attributes.h"
#include "tensor/dim_names.h"
#include "tensor/pattern_sizes.h"
#include "tensor/requirement.h"

#include <algorithm>
#include <fmt/format.h>

namespace fw {

const BoundTensor* Binding::find(std::size_t param, std::size_t element) const {
    for (const BoundTensor& tensor : tensors)
        if (tensor.param == param && tensor.element == element)
            return &tensor;
    return nullptr;
}

namespace {

// Shapes may use total(D) and before(D); nothing else of a body. No 0 divides them.
class ShapeEvaluator final : public TreeEvaluator {
public:
    ShapeEvaluator(const OpTree& op, const Binding& binding, const std::string& file)
        : TreeEvaluator(binding.names, file), m_op(op), m_binding(binding) {}

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

    std::optional<DiagCode> refusesZero(const Tree& divisor) const override {
        return isOfAttributes(divisor, m_op) ? DiagCode::UnsupportedAttribute
                                             : DiagCode::ShapeMismatch;
    }

private:
    const OpTree& m_op;
    const Binding& m_binding;
};

class Binder {
public:
    Binder(const OpTree& op, const std::string& file, const OpCall& call)
        : m_op(op), m_file(file), m_call(call), m_shapes(op, m_binding, file),
          m_dims(op, m_binding, m_shapes) {}

    Result<Binding> run() {
        FW_CHECK(bindAttributes(m_op, m_call, m_shapes, m_binding.names, BoundSoFar::Nothing));
        FW_CHECK(bindOperands());
        FW_CHECK(bindAttributes(m_op, m_call, m_shapes, m_binding.names, BoundSoFar::Operands));
        FW_TRY(std::vector<Assumption> required, demandRequirements(m_op, m_binding.names));
        for (const Assumption& assumption : required)
            m_dims.assume(assumption.condition, assumption.sentence);
        for (const WhereTree& where : m_op.where) {
            FW_TRY(const Expr value, m_shapes.extent(where.value));
            const Dim dim = simplify(value);
            FW_CHECK(m_dims.checkExtent(where.name, dim));
            m_binding.names[where.name] = dim;
        }
        for (BoundTensor& tensor : m_binding.tensors)
            FW_CHECK(finishTensor(tensor));
        for (const OutTree& out : m_op.outs)
            if (!m_op.standsForCalls())
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
        std::string from; // the signature
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
                            from.empty()
                                ? fmt::format("the element type of {} is {}: it must be {}",
                                              tensor.name, dtypeText(tensor.type.dtype), type.dtype)
                                : fmt::format("the element type of {} is {} and that of {} is {}: "
                                              "they must be equal",
                                              from, wanted ? dtypeText(*wanted) : "nothing",
                                              tensor.name, dtypeText(tensor.type.dtype)));
        return {};
    }

    Status bindDims(const ParamTree& param, BoundTensor& tensor) {
        const std::vector<DimTree>& dims = param.type.dims;
        const bool packs = std::any_of(dims.begin(), dims.end(), isPack);
        if (param.bcast && !packs)
            return bindAligned(dims, tensor);
        FW_TRY(const std::vector<std::size_t> sizes,
               patternSizes(param, tensor.name, tensor.type, m_binding.names, m_shapes, m_file));
        std::size_t at = 0;
        for (std::size_t i = 0; i < dims.size(); ++i) {
            const auto begin = tensor.type.shape.begin() + static_cast<std::ptrdiff_t>(at);
            const Shape part(begin, begin + static_cast<std::ptrdiff_t>(sizes[i]));
            OperandDims places;
            for (std::size_t k = 0; k < part.size(); ++k)
                places.push_back({tensor.name, at + k});
            at += sizes[i];
            FW_CHECK(!isPack(dims[i])
                         ? m_dims.bindOne(dims[i], part[0], places[0], DimNames::Binds::Firmly)
                     : param.bcast ? m_dims.joinPack(dims[i], part, places)
                                   : m_dims.bindPack(dims[i], part, places));
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
        tensor.items.resize(missing);
        for (std::size_t axis = 0; axis < tensor.type.rank(); ++axis) {
            const Dim& dim = tensor.type.shape[axis];
            tensor.items.push_back({dim});
            FW_CHECK(m_dims.joinOne(dims[missing + axis], dim, {tensor.name, axis}));
        }
        return {};
    }

    // --- conditions and outputs

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
                else if (proveEqual(own[k - missing], whole[k]))
                    tensor.slots.push_back(Slot::Same);
                else
                    tensor.slots.push_back(own[k - missing].isInt(1) ? Slot::Zero : Slot::Stretch);
            }
            tensor.items[i] = whole;
        }
        return {};
    }

    // Where an operand is absent, nothing says what a name of its type stands for.
    std::optional<Diag> onlyOptional(const std::string& name, const Span& span) const {
        const auto mentions = [&](const ParamTree& param) {
            return param.type.dtype == name ||
                   std::any_of(param.type.dims.begin(), param.type.dims.end(),
                               [&](const DimTree& dim) { return nameOf(dim) == name; });
        };
        for (const ParamTree& param : m_op.params)
            if (param.optional && mentions(param))
                return makeDiag(
                    DiagCode::TextName,
                    fmt::format("an optional operand alone cannot tell {}: {} may be absent", name,
                                param.name),
                    {m_file, {}, span.line, span.column},
                    fmt::format("an operand that is always there tells {}, or {} has no ?", name,
                                param.name));
        return std::nullopt;
    }

    Status bindOutput(const OutTree& tree) {
        BoundOutput out;
        out.name = tree.name;
        Tree dtypeName;
        dtypeName.kind = TreeKind::Name;
        dtypeName.text = tree.type.dtype;
        dtypeName.span = tree.span;
        if (!parseDtype(tree.type.dtype) && !m_binding.names.contains(tree.type.dtype))
            if (auto untold = onlyOptional(tree.type.dtype, tree.span))
                return *untold;
        FW_TRY(out.type.dtype, m_shapes.dtype(dtypeName));
        for (const DimTree& dim : tree.type.dims) {
            const Tree& one = isPack(dim) ? dim.value.args[0] : dim.value;
            if (one.isName() && !m_binding.names.contains(one.text))
                if (auto untold = onlyOptional(one.text, one.span))
                    return *untold;
            FW_TRY(Exprs part, m_shapes.expanded({dim.value}));
            for (Dim& extent : part) {
                extent = simplify(extent);
                FW_CHECK(m_dims.checkExtent("a dimension of " + tree.name, extent));
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
    DimNames m_dims;
    std::map<std::string, std::string> m_origin; // which operand bound an element type
};

} // namespace

Result<Binding> bindCall(const OpTree& op, const std::string& file, const OpCall& call) {
    return Binder(op, file, call).run();
}

} // namespace fw
