#include "extern/adapter.h"

#include "base/library_names.h"
#include "base/system_limit.h"
#include "extern/limited_start.h"
#include "runtime/breadcrumb.h"
#include "runtime/library_level.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>

namespace fw {

namespace {

constexpr double callUs = 1; // where it was not measured
// The kernels of ours around a call run on the threads of the library's OpenMP, which come later:
// what pools of oneDNN cost light_inception_v1 on an EPYC 9004 beyond their own time.
constexpr double aroundUs = 3;

bool isFloat32(const Graph& graph, const Node& node) {
    for (const ValueRef& input : node.inputs)
        if (input.valid() && graph.type(input).dtype != DType::F32)
            return false;
    return node.outputs[0].type.dtype == DType::F32;
}

runtime::Crumb crumbOf(const Node& anchor, std::string_view implementation) {
    return {fmt::format("{} asked of {}", anchor.name, implementation),
            std::string(implementation.substr(0, implementation.find('.'))),
            {anchor.name}};
}

} // namespace

const ExternImplementation::Computed* ExternImplementation::find(const Node& node) const {
    for (const Computed& computed : m_row.operators)
        if (computed.op == node.op)
            return &computed;
    return nullptr;
}

Result<ExternCall> ExternImplementation::build(const CallSite& site) const {
    return find(site.graph->node(site.anchor))->build(site);
}

LayoutWish ExternImplementation::wants(const Graph& graph, const Node& node,
                                       const Target& target) const {
    LayoutWish out;
    if (find(node) == nullptr || m_row.order == Order::Any)
        return out;
    if (m_row.order == Order::ChannelsLast)
        return wishChannelsLast(graph, node, target);
    out.order = StorageMap{};
    out.otherwiseUs = LayoutWish::refused;
    return out;
}

Acceptance ExternImplementation::accepts(const Workload& anchor, const Target& target) const {
    if (find(*anchor.node) == nullptr)
        return {Verdict::No, ReasonCode::GuardFalse,
                fmt::format("{} does not compute {}", m_row.name, anchor.node->op)};
    // Without a graph the question is about the operator as such.
    if (anchor.graph == nullptr)
        return {Verdict::Yes, ReasonCode::LibraryTakes, anchor.node->op};
    if (anchor.graph->operators().isReplaced(anchor.node->op))
        return {Verdict::No, ReasonCode::LibraryRefused,
                fmt::format("a book has another {} than the library", anchor.node->op)};
    if (!isFloat32(*anchor.graph, *anchor.node))
        return {Verdict::No, ReasonCode::LibraryRefused, "it is called for f32 only"};
    const runtime::Crumb crumb = crumbOf(*anchor.node, m_row.name);
    const runtime::Breadcrumb at(crumb);
    const CallSite site = probe(anchor, {});
    const Result<ExternCall> call = build(site);
    if (!call)
        return {Verdict::No, ReasonCode::LibraryRefused, call.diag().message};
    return ask(*call, target);
}

Acceptance
ExternImplementation::absorbs(const Growing& group, const Workload& next,
                              const std::function<Acceptance(const CallSite&)>& ask) const {
    if (!isFloat32(*next.graph, *next.node))
        return {Verdict::No, ReasonCode::CannotAbsorb, "it is called for f32 only"};
    std::vector<NodeId> epilogue = group.epilogue;
    epilogue.push_back(next.node->id);
    const runtime::Crumb crumb = crumbOf(*group.anchor.node, m_row.name);
    const runtime::Breadcrumb at(crumb);
    const Acceptance answer = ask(probe(group.anchor, std::move(epilogue)));
    if (!answer.yes())
        return {Verdict::No, ReasonCode::CannotAbsorb, answer.evidence};
    return {Verdict::Yes, ReasonCode::FusedEpilogue,
            fmt::format("{} as a post-op of {}", next.node->op, m_row.name)};
}

Acceptance ExternImplementation::absorbsPrologue(const Workload&, const Workload&) const {
    return {Verdict::No, ReasonCode::AbsorbsNothing,
            m_row.name + " reads its operands as they lie"};
}

double ExternImplementation::estimate(const Facts& work, const Workload&,
                                      const Target& target) const {
    const std::string& maker = m_library.name();
    return rooflineUs(work, target,
                      efficiencyOf(work.work, target, maker, m_library.efficiencies())) +
           knownRate(target, callName(maker)).value_or(callUs) + aroundUs;
}

Result<Lowering> ExternImplementation::lower(const GroupSite& group, const Target& target) const {
    if (group.nodes.front() != group.anchor)
        return makeDiag(DiagCode::LibraryFailed, "it computes nothing before its call");
    const runtime::Crumb crumb = crumbOf(group.graph->node(group.anchor), m_row.name);
    const runtime::Breadcrumb at(crumb);
    CallSite site;
    site.library = builtInId(m_library);
    site.graph = group.graph;
    site.anchor = group.anchor;
    site.epilogue.assign(group.nodes.begin() + 1, group.nodes.end());
    site.layout = group.layout;
    site.mayReuse = group.mayReuse;
    FW_TRY(ExternCall made, call(site, target));
    return Lowering{nullptr, std::make_shared<const ExternCall>(std::move(made))};
}

CallSite ExternImplementation::probe(const Workload& anchor, std::vector<NodeId> epilogue) const {
    const Graph* graph = anchor.graph;
    const bool images = this->images();
    CallSite site;
    site.library = builtInId(m_library);
    site.graph = graph;
    site.anchor = anchor.node->id;
    site.epilogue = std::move(epilogue);
    site.layout = [graph, images](ValueRef value) {
        return images && graph->type(value).rank() == 4 ? channelsLast(4) : StorageMap{};
    };
    return site;
}

namespace {

// Tried once per process, for the library stays open then.
const std::string& whyNotStarted(runtime::LibraryId library) {
    static std::mutex mutex;
    static std::map<runtime::LibraryId, std::string> tried;
    const std::lock_guard lock(mutex);
    const auto [entry, isNew] = tried.try_emplace(library);
    if (isNew)
        entry->second = fw::whyNotStarted(
            [](int id) { (void)runtime::libraryInfo(static_cast<runtime::LibraryId>(id)); },
            static_cast<int>(library));
    return entry->second;
}

} // namespace

runtime::LibraryId builtInId(const Library& library) {
    return runtime::builtInLibraryIds[builtInLibrary(library.name()).value()];
}

LibraryStatus statusOf(runtime::LibraryId library) {
    LibraryStatus out;
    if (out.reason = whyNotStarted(library); !out.reason.empty()) {
        out.state = LibraryState::Unusable;
        return out;
    }
    const runtime::LibraryInfo& info = runtime::libraryInfo(library);
    switch (info.presence) {
    case runtime::LibraryPresence::Ready:
        out.state = LibraryState::Ready;
        break;
    case runtime::LibraryPresence::Missing:
        out.state = LibraryState::Missing;
        break;
    case runtime::LibraryPresence::Unusable:
        out.state = LibraryState::Unusable;
        break;
    }
    out.version = info.version;
    out.core = info.core;
    out.path = info.path;
    out.reason = info.reason;
    out.package = info.package;
    if (systemLimitIn(info.reason, {})) { // it is installed
        out.state = LibraryState::Unusable;
        out.package.clear();
    }
    return out;
}

std::string howToMend(const LibraryStatus& status) {
    return status.package.empty() ? "allow more memory (ulimit -v, -d), or do without it (-libs=)"
                                  : fmt::format("apt-get install {}", status.package);
}

const std::vector<std::shared_ptr<const Library>>& externLibraries() {
    static const std::vector<std::shared_ptr<const Library>> all = {
#define FW_LIBRARY(id, ...) make##id(),
#include "libraries/rows.def"
    };
    return all;
}

const Library* externLibrary(std::string_view name) {
    for (const auto& library : externLibraries())
        if (library->name() == name)
            return library.get();
    return nullptr;
}

namespace {

bool mayUse(const Target& target, const std::string& library) {
    return target.libraryChoice == LibraryChoice::Found ||
           std::find(target.libs.begin(), target.libs.end(), library) != target.libs.end();
}

} // namespace

Status holdLibraries(const Target& target) {
    for (const auto& library : externLibraries()) {
        if (!mayUse(target, library->name()))
            continue;
        const runtime::Status held =
            runtime::holdLibrary(builtInId(*library), target.libraryLevel(library->name()));
        if (!held.ok())
            return makeDiag(DiagCode::LibraryLevel, held.message, {},
                            fmt::format("{} needs a worker of its own", target.text));
    }
    return {};
}

Status checkLibraries(const Target& target, Decisions& notices) {
    FW_CHECK(holdLibraries(target));
    for (const auto& library : externLibraries()) {
        if (!mayUse(target, library->name()))
            continue;
        const LibraryStatus& status = library->status();
        if (status.state == LibraryState::Ready) {
            const std::string wanted = target.libraryLevel(library->name());
            if (runtime::isBelow(builtInId(*library), status.core, wanted))
                notices.push_back({library->name(), Verdict::Note, ReasonCode::LibraryLevelLower,
                                   fmt::format("{} at {}, {} has {}", library->name(), status.core,
                                               target.cpu, wanted)});
            continue;
        }
        const std::string why = fmt::format("{} ({})", library->name(), status.reason);
        const std::string install = howToMend(status);
        if (target.libraryChoice == LibraryChoice::Listed)
            return makeDiag(DiagCode::LibraryMissing,
                            fmt::format("the library {} cannot be used", why), {}, install);
        notices.push_back({library->name(), Verdict::Note, ReasonCode::LibraryAbsent,
                           fmt::format("{}: {}", why, install)});
    }
    return {};
}

} // namespace fw
