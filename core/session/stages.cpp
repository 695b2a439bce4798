#include "session/stages.h"

#include "base/files.h"
#include "codegen/listing.h"
#include "extern/extern.h"
#include "fusion/branches.h"
#include "ir/graph_text.h"
#include "library/library.h"
#include "loop/print.h"
#include "module/export.h"
#include "runtime/user_library.h"
#include "session/listing.h"
#include "session/partitioned.h"
#include "session/rewriting.h"
#include "strategy/selection.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

namespace fw {

namespace {

using namespace snapshot;

constexpr const char* hostText = "# no code: its reference computes it";

std::string planText(const Graph& graph, const FusionPlan& plan) {
    std::string out;
    for (const Group& group : plan.groups) {
        out +=
            fmt::format("group {} with {} ({}) {{\n", group.name,
                        group.kind == GroupKind::Choice ? branchesText(group) : group.computedBy(),
                        group.source);
        for (const NodeId id : group.nodes)
            out += fmt::format("    {}\n", operatorLine(graph, graph.node(id)));
        out += "}\n";
    }
    return out;
}

void listLoops(Listing& listing, const KernelReport& report) {
    const LoopText loops = printLoops(report.nest);
    std::size_t at = 0;
    for (std::size_t i = 0; at < loops.text.size(); ++i) {
        const std::size_t end = std::min(loops.text.find('\n', at), loops.text.size());
        listing.line(loops.text.substr(at, end - at),
                     i < loops.nodes.size() ? loops.nodes[i] : std::vector<NodeId>());
        at = end + 1;
    }
}

Status listMachine(Listing& listing, const KernelReport& report, const Group& group,
                   const Target& target, const std::string& stage) {
    CompileOptions options;
    options.keepLlvm = stage == "llvm" ? KeepText::Yes : KeepText::No;
    FW_TRY(const CompiledKernel kernel, compileKernel(report.nest, target, options));
    if (stage == "llvm") {
        listing.block(kernel.llvmAfter, group.nodes);
        return {};
    }
    FW_TRY(const Assembly assembly, disassemble(kernel.object));
    listing.line(fmt::format("# {} instructions, {} fma, {} spills", assembly.instructions,
                             assembly.fmas, assembly.spills));
    listing.block(assembly.text(), group.nodes);
    return {};
}

// A library's call in any stage is its description; a group with more than the call shows its
// stages one after another.
Status listReport(Listing& listing, const KernelReport& report, const Group& group,
                  const Target& target, const std::string& stage) {
    for (const KernelReport& part : report.parts) {
        listing.line(part.when.empty() ? fmt::format("# stage {}", part.nest.name)
                                       : fmt::format("# by {} {}", part.implementation, part.when),
                     group.nodes);
        FW_CHECK(listReport(listing, part, group, target, stage));
    }
    if (!report.parts.empty())
        return {};
    if (report.host)
        listing.line(hostText, group.nodes);
    else if (!report.libraryCall.empty())
        listing.block(report.libraryCall, group.nodes);
    else if (stage == "tensor")
        listing.block(report.tensorText, group.nodes);
    else if (stage == "schedule")
        listing.block(report.scheduleText, group.nodes);
    else if (stage == "loops")
        listLoops(listing, report);
    else
        return listMachine(listing, report, group, target, stage);
    return {};
}

} // namespace

Result<StagesDocument> stageText(Pipeline& pipeline, const Arguments& arguments,
                                 const Context& context) {
    const std::string stage = arguments.stage.empty() ? "fused" : arguments.stage;
    static const std::vector<std::string> known = {
        "graph", "rewritten", "fused", "partitioned", "tensor", "schedule", "loops", "llvm", "asm"};
    if (std::find(known.begin(), known.end(), stage) == known.end())
        return makeDiag(DiagCode::Usage, "there is no stage " + stage, {},
                        "graph, rewritten, fused, partitioned, tensor, schedule, loops, llvm or "
                        "asm");
    StagesDocument out;
    if (stage == "graph") {
        FW_TRY(const Imported* imported, pipeline.imported(context));
        out.text = printGraph(*imported->graph);
    } else if (stage == "rewritten") {
        FW_TRY(const Simplified* simplified, pipeline.simplified(context));
        out.text = printGraph(*simplified->graph);
    } else if (stage == "partitioned") {
        FW_TRY(out, partitionText(pipeline, context));
    } else {
        FW_TRY(const FusionPlan* plan, pipeline.plan(context));
        FW_TRY(const Simplified* simplified, pipeline.simplified(context));
        FW_TRY(const Target* target, pipeline.target());
        if (stage == "fused") {
            out.text = planText(*simplified->graph, *plan);
        } else {
            if (arguments.group &&
                (*arguments.group < 0 ||
                 static_cast<std::size_t>(*arguments.group) >= plan->groups.size()))
                return makeDiag(DiagCode::UnknownName,
                                fmt::format("there is no group {}", *arguments.group));
            Listing listing;
            for (const Group& group : plan->groups) {
                if (arguments.group && *arguments.group != group.id)
                    continue;
                if (context.cancel.cancelled())
                    return makeDiag(DiagCode::Cancelled, "the listing was cancelled");
                listing.heading(group);
                if (!group.hasCode()) {
                    listing.line(group.isView()     ? "# a view: nothing is computed"
                                 : group.isOpaque() ? "# opaque: nothing computes it"
                                                    : hostText,
                                 group.nodes);
                    continue;
                }
                FW_TRY(const KernelReport report, pipeline.lowered(group.id, context));
                FW_CHECK(listReport(listing, report, group, *target, stage));
            }
            out = listing.take();
        }
    }
    out.stage = stage;
    out.group = arguments.group;
    return out;
}

Result<ExportDocument> exportTo(Pipeline& model, const Arguments& arguments,
                                const Context& context) {
    if (arguments.output.empty())
        return makeDiag(DiagCode::Usage, "export needs a folder", {}, "fw export MODEL -o DIR");
    FW_TRY(Pipeline * part, model.computable(context));
    Pipeline& pipeline = *part;
    FW_TRY(const CompiledStage* compiled, pipeline.compiled(context));
    const CompiledModule& compiledModule = *compiled->module;
    const std::filesystem::path path(arguments.model);
    const std::filesystem::path name =
        path.filename() == "model.onnx" ? path.parent_path().filename() : path.stem();
    module::ExportRequest request;
    request.name = module::moduleName(name.string());
    for (const auto& kernel : compiledModule.kernels) {
        request.objects.push_back({kernel->object});
        request.kernels.push_back(kernel->symbol);
    }
    request.program = compiledModule.program;
    request.weights.payload = compiledModule.weights->data();
    request.embedsWeights = arguments.embed.value_or(false);
    request.isStatic = arguments.isStatic.value_or(false);
    for (const runtime::LibraryCall& call : request.program.calls) {
        const runtime::UserLibrary* opened = call.library == runtime::LibraryId::User
                                                 ? runtime::openedUserLibrary(call.user.library)
                                                 : nullptr;
        auto& files = request.userLibraries;
        if (opened != nullptr &&
            std::find(files.begin(), files.end(), opened->info.path) == files.end())
            files.push_back(opened->info.path);
    }
    for (const runtime::Step& step : request.program.steps)
        if (step.kernel == runtime::hostKernel)
            return pipeline.inFile(makeDiag(
                DiagCode::NotRunnable,
                fmt::format("{} has no code (HST01), and a module has nothing else",
                            fmt::join(step.nodes, ", ")),
                {{}, step.nodes.empty() ? step.name : step.nodes.front()},
                "fw explain says why; another target or an implementation of a book may have code "
                "for it"));
    context.report("export", arguments.output);
    FW_TRY(const module::ExportReport report,
           module::exportModule(request, arguments.output, context.cancel));
    ExportDocument out;
    out.directory = report.directory;
    out.files = report.files;
    out.abi = report.abi;
    out.target = report.target;
    out.libraries = report.libraries;
    out.sha256 = report.sha256;
    FW_TRY(const Simplified* source, pipeline.simplified(context));
    out.notices = refutedNotices(*source);
    for (const Diag& diag : source->leftOut)
        out.notices.push_back(diag.text());
    return out;
}

} // namespace fw
