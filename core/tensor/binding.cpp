#include "tensor/binding.h"

#include "condition/condition.h"
#include "expr/simplify.h"
#include "tensor/bind_attributes.h"
#include "tensor/broadcast.h"
#include "tensor/requirement.h"

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

// Names inside total() and before().
void collectPerElement(const Tree& tree, std::set<std::string>& names) {
    if ((tree.isCall("total") || tree.isCall("before")) && tree.args.size() == 1)
        names.insert(tree.args[0].text);
    for (const Tree& arg : tree.args)
        collectPerElement(arg, names);
}

// A dimension of an operand.
struct Place {
    std::string operand;
    std::size_t axis = 0;

    std::string text() const { return fmt::format("dimension {} of {}", axis, operand); }
};
using Places = std::vector<Place>;

class Binder {
public:
    Binder(const OpTree& op, const std::string& file, const OpCall& call)
        : m_op(op), m_file(file), m_call(call), m_shapes(op, m_binding, file) {}

    Result<Binding> run() {
        for (const OutTree& out : m_op.outs)
            for (const DimTree& dim : out.type.dims)
                collectPerElement(dim.value, m_perElement);
        for (const StmtTree& stmt : m_op.stmts)
            for (const Tree& index : stmt.indices)
                collectPerElement(index, m_perElement);
        FW_CHECK(bindAttributes(m_op, m_call, m_shapes, m_binding.names, BoundSoFar::Nothing));
        FW_CHECK(bindOperands());
        FW_CHECK(bindAttributes(m_op, m_call, m_shapes, m_binding.names, BoundSoFar::Operands));
        FW_TRY(std::vector<Assumption> required, demandRequirements(m_op, m_binding.names));
        for (const Assumption& assumption : required)
            assume(assumption.condition, assumption.sentence);
        for (const WhereTree& where : m_op.where) {
            FW_TRY(const Expr value, m_shapes.extent(where.value));
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
            Places places;
            for (std::size_t k = 0; k < part.size(); ++k)
                places.push_back({tensor.name, at + k});
            at += sizes[i];
            const std::string name = nameOf(dims[i]);
            if (isPack(dims[i]) && name.empty()) {
                FW_TRY(const Exprs wanted, m_shapes.list(dims[i].value));
                for (std::size_t k = 0; k < part.size(); ++k)
                    FW_CHECK(equate(wanted[k], {}, part[k], places[k]));
            } else if (isPack(dims[i])) {
                FW_CHECK(param.bcast ? joinPack(name, part, places)
                                     : bindPack(name, part, places, Binds::Firmly));
            } else {
                FW_CHECK(bindOne(dims[i], name, part[0], places[0], Binds::Firmly));
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
            const Place place{tensor.name, i - missing};
            const std::string name = nameOf(dims[i]);
            const auto bound = m_binding.names.find(name);
            if (name.empty() && dim.isInt(1))
                continue;
            auto* known =
                bound == m_binding.names.end() ? nullptr : std::get_if<Expr>(&bound->second);
            const bool first = known == nullptr || m_perElement.contains(name);
            FW_CHECK(
                first ? bindOne(dims[i], name, dim, place, Binds::Loosely)
                      : joinDim(*known, m_places[name].at(0), m_firm.contains(name), dim, place));
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
        const auto misfit = [&] {
            return makeDiag(DiagCode::ShapeMismatch,
                            fmt::format("{} is {}, which does not fit {}", tensor.name,
                                        tensor.type.text(), patternText(param)));
        };
        if (!dims.empty() && starts[0] != unknown && starts[0] != 0)
            return misfit();
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
                return misfit();
            if (open != unknown)
                sizes[open] = limit - at - known;
            at = limit;
            i = end;
        }
        if (dims.empty() && rank != 0)
            return misfit();
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
        if (!isPack(dim) && places.size() != 1)
            return makeDiag(DiagCode::UnsupportedAttribute,
                            fmt::format("{} names {} axes, where {} stands for one", dim.axis,
                                        places.size(), nameOf(dim)));
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

    // Whether the extents that a name gets are those of the result, or may give way to others.
    enum class Binds : std::uint8_t { Firmly, Loosely };

    void bindNew(const std::string& name, NameValue value, Places places, Binds how) {
        m_binding.names[name] = std::move(value);
        m_places[name] = std::move(places);
        if (how == Binds::Firmly)
            m_firm.insert(name);
    }

    Status bindOne(const DimTree& dim, const std::string& name, const Dim& extent,
                   const Place& place, Binds how) {
        if (name.empty()) {
            FW_TRY(const Expr wanted, m_shapes.scalar(dim.value));
            return equate(wanted, {}, extent, place);
        }
        if (m_perElement.contains(name)) {
            m_binding.perElement[name].push_back(extent);
            return {};
        }
        const auto found = m_binding.names.find(name);
        if (found == m_binding.names.end()) {
            bindNew(name, extent, {place}, how);
            return {};
        }
        const auto* bound = std::get_if<Expr>(&found->second);
        if (bound == nullptr)
            return makeDiag(DiagCode::TextName, fmt::format("'{}' is used for two things", name));
        return equate(*bound, placeOf(name, 0), extent, place);
    }

    Status bindPack(const std::string& name, const Shape& part, const Places& places, Binds how) {
        const auto found = m_binding.names.find(name);
        if (found == m_binding.names.end()) {
            bindNew(name, part, places, how);
            return {};
        }
        const auto* bound = std::get_if<Exprs>(&found->second);
        if (bound == nullptr)
            return makeDiag(DiagCode::TextName, fmt::format("'{}' is used for two things", name));
        if (bound->size() != part.size())
            return makeDiag(DiagCode::ShapeMismatch,
                            fmt::format("{} is {} from {} but {} from {}", name, shapeText(*bound),
                                        operandOf(name), shapeText(part), operandOf(places)));
        for (std::size_t i = 0; i < part.size(); ++i)
            FW_CHECK(equate((*bound)[i], placeOf(name, i), part[i], places[i]));
        return {};
    }

    // NumPy broadcasting: aligned at the right, 1 gives way.
    Status joinPack(const std::string& name, const Shape& part, const Places& places) {
        const auto found = m_binding.names.find(name);
        if (found == m_binding.names.end())
            return bindPack(name, part, places, Binds::Loosely);
        auto* bound = std::get_if<Exprs>(&found->second);
        if (bound == nullptr)
            return makeDiag(DiagCode::TextName, fmt::format("'{}' is used for two things", name));
        const bool firm = m_firm.contains(name);
        if (firm && part.size() > bound->size())
            return makeDiag(DiagCode::ShapeMismatch,
                            fmt::format("{} of {} does not broadcast to {} of {}", shapeText(part),
                                        operandOf(places), shapeText(*bound), operandOf(name)));
        Places& known = m_places[name];
        while (bound->size() < part.size()) {
            const std::size_t next = part.size() - bound->size() - 1;
            bound->insert(bound->begin(), part[next]);
            known.insert(known.begin(), places[next]);
        }
        const std::size_t offset = bound->size() - part.size();
        for (std::size_t i = 0; i < part.size(); ++i)
            FW_CHECK(joinDim((*bound)[offset + i], known[offset + i], firm, part[i], places[i]));
        return {};
    }

    // Broadcasts one extent against what is known of the result. A firm one stays as it is.
    Status joinDim(Dim& bound, Place& boundPlace, bool firm, const Dim& found, const Place& place) {
        const auto sentence = [&](const Expr& a, const Expr& b, const std::string& demand) {
            return fmt::format("{} is {} and {} is {}: {}", boundPlace.text(), a.text(),
                               place.text(), b.text(), demand);
        };
        if (firm) {
            const Expr condition = orExpr(eqExpr(found, bound), eqExpr(found, Expr(1)));
            return demand(condition, [&] {
                return sentence(bound, found, "they must be equal, or the second 1");
            });
        }
        const Broadcast both = broadcast(bound, found);
        if (both.refuted)
            return makeDiag(DiagCode::ShapeMismatch,
                            sentence(both.refuted->a, both.refuted->b, both.refuted->demand()));
        for (const Compatibility& pair : both.conditions)
            assume(pair.condition, sentence(pair.a, pair.b, pair.demand()));
        if (!proveEqual(both.extent, bound) && proveEqual(both.extent, found))
            boundPlace = place;
        bound = both.extent;
        return {};
    }

    Place placeOf(const std::string& name, std::size_t i) const {
        const auto found = m_places.find(name);
        return found == m_places.end() || i >= found->second.size() ? Place() : found->second[i];
    }

    static std::string operandOf(const Places& places) {
        return places.empty() ? "a scalar" : places[0].operand;
    }
    std::string operandOf(const std::string& name) const {
        const auto found = m_places.find(name);
        return operandOf(found == m_places.end() ? Places() : found->second);
    }

    // A bound extent without a place is that of the signature.
    Status equate(const Dim& bound, const Place& boundPlace, const Dim& found,
                  const Place& foundPlace) {
        return demand(eqExpr(bound, found), [&] {
            return boundPlace.operand.empty()
                       ? fmt::format("{} is {}: it must be {}", foundPlace.text(), found.text(),
                                     bound.text())
                       : fmt::format("{} is {} and {} is {}: they must be equal", boundPlace.text(),
                                     bound.text(), foundPlace.text(), found.text());
        });
    }

    // Diags get the operator's name from the caller. Most conditions hold, without a sentence.
    template <class Sentence>
    Status demand(const Expr& condition, const Sentence& sentence) {
        const std::optional<bool> holds = decideDims(condition);
        if (holds && *holds)
            return {};
        const std::string said = sentence();
        if (holds)
            return makeDiag(DiagCode::ShapeMismatch, said);
        assume(condition, said);
        return {};
    }

    void assume(const Expr& condition, const std::string& sentence) {
        m_binding.assumptions.push_back({condition, m_op.name + ": " + sentence});
    }

    // --- conditions and outputs

    Status checkDim(const std::string& name, const Dim& dim) {
        if (dim.dtype() != DType::I64)
            return makeDiag(DiagCode::TextType, fmt::format("{} is not an integer", name));
        return demand(leExpr(Expr(0), dim), [&] {
            return fmt::format("{} would be {}: it must not be negative", name, dim.text());
        });
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
                               [&](const DimTree& dim) {
                                   const bool pack = dim.value.kind == TreeKind::Pack;
                                   return (pack ? dim.value.args[0] : dim.value).isName(name);
                               });
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
            const Tree& one = dim.value.kind == TreeKind::Pack ? dim.value.args[0] : dim.value;
            if (one.isName() && !m_binding.names.contains(one.text))
                if (auto untold = onlyOptional(one.text, one.span))
                    return *untold;
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
    std::map<std::string, std::string> m_origin; // which operand bound an element type
    std::map<std::string, Places> m_places;      // which dimensions bound a name
    std::set<std::string> m_firm;                // bound by an operand that does not broadcast
};

} // namespace

Result<Binding> bindCall(const OpTree& op, const std::string& file, const OpCall& call) {
    return Binder(op, file, call).run();
}

} // namespace fw
