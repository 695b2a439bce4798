#include "extern/user_kernel.h"

#include "runtime/breadcrumb.h"
#include "runtime/user_kernel.h"
#include "strategy/machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

namespace fw {

using runtime::UserKind;
using runtime::UserRole;

namespace {

constexpr double callMicroseconds = 1; // where it was not measured

// As the operator declares it: an integer that is written for a number is a number.
Result<runtime::UserAttribute> attributeOf(const std::string& name, const AttrValue& value,
                                           std::optional<AttrType> type) {
    runtime::UserAttribute out;
    out.name = name;
    const bool real = type == AttrType::Float || type == AttrType::FloatList;
    out.kind = real ? UserKind::Numbers : UserKind::Integers;
    const auto integer = [&](std::int64_t one) {
        if (real)
            out.numbers.push_back(static_cast<double>(one));
        else
            out.integers.push_back(one);
    };
    if (const auto* one = std::get_if<std::int64_t>(&value)) {
        integer(*one);
    } else if (const auto* list = std::get_if<Integers>(&value)) {
        std::for_each(list->begin(), list->end(), integer);
    } else if (const auto* number = std::get_if<double>(&value)) {
        out.kind = UserKind::Numbers;
        out.numbers.push_back(*number);
    } else if (const auto* numbers = std::get_if<Reals>(&value)) {
        out.kind = UserKind::Numbers;
        out.numbers = *numbers;
    } else if (const auto* text = std::get_if<std::string>(&value)) {
        out.kind = UserKind::Text;
        out.text = *text;
    } else if (const auto* dtype = std::get_if<DType>(&value)) {
        out.kind = UserKind::Text;
        out.text = dtypeText(*dtype);
    } else if (const auto* dims = std::get_if<Exprs>(&value)) {
        for (const Expr& dim : *dims) {
            const auto known = dim.asInt();
            if (!known)
                return makeDiag(
                    DiagCode::LibraryFailed,
                    fmt::format("its attribute {} depends on {}, which is open", name, dim.text()));
            integer(*known);
        }
    } else {
        return makeDiag(
            DiagCode::LibraryFailed,
            fmt::format("its attribute {} is a tensor or a list of texts, which is not handed to "
                        "libraries",
                        name));
    }
    return out;
}

Result<std::vector<runtime::UserAttribute>> attributesOf(const Operator& op, const Node& node) {
    std::vector<runtime::UserAttribute> out;
    for (const std::string& name : op.attrNames()) {
        const AttrValue* written = node.attrs.find(name);
        const std::optional<AttrValue> value =
            written != nullptr ? std::optional(*written) : op.attrDefault(name);
        if (!value)
            continue;
        FW_TRY(runtime::UserAttribute one, attributeOf(name, *value, op.attrType(name)));
        out.push_back(std::move(one));
    }
    return out;
}

std::vector<std::vector<std::int64_t>> knownDims(const ExternStep& step) {
    std::vector<std::vector<std::int64_t>> out;
    for (const ExternTensor& tensor : step.tensors) {
        std::vector<std::int64_t>& dims = out.emplace_back();
        for (const Expr& dim : tensor.dims)
            dims.push_back(dim.asInt().value_or(FWL_UNKNOWN));
    }
    return out;
}

runtime::UserCall callWithTypes(const ExternStep& step) {
    runtime::UserCall out = step.user;
    for (const ExternTensor& tensor : step.tensors)
        out.tensors.push_back({programType(tensor.type), tensor.role, tensor.operand, {}});
    return out;
}

// Puts a call together: its tensors in the order in which the steps name them.
class StepOfNodes {
public:
    StepOfNodes(const Graph& graph, std::span<const NodeId> nodes)
        : m_graph(graph), m_nodes(nodes) {}

    Result<ExternStep> make(runtime::UserCall call) {
        m_step.library = runtime::LibraryId::User;
        m_step.kind = runtime::CallKind::Kernel;
        m_step.user = std::move(call);
        for (const NodeId id : m_nodes) {
            const Node& node = m_graph.node(id);
            runtime::UserStep one;
            one.op = node.op;
            Result<std::vector<runtime::UserAttribute>> attributes =
                attributesOf(*m_graph.operators().find(node.op), node);
            if (!attributes)
                return makeDiag(DiagCode::LibraryFailed,
                                fmt::format("{}: {}", node.name, attributes.diag().message));
            one.attributes = attributes.take();
            for (const ValueRef& input : node.inputs)
                one.operands.push_back(input.valid() ? tensor(input) : -1);
            for (std::size_t i = 0; i < node.outputs.size(); ++i)
                one.results.push_back(tensor({id, static_cast<int>(i)}));
            m_step.user.steps.push_back(std::move(one));
        }
        for (const ExternTensor& one : m_step.tensors)
            if (one.type == DType::Text)
                return makeDiag(DiagCode::LibraryFailed, "texts are not handed to libraries");
        return std::move(m_step);
    }

private:
    std::int32_t tensor(ValueRef value) {
        const auto [at, isNew] =
            m_known.emplace(value, static_cast<std::int32_t>(m_step.tensors.size()));
        if (!isNew)
            return at->second;
        ExternTensor out;
        out.type = m_graph.type(value).dtype;
        out.dims = m_graph.type(value).shape;
        out.role = roleOf(value);
        if (out.role != UserRole::Inner) {
            out.operand = static_cast<std::uint32_t>(m_step.operands.size());
            ExternOperand operand;
            operand.value = value;
            operand.constant = out.role == UserRole::Constant;
            operand.access =
                out.role == UserRole::Output ? runtime::Access::Write : runtime::Access::Read;
            m_step.operands.push_back(std::move(operand));
        }
        m_step.tensors.push_back(std::move(out));
        return at->second;
    }

