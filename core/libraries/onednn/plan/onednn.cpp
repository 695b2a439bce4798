// oneDNN: convolutions, matrix products, pooling and rows. What it absorbs is written in the book
// (chain onednn.tail); here each operator of that chain becomes its post-op, and the library is
// asked before a node is claimed. It answers with the kernel that it would run; reference kernels
// count as a refusal.
#include "extern/shapes.h"
#include "libraries/onednn/plan/onednn_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace fw {

using runtime::CallKind;
using runtime::Role;

namespace {

// Measured on an EPYC 9004 by tests/bench/calls.cpp.
constexpr Efficiency efficiencyTable[] = {
    {WorkClass::Convolution, 0.95, 0.97}, {WorkClass::Grouped, 0.7, 0.45},
    {WorkClass::Product, 0.93, 0.95},     {WorkClass::FewRows, 0.44, 0.25},
    {WorkClass::Pool, 0.21, 0.25},        {WorkClass::Rows, 0.25, 0.2},
};

template <Pooled pooled, PoolWindow window>
Result<ExternCall> pool(const CallSite& site) {
    return buildPool(site, pooled, window);
}
template <CallKind kind>
Result<ExternCall> softmax(const CallSite& site) {
    return buildSoftmax(site, kind);
}
Result<ExternCall> winograd(const CallSite& site) {
    CallSite alone = site; // no operand is in blocks, so none can be added
    alone.mayReuse = nullptr;
    FW_TRY(ExternCall call, buildConvolution(alone, CallKind::Winograd));
    for (const ExternArgument& argument : call.steps.front().arguments) {
        if (argument.role == Role::Operand)
            return makeDiag(DiagCode::LibraryFailed, "it adds no tensor");
        // Weights in one of its orders cannot be brought into another when the sizes are known.
        for (const Expr& dim : argument.dims)
            if (!dim.asInt())
                return makeDiag(DiagCode::LibraryFailed,
                                fmt::format("the order of its weights depends on {}, which is open",
                                            dim.text()));
    }
    return call;
}
Result<ExternCall> convolution(const CallSite& site) {
    return buildConvolution(site, CallKind::Convolution);
}

// The library itself says whether it takes what a group would append.
class AskedImplementation : public ExternImplementation {
public:
    using ExternImplementation::ExternImplementation;

    Acceptance absorbsEpilogue(const Growing& group, const Workload& next) const override {
        return absorbs(group, next, [this](const CallSite& site) -> Acceptance {
            const Result<ExternCall> call = build(site);
            if (!call)
                return {Verdict::No, ReasonCode::CannotAbsorb, call.diag().message};
            return onednn::verdictOf(question(*call), 1);
        });
    }

protected:
    virtual runtime::ShapedCall question(const ExternCall& call) const {
        return onednn::questionOf(call.steps.front());
    }
};

class OneDnnImplementation final : public AskedImplementation {
public:
    using AskedImplementation::AskedImplementation;

    // Where the library does not add to what the output holds, it reads the other tensor.
    Result<ExternCall> call(const CallSite& site, const Target& target) const override {
        Result<ExternCall> out = arranged(site, target);
        if (out || !site.mayReuse)
            return out;
        CallSite apart = site;
        apart.mayReuse = nullptr;
        return arranged(apart, target);
    }

protected:
    Acceptance ask(const ExternCall& call, const Target& target) const override {
        return onednn::verdictOf(question(call), target.threads);
    }

private:
    Result<ExternCall> arranged(const CallSite& site, const Target& target) const {
        FW_TRY(ExternCall call, build(site));
        if (images())
            FW_CHECK(channelsLastInside(site, call));
        ExternStep& step =
            *std::find_if(call.steps.begin(), call.steps.end(),
                          [](const ExternStep& s) { return s.kind != CallKind::Reorder; });
        FW_CHECK(onednn::packWeights(*site.graph, step, target.threads, call));
        const Acceptance answer = onednn::verdictOf(shaped(step, typicalExtent), target.threads);
        if (!answer.yes())
            return makeDiag(DiagCode::LibraryFailed, answer.evidence);
        call.kernel = answer.evidence;
        return call;
    }

