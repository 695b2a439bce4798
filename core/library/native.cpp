#include "library/native.h"

#include "syntax/op.h"
#include "tensor/facts.h"
#include "tensor/onnx_clauses.h"
#include "tensor/reference.h"
#include "tensor/wide.h"

#include <set>

namespace fw {

namespace {

// Native operators name their axes i0, j0, r0, ... A free dimension may have such a name as well;
// it is called otherwise while the computation is built.
class DimsAside {
public:
    explicit DimsAside(const OpCall& call) : m_call(call) {
        for (auto& input : m_call.inputs)
            if (input)
                input->shape = aside(input->shape);
        for (TensorType& type : m_call.declared)
            type.shape = aside(type.shape);
        for (const auto& [name, value] : call.attrs)
            if (const auto* dims = std::get_if<Exprs>(&value))
                m_call.attrs.set(name, aside(*dims));
    }

    const OpCall& call() const { return m_call; }

    // With the dimensions called as they were, and axes that have none of their names.
    OpInst back(const OpInst& inst) const {
        if (m_back.empty())
            return inst;
        std::set<Symbol> taken;
        for (const auto& [aside, dim] : m_back)
            taken.insert(dim->symbol);
        OpInst out = renamed(inst, {}, [&](Symbol axis) {
            Symbol name = axis;
            for (int n = 1; !taken.insert(name).second; ++n)
                name = Symbol(axis.text() + "_" + std::to_string(n));
            return name;
        });
        for (auto* list : {&out.inputs, &out.outputs, &out.temporaries})
            for (TensorDecl& decl : *list)
                replace(decl.type.shape);
        for (Stage& stage : out.stages) {
            for (auto* axes : {&stage.space, &stage.reduce})
                for (Axis& axis : *axes)
                    axis.extent = substitute(axis.extent, m_back);
            replace(stage.store);
            stage.body = substitute(stage.body, m_back);
        }
        return out;
    }

private:
    Exprs aside(const Exprs& dims) {
        Exprs out;
        for (const Expr& dim : dims)
            out.push_back(mapExpr(dim, [&](const Expr& part) {
                if (!part.isVar() || part->symbol.text().find_first_of("ijr") != 0)
                    return part;
                const Symbol name("$" + part->symbol.text());
                m_back.emplace(name, part);
                return varExpr(name);
            }));
        return out;
    }

    void replace(Exprs& list) const {
        for (Expr& e : list)
            e = substitute(e, m_back);
    }

    OpCall m_call;
    Substitution m_back;
};

class NativeOperator final : public Operator {
public:
    explicit NativeOperator(NativeRow row) : m_row(std::move(row)) {
        Result<std::vector<OnnxTree>> clauses = parseOnnxClauses(m_row.onnx, m_row.name);
        if (!clauses)
            throw InternalError("the clauses of " + m_row.name + ": " + clauses.diag().text());
        m_onnx = onnxBindings(*clauses, m_row.name);
    }

    const std::string& name() const override { return m_row.name; }
    const std::string& doc() const override { return m_row.doc; }
    std::string signature() const override { return m_row.signature; }
    std::string body() const override { return "native"; }
    std::vector<std::string> inputNames() const override { return m_row.inputs; }
    std::vector<std::string> outputNames() const override { return m_row.outputs; }
    Arity arity() const override {
        return m_row.anyOperands ? Arity() : Arity{m_row.inputs.size(), m_row.inputs.size()};
    }
    std::vector<std::string> attrNames() const override {
        std::vector<std::string> out;
        for (const NativeAttr& attr : m_row.attrs)
            out.push_back(attr.name);
        return out;
    }
    std::optional<AttrType> attrType(std::string_view name) const override {
        const NativeAttr* attr = find(name);
        if (attr == nullptr && m_row.anyOperands)
            return AttrType::Any;
        return attr == nullptr ? std::nullopt : std::optional(attr->type);
    }
    std::optional<AttrValue> attrDefault(std::string_view name) const override {
        const NativeAttr* attr = find(name);
        return attr == nullptr ? std::nullopt : attr->fallback;
    }
    std::vector<OnnxBinding> onnx() const override { return m_onnx; }
    bool isNative() const override { return true; }
    bool isView() const override { return m_row.view; }
    bool bindsDims() const override { return m_row.bindsDims; }
    std::string_view runtimeKernel() const override { return m_row.runtimeKernel; }

