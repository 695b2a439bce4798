#include "libraries/onednn/plan/onednn_steps.h"

#include <fmt/format.h>

#include <cstring>
#include <map>
#include <mutex>

namespace fw::onednn {

using runtime::CallKind;
using runtime::Role;

namespace {

// Weights that are constant and a plain matrix or filters may be packed.
std::size_t packable(const ExternStep& step) {
    for (std::size_t i = 0; i < step.arguments.size(); ++i) {
        const ExternArgument& argument = step.arguments[i];
        const bool matrix = step.kind != CallKind::Matmul || argument.dims.size() == 2;
        if (argument.role == Role::Weights && step.operands[argument.operand].constant &&
            argument.layout.empty() && matrix)
            return i;
    }
    return step.arguments.size();
}

// Elements of a tensor in a layout such as "aBcd16b": blocked extents are rounded up.
Expr elementsIn(const Exprs& dims, const std::string& layout) {
    std::vector<std::int64_t> whole(dims.size(), 1);
    for (std::size_t i = dims.size(); i < layout.size();) {
        std::int64_t block = 0;
        for (; i < layout.size() && layout[i] >= '0' && layout[i] <= '9'; ++i)
            block = block * 10 + (layout[i] - '0');
        if (i < layout.size())
            whole.at(static_cast<std::size_t>(layout[i++] - 'a')) *= block;
    }
    Expr out = 1;
    for (std::size_t d = 0; d < dims.size(); ++d)
        out = out * (whole[d] == 1 ? dims[d] : ceilDivExpr(dims[d], whole[d]) * Expr(whole[d]));
    return out;
}

// Of everything that the library sees of a call.
Hash contentOf(const runtime::ShapedCall& call, int threads) {
    std::string text =
        fmt::format("{} {} {} {} {} {}", static_cast<int>(call.kind), threads, call.alpha,
                    call.beta, call.epsilon, fmt::join(call.attributes, ","));
    for (const runtime::ShapedArgument& argument : call.arguments)
        text += fmt::format(" {}:{}+{}[{}][{}]{}:{}", static_cast<int>(argument.role),
                            argument.buffer, argument.offset, fmt::join(argument.dims, ","),
                            fmt::join(argument.strides, ","), argument.layout, argument.bytes);
    for (const runtime::PostOp& op : call.postOps)
        text += fmt::format(" {}({}, {}, {})", static_cast<int>(op.kind), op.alpha, op.beta,
                            op.argument);
    return hashOf(text);
}

// What the library said, because it searches among its kernels to say it. One level of instructions
// per process, so an answer stays true.
class Answers {
public:
    std::optional<Acceptance> find(const Hash& question) const {
        const std::lock_guard lock(m_mutex);
        const auto found = m_known.find(question);
        return found == m_known.end() ? std::nullopt : std::optional(found->second);
    }
    void add(const Hash& question, const Acceptance& answer) {
        const std::lock_guard lock(m_mutex);
        if (m_known.size() >= many)
            m_known.clear();
        m_known.emplace(question, answer);
    }

private:
    static constexpr std::size_t many = 4096;
    mutable std::mutex m_mutex;
    std::map<Hash, Acceptance> m_known;
};

Acceptance askedOf(const runtime::ShapedCall& question, int threads) {
    runtime::OneDnnAnswer answer;
    const runtime::Status status = runtime::askOneDnn(question, threads, answer);
    if (!status.ok())
        return {Verdict::No, ReasonCode::LibraryRefused, status.message};
    if (answer.slow)
        return {Verdict::No, ReasonCode::LibraryRefused,
                "only a reference kernel, " + answer.kernel};
    if (!answer.doubt.empty())
        return {Verdict::No, ReasonCode::LibraryRefused, answer.doubt};
    return {Verdict::Yes, ReasonCode::LibraryTakes, answer.kernel};
}

} // namespace

runtime::ShapedCall questionOf(const ExternStep& step) {
    runtime::ShapedCall question = shaped(step, typicalExtent);
    if (const std::size_t at = packable(step); at < step.arguments.size()) {
        question.arguments[at].strides.clear();
        question.arguments[at].layout = "any";
    }
    return question;
}

Acceptance verdictOf(const runtime::ShapedCall& question, int threads) {
    for (const runtime::ShapedArgument& argument : question.arguments)
        if (argument.elements() == 0)
            return {Verdict::No, ReasonCode::LibraryRefused, "an operand is empty"};
    static Answers known;
    const Hash content = contentOf(question, threads);
    if (const auto answer = known.find(content))
        return *answer;
    const Acceptance answer = askedOf(question, threads);
    known.add(content, answer);
    return answer;
}

Status packWeights(const Graph& graph, ExternStep& step, int threads, ExternCall& call) {
    const std::size_t at = packable(step);
    if (at == step.arguments.size())
        return {};
    const runtime::ShapedCall question = questionOf(step);
    runtime::OneDnnAnswer answer;
    runtime::Status status = runtime::askOneDnn(question, threads, answer);
    if (!status.ok())
        return makeDiag(DiagCode::LibraryFailed, status.message);
    if (answer.layout.empty())
        return {};
    ExternArgument& weights = step.arguments[at];
    const ValueRef value = step.operands[weights.operand].value;
    ExternOperand packed;
    packed.kind = ExternOperand::Kind::Packed;
    packed.name = graph.output(value).name;
    const runtime::ShapedArgument from = shaped(step, typicalExtent).arguments[at];
    status = runtime::packOneDnn(question, threads, from, nullptr, nullptr);
    if (!status.ok())
        return makeDiag(DiagCode::LibraryFailed, status.message);
    packed.packed.from = value;
    packed.packed.bytes = answer.weightsBytes;
    packed.packed.content = hashOf(
        fmt::format("{} {} {} {} {} {} {}", answer.kernel, graph.constant(value)->hash().hex(),
                    answer.layout, answer.weightsBytes, fmt::join(from.dims, "x"),
                    fmt::join(from.strides, "x"), fmt::join(question.attributes, " ")));
    packed.packed.write = [question, threads, from](const TensorData& data,
                                                    std::span<std::byte> out) -> Status {
        const runtime::Status done =
            runtime::packOneDnn(question, threads, from, data.bytes().data(), out.data());
        if (!done.ok())
            return makeDiag(DiagCode::LibraryFailed, done.message);
        return {};
    };
    call.decisions.push_back({packed.name, Verdict::Note, ReasonCode::WeightsPacked,
                              fmt::format("{}, {} bytes", answer.layout, answer.weightsBytes)});
    weights.operand = static_cast<std::uint32_t>(step.operands.size());
    weights.layout = answer.layout;
    weights.strides.clear();
    step.operands.push_back(std::move(packed));
    dropUnused(step);
    return {};
}

ExternStep moveInside(ExternStep& step, std::size_t at, const Inside& inside) {
    ExternArgument& argument = step.arguments[at];
    const bool output = argument.role == Role::Output;
    ExternOperand original = step.operands[argument.operand];
    ExternOperand between;
    between.kind = ExternOperand::Kind::Between;
    between.name = inside.name;
    between.elements = inside.layout.empty() ? elementCount(argument.dims)
                                             : elementsIn(argument.dims, inside.layout);
    ExternArgument there{output ? Role::Input : Role::Output,
                         output ? 1u : 0u,
                         argument.dims,
                         inside.layout.empty() ? inside.strides : Exprs(),
                         inside.layout,
                         0};
    ExternArgument here{output ? Role::Output : Role::Input,
                        output ? 0u : 1u,
                        argument.dims,
                        argument.strides,
                        argument.layout,
                        argument.offset};

    ExternStep reorder;
    reorder.suffix = inside.suffix;
    reorder.kind = CallKind::Reorder;
    original.access = output ? runtime::Access::Write : runtime::Access::Read;
    between.access = output ? runtime::Access::Read : runtime::Access::Write;
    if (output) {
        reorder.operands = {original, between};
        reorder.arguments = {here, there};
    } else {
        reorder.operands = {between, original};
        reorder.arguments = {there, here};
    }

    between.access = output ? runtime::Access::Write : runtime::Access::Read;
    argument.operand = static_cast<std::uint32_t>(step.operands.size());
    argument.strides = there.strides;
    argument.layout = there.layout;
    argument.offset = 0;
    step.operands.push_back(std::move(between));
    return reorder;
}

void storeChannelsLast(const Graph& graph, ExternStep& step, std::size_t at) {
    ExternArgument& argument = step.arguments[at];
    const ValueRef value = step.operands[argument.operand].value;
    const TensorData& data = *graph.constant(value);
    ExternOperand stored;
    stored.kind = ExternOperand::Kind::Packed;
    stored.name = graph.output(value).name;
    stored.packed.from = value;
    stored.packed.bytes = data.bytes().size();
    stored.packed.content = hashOf("channels-last " + data.hash().hex());
    stored.packed.write = [](const TensorData& from, std::span<std::byte> out) -> Status {
        const std::vector<std::int64_t>& e = from.extents();
        const auto channels = static_cast<std::size_t>(e[1]),
                   pixels = static_cast<std::size_t>(e[2] * e[3]);
        for (std::size_t i = 0; i < from.count(); ++i) {
            const std::size_t image = i / (channels * pixels), c = i / pixels % channels,
                              pixel = i % pixels;
            std::memcpy(&out[4 * ((image * pixels + pixel) * channels + c)], &from.bytes()[4 * i],
                        4);
        }
        return {};
    };
    argument.operand = static_cast<std::uint32_t>(step.operands.size());
    argument.strides = placementOf(argument.dims, channelsLast(4))->strides;
    step.operands.push_back(std::move(stored));
}

void dropUnused(ExternStep& step) {
    std::vector<ExternOperand> kept;
    std::vector<std::uint32_t> place(step.operands.size());
    for (std::size_t i = 0; i < step.operands.size(); ++i) {
        bool used = false;
        for (const ExternArgument& argument : step.arguments)
            used = used || argument.operand == i;
        place[i] = static_cast<std::uint32_t>(kept.size());
        if (used)
            kept.push_back(std::move(step.operands[i]));
    }
    for (ExternArgument& argument : step.arguments)
        argument.operand = place[argument.operand];
    step.operands = std::move(kept);
}

} // namespace fw::onednn