    // Images that the plan keeps row-major are reordered by steps of their own before and after;
    // those that a post-op reads as well, since the library's fast kernels know one order only.
    static Status channelsLastInside(const CallSite& site, ExternCall& call) {
        std::vector<ExternStep> before, after;
        ExternStep step = std::move(call.steps.front());
        std::map<std::uint32_t, std::uint32_t> moved; // operands that were reordered already
        for (std::size_t i = 0; i < step.arguments.size(); ++i) {
            ExternArgument& argument = step.arguments[i];
            const bool output = argument.role == Role::Output;
            const bool operand = argument.role == Role::Operand;
            const ValueRef value = step.operands[argument.operand].value;
            if (operand && step.operands[argument.operand].constant &&
                !sameEitherWay(argument.dims)) {
                call.decisions.push_back({site.graph->output(value).name, Verdict::Note,
                                          ReasonCode::ReorderAdded,
                                          "channels-last, while compiling"});
                onednn::storeChannelsLast(*site.graph, step, i);
                continue;
            }
            const Exprs wanted = argument.dims.size() == 4
                                     ? placementOf(argument.dims, channelsLast(4))->strides
                                     : argument.strides;
            if ((!output && !operand && argument.role != Role::Input) ||
                argument.strides == wanted || (operand && sameEitherWay(argument.dims)))
                continue;
            if (output && call.reused)
                return makeDiag(DiagCode::LibraryFailed,
                                "its result is added to, and stored in another order");
            call.decisions.push_back({site.graph->output(value).name, Verdict::Note,
                                      ReasonCode::ReorderAdded, "channels-last"});
            const std::uint32_t from = argument.operand;
            if (const auto known = moved.find(from); operand && known != moved.end()) {
                argument.operand = known->second;
                argument.strides = wanted;
                argument.offset = 0;
                continue;
            }
            const std::string number = operand ? fmt::format("{}", i) : std::string();
            (output ? after : before)
                .push_back(onednn::moveInside(step, i,
                                              {(output    ? "result_channels_last"
                                                : operand ? "operand_channels_last"
                                                          : "image_channels_last") +
                                                   number,
                                               (output    ? "_reorder_out"
                                                : operand ? "_reorder_operand"
                                                          : "_reorder_in") +
                                                   number,
                                               wanted,
                                               {}}));
            if (!output)
                moved.emplace(from, step.arguments[i].operand);
        }
        onednn::dropUnused(step);
        call.steps = std::move(before);
        call.steps.push_back(std::move(step));
        for (ExternStep& reorder : after)
            call.steps.push_back(std::move(reorder));
        return {};
    }
};

// The algorithm of Winograd for 3x3 filters: fewer multiplications, less exact, on images in blocks
// of channels. Between two such calls they stay in blocks, other memory is reordered before and
// after.
class WinogradImplementation final : public AskedImplementation {
public:
    using AskedImplementation::AskedImplementation;

    double estimate(const Facts& work, const Workload& anchor,
                    const Target& target) const override {
        Facts fewer = work;
        fewer.flops /= saved;
        return ExternImplementation::estimate(fewer, anchor, target);
    }

    LayoutWish wants(const Graph& graph, const Node& node, const Target& target) const override {
        LayoutWish out = ExternImplementation::wants(graph, node, target);
        if (out.order)
            out.between = blocks();
        return out;
    }