    Result<Inferred> infer(const OpCall& call) const override { return m_row.infer(call); }

    Result<OpInst> instantiate(const OpCall& call) const override {
        if (!m_row.instantiate)
            return makeDiag(DiagCode::UnknownOperator, m_row.name + " has no tensor expression", {},
                            m_row.reference ? "" : "it can be looked at, but not run");
        const DimsAside dims(call);
        FW_TRY(const Inferred inferred, m_row.infer(dims.call()));
        FW_TRY(const OpInst inst, m_row.instantiate(dims.call(), inferred.outputs));
        return dims.back(inst);
    }

    Result<Facts> facts(const OpCall& call) const override {
        if (!m_row.instantiate)
            return Facts{};
        FW_TRY(const OpInst inst, instantiate(call));
        return deriveFacts(inst);
    }

    Result<std::vector<TensorData>>
    reference(const OpCall& call, const std::vector<const TensorData*>& inputs) const override {
        if (m_row.reference)
            return m_row.reference(call, inputs);
        FW_TRY(const OpInst inst, instantiate(call));
        std::vector<const TensorData*> present;
        for (const TensorData* input : inputs)
            if (input != nullptr)
                present.push_back(input);
        return evaluate(widened(inst), present);
    }

private:
    const NativeAttr* find(std::string_view name) const {
        for (const NativeAttr& attr : m_row.attrs)
            if (attr.name == name)
                return &attr;
        return nullptr;
    }

    NativeRow m_row;
    std::vector<OnnxBinding> m_onnx;
};

} // namespace

std::vector<std::shared_ptr<const Operator>> nativeOperators() {
    std::vector<std::shared_ptr<const Operator>> out;
    for (const auto& family :
         {leafOperators(), movementOperators(), reductionOperators(), indexOperators(),
          matrixOperators(), sizeOperators(), selectingOperators()})
        for (const NativeRow& row : family)
            out.push_back(std::make_shared<NativeOperator>(row));
    return out;
}

Axis axisOf(std::size_t dim, const Dim& extent) {
    return {Symbol("i" + std::to_string(dim)), extent};
}

std::vector<Axis> axesOf(const Shape& shape) {
    std::vector<Axis> out;
    for (std::size_t i = 0; i < shape.size(); ++i)
        out.push_back(axisOf(i, shape[i]));
    return out;
}

Exprs varsOf(const std::vector<Axis>& axes) {
    Exprs out;
    for (const Axis& axis : axes)
        out.push_back(varExpr(axis.var));
    return out;
}

Result<const TensorType*> operand(const OpCall& call, std::size_t index, const std::string& name) {
    if (index >= call.inputs.size() || !call.inputs[index])
        return makeDiag(DiagCode::OperatorArity, "operand " + name + " is missing");
    return &*call.inputs[index];
}

Result<Shape> shapeAttr(const Attrs& attrs, const std::string& name) {
    const AttrValue* value = attrs.find(name);
    if (value != nullptr) {
        if (const auto* exprs = std::get_if<Exprs>(value))
            return *exprs;
        if (const auto* integers = std::get_if<Integers>(value)) {
            FW_TRY([[maybe_unused]] const std::int64_t count, checkedCount(*integers));
            return fixedShape(*integers);
        }
    }
    return makeDiag(DiagCode::UnsupportedAttribute,
                    "attribute " + name + " must be a list of dimensions");
}

OpInst mapInst(const std::vector<TensorDecl>& inputs, const TensorType& output, const Expr& body) {
    OpInst inst;
    inst.inputs = inputs;
    inst.outputs = {{Symbol("y"), output}};
    Stage stage;
    stage.out = Symbol("y");
    stage.space = axesOf(output.shape);
    stage.store = varsOf(stage.space);
    stage.body = body;
    inst.stages.push_back(std::move(stage));
    return inst;
}

Inferred inferredType(TensorType type) {
    Inferred out;
    out.outputs.push_back(std::move(type));
    return out;
}

} // namespace fw