    UserRole roleOf(ValueRef value) const {
        const auto inside = [&](NodeId id) {
            return std::find(m_nodes.begin(), m_nodes.end(), id) != m_nodes.end();
        };
        if (!inside(value.node))
            return m_graph.constant(value) != nullptr ? UserRole::Constant : UserRole::Input;
        const auto uses = m_graph.uses(value);
        const bool leaves = m_graph.isResult(value) ||
                            std::any_of(uses.begin(), uses.end(),
                                        [&](const Use& use) { return !inside(use.node); });
        return leaves ? UserRole::Output : UserRole::Inner;
    }

    const Graph& m_graph;
    std::span<const NodeId> m_nodes;
    ExternStep m_step;
    std::map<ValueRef, std::int32_t> m_known;
};

} // namespace

UserKernel::UserKernel(std::shared_ptr<const Library> library, const runtime::UserLibrary& opened,
                       std::string kernel)
    : m_library(std::move(library)), m_opened(opened), m_kernel(std::move(kernel)),
      m_name(m_library->name() + "." + m_kernel) {}

std::string UserKernel::identity() const {
    return m_name + " of " + m_opened.content;
}

Result<ExternStep> UserKernel::step(const Graph& graph, std::span<const NodeId> nodes) const {
    runtime::UserCall call;
    call.library = m_library->name();
    call.file = std::filesystem::path(m_opened.info.path).filename().string();
    call.content = m_opened.content;
    call.kernel = m_kernel;
    return StepOfNodes(graph, nodes).make(std::move(call));
}

Acceptance UserKernel::accepts(const Workload&, const Target&) const {
    return {Verdict::No, ReasonCode::LibraryRefused, "it computes what a composite matches"};
}

Acceptance UserKernel::acceptsAll(const Graph& graph, std::span<const NodeId> nodes,
                                  const Target& target) const {
    const Result<ExternStep> made = step(graph, nodes);
    if (!made)
        return {Verdict::No, ReasonCode::LibraryRefused, made.diag().message};
    std::vector<std::string> names;
    for (const NodeId id : nodes)
        names.push_back(graph.node(id).name);
    const runtime::Crumb crumb{fmt::format("{} asked of {}", names.front(), m_name),
                               m_library->name(), names};
    const runtime::Breadcrumb at(crumb);
    std::string why;
    switch (runtime::askUserLibrary(m_opened, callWithTypes(*made), knownDims(*made),
                                    target.threads, why)) {
    case runtime::UserAnswer::Takes:
        return {Verdict::Yes, ReasonCode::LibraryTakes, m_name};
    case runtime::UserAnswer::Refuses:
        return {Verdict::No, ReasonCode::LibraryRefused, why};
    case runtime::UserAnswer::Nonsense:
        break;
    }
    return {Verdict::No, ReasonCode::LibraryNonsense, why};
}

Acceptance UserKernel::absorbsEpilogue(const Growing&, const Workload&) const {
    return {Verdict::No, ReasonCode::AbsorbsNothing, m_name + " takes what its composite matches"};
}

Acceptance UserKernel::absorbsPrologue(const Workload&, const Workload&) const {
    return {Verdict::No, ReasonCode::AbsorbsNothing, m_name + " takes what its composite matches"};
}

LayoutWish UserKernel::wants(const Graph&, const Node&, const Target&) const {
    LayoutWish out;
    out.order = StorageMap{};
    out.otherwiseUs = LayoutWish::refused;
    return out;
}

double UserKernel::estimate(const Facts& work, const Workload&, const Target& target) const {
    return rooflineUs(work, target, efficiencyOf(work.work, target, m_library->name(), {})) +
           callMicroseconds;
}

Result<Lowering> UserKernel::lower(const GroupSite& group, const Target&) const {
    FW_TRY(ExternStep made, step(*group.graph, group.nodes));
    for (const ExternOperand& operand : made.operands)
        if (!operand.constant && !group.layout(operand.value).isRowMajor())
            return makeDiag(
                DiagCode::LibraryFailed,
                fmt::format("{} does not lie row by row", group.graph->output(operand.value).name));
    ExternCall out;
    out.kernel = m_name;
    out.steps.push_back(std::move(made));
    return Lowering{nullptr, std::make_shared<const ExternCall>(std::move(out))};
}

} // namespace fw