    Result<ExternCall> call(const CallSite& site, const Target& target) const override {
        CallSite plain = site; // blocks have no strides: they are named below
        plain.layout = [&](ValueRef value) {
            return site.layout(value) == blocks() ? channelsLast(4) : site.layout(value);
        };
        FW_TRY(ExternCall call, build(plain));
        runtime::OneDnnAnswer answer;
        if (const auto status = runtime::askOneDnn(question(call), target.threads, answer);
            !status.ok())
            return makeDiag(DiagCode::LibraryFailed, status.message);
        if (answer.inputLayout.empty() || answer.outputLayout.empty())
            return makeDiag(DiagCode::LibraryFailed, "it wants images in an order without a name");
        ExternStep step = std::move(call.steps.front());
        std::vector<ExternStep> before, after;
        for (const Role role : {Role::Input, Role::Output})
            for (std::size_t i = 0; i < step.arguments.size(); ++i) {
                if (step.arguments[i].role != role)
                    continue;
                const std::string& layout =
                    role == Role::Input ? answer.inputLayout : answer.outputLayout;
                const ValueRef value = step.operands[step.arguments[i].operand].value;
                if (site.layout(value) == blocks()) {
                    step.arguments[i].strides.clear();
                    step.arguments[i].layout = blocksOf16;
                }
                if (step.arguments[i].layout == layout)
                    continue;
                call.decisions.push_back({site.graph->output(value).name, Verdict::Note,
                                          ReasonCode::ReorderAdded, layout});
                (role == Role::Input ? before : after)
                    .push_back(onednn::moveInside(
                        step, i,
                        {role == Role::Input ? "image_blocked" : "result_blocked",
                         role == Role::Input ? "_reorder_in" : "_reorder_out",
                         {},
                         layout}));
            }
        onednn::dropUnused(step);
        FW_CHECK(onednn::packWeights(*site.graph, step, target.threads, call));
        call.steps = std::move(before);
        call.steps.push_back(std::move(step));
        for (ExternStep& reorder : after)
            call.steps.push_back(std::move(reorder));
        call.kernel = answer.kernel;
        return call;
    }

protected:
    Acceptance ask(const ExternCall& call, const Target& target) const override {
        return onednn::verdictOf(question(call), target.threads);
    }

private:
    static StorageMap blocks() { return {{{0}, {1, 16}, {2}, {3}, {1, 1, 16}}, {}}; }
    static constexpr double saved = 1.5; // of 2.25 with tiles of 4x4: the transforms take the rest
    static constexpr const char* blocksOf16 = "aBcd16b"; // blocks() in oneDNN's words

    // Images in the order of the library's choice.
    runtime::ShapedCall question(const ExternCall& call) const override {
        runtime::ShapedCall asked = onednn::questionOf(call.steps.front());
        for (runtime::ShapedArgument& argument : asked.arguments)
            if (argument.role == Role::Input || argument.role == Role::Output) {
                argument.strides.clear();
                argument.layout = "any";
            }
        return asked;
    }
};

class OneDnn final : public Library {
public:
    const std::string& name() const override { return m_name; }
    const LibraryStatus& status() const override {
        static const LibraryStatus status = statusOf(runtime::LibraryId::OneDnn);
        return status;
    }
    std::span<const Efficiency> efficiencies() const override { return efficiencyTable; }
    std::vector<std::shared_ptr<const Implementation>> implementations() const override {
        using Row = ExternImplementation::Row;
        using Order = ExternImplementation::Order;
        using enum Pooled;
        using enum PoolWindow;
        const Row rows[] = {
            {"onednn.matmul",
             15,
             {{"dense", buildDense}, {"batch_matmul", buildMatmul}},
             Order::Rows},
            {"onednn.conv", 15, {{"conv2d", convolution}}, Order::ChannelsLast},
            {"onednn.deconv", 15, {{"conv_transpose2d", buildDeconvolution}}, Order::ChannelsLast},
            {"onednn.pool",
             12,
             {{"max_pool2d", pool<Largest, Attributes>},
              {"avg_pool2d", pool<Mean, Attributes>},
              {"global_average_pool", pool<Mean, WholeImage>},
              {"global_max_pool", pool<Largest, WholeImage>}},
             Order::ChannelsLast},
            {"onednn.softmax",
             12,
             {{"softmax", softmax<CallKind::Softmax>},
              {"log_softmax", softmax<CallKind::LogSoftmax>}},
             Order::Any},
            {"onednn.layernorm", 12, {{"layernorm", buildLayerNorm}}, Order::Rows},
        };
        std::vector<std::shared_ptr<const Implementation>> out;
        for (const Row& row : rows)
            out.push_back(std::make_shared<OneDnnImplementation>(*this, row));
        // Only by a pin, a measurement or a book that says otherwise: it is less exact.
        out.push_back(std::make_shared<WinogradImplementation>(
            *this, Row{"onednn.winograd", 1, {{"conv2d", winograd}}, Order::ChannelsLast}));
        return out;
    }

private:
    std::string m_name = "onednn";
};

} // namespace

std::shared_ptr<const Library> makeOneDnn() {
    return std::make_shared<OneDnn>();
}

} // namespace fw
