// What this program knows and what this machine offers: `fw ops` and `fw doctor`.
#include "extern/user_library.h"
#include "runtime/cpu.h"
#include "runtime/library_level.h"
#include "session/describe.h"
#include "session/version.h"
#include "strategy/generated_code.h"
#include "strategy/machine.h"
#include "target/saved_machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <utility>

namespace fw {

namespace {

using namespace snapshot;

bool isInstalled(const std::string& program) {
    const char* variable = std::getenv("PATH");
    std::string folder;
    for (const char c : std::string(variable ? variable : "") + ":") {
        if (c != ':') {
            folder += c;
            continue;
        }
        std::error_code error;
        if (!folder.empty() &&
            std::filesystem::exists(std::filesystem::path(folder) / program, error))
            return true;
        folder.clear();
    }
    return false;
}

std::string_view stateText(LibraryState state) {
    switch (state) {
    case LibraryState::Ready:
        return "ready";
    case LibraryState::Missing:
        return "missing";
    case LibraryState::Unusable:
    case LibraryState::OtherOpened:
        return "unusable";
    case LibraryState::NotAgreed:
        return "not loaded";
    }
    return {};
}

LevelsRecord generatedLevels() {
    LevelsRecord out{"generated", {}, {}};
    for (const char* cpu : {"x86-64-v2", "x86-64-v3", "x86-64-v4"})
        (parseTarget(std::string("-mcpu=") + cpu).value().isHost ? out.plays : out.lacks)
            .emplace_back(cpu);
    return out;
}

LevelsRecord libraryLevels(const std::string& library) {
    LevelsRecord out{library, {}, {}};
    for (const runtime::LibraryId id : runtime::builtInLibraryIds)
        if (library == runtime::libraryText(id))
            for (const runtime::LibraryLevel& level : runtime::libraryLevels(id))
                (runtime::playsHere(level) ? out.plays : out.lacks).emplace_back(level.name);
    return out;
}

// A call with small shapes, so that facts can be shown: every operand f32[2, 3, 8, 8] or less.
std::optional<Facts> exampleFacts(const Operator& op) {
    for (const std::size_t rank : {4u, 2u, 3u, 1u}) {
        OpCall call;
        for (std::size_t i = 0; i < op.inputNames().size(); ++i)
            call.inputs.push_back(
                TensorType{DType::F32, fixedShape(std::vector<std::int64_t>(
                                           i == 0 ? rank : std::min<std::size_t>(rank, 1), 4))});
        if (Result<Facts> facts = op.facts(call))
            return *facts;
        for (auto& input : call.inputs)
            input = TensorType{DType::F32, fixedShape(std::vector<std::int64_t>(rank, 4))};
        if (Result<Facts> facts = op.facts(call))
            return *facts;
    }
    return std::nullopt;
}

} // namespace

OpsDocument describeOperators(const OperatorSet& operators, const StrategyBook& strategy,
                              const std::string& only) {
    OpsDocument out;
    for (const Operator* op : operators.all()) {
        if (!only.empty() && op->name() != only)
            continue;
        OpRecord row;
        row.name = op->name();
        row.signature = op->signature();
        row.doc = op->doc();
        row.expression = op->body();
        row.kind = op->isNative() ? "native" : "depends on shapes";
        if (const std::optional<Facts> facts = exampleFacts(*op)) {
            const std::optional<FusionKind> kind = patternKind(*facts);
            row.kind = kind ? kindText(*kind) : "reads no element";
            for (std::size_t i = 0; i < facts->inputKinds.size() && i < op->inputNames().size();
                 ++i) {
                std::string text(kindText(facts->inputKinds[i]));
                if (i < facts->inPlace.size() && facts->inPlace[i])
                    text += ", in place";
                row.facts[op->inputNames()[i]] = text;
            }
            for (const MergedEntry& entry :
                 strategy.entries(op->name(), facts->kind, targetKeys(hostTarget())))
                row.implementations.push_back(fmt::format(
                    "{} (priority {}{})", entry.name, entry.priority,
                    entry.guard ? ", when " + entry.guard->condition->text : std::string()));
        }
        out.ops.push_back(std::move(row));
    }
    if (const Operator* op = operators.findReader(only); op != nullptr && op->standsForCalls()) {
        OpRecord& row = out.ops.emplace_back();
        row.name = op->name();
        row.signature = op->signature();
        row.doc = op->doc();
        row.expression = op->body();
        row.kind = "calls of others";
    }
    return out;
}

namespace {

std::string_view sentenceOf(WorkClass work) {
    switch (work) {
    case WorkClass::Convolution:
        return "convolutions";
    case WorkClass::Grouped:
        return "convolutions in groups";
    case WorkClass::Product:
        return "matrix products";
    case WorkClass::FewRows:
        return "products of few rows";
    case WorkClass::Pool:
        return "pools";
    case WorkClass::Rows:
        return "folds of rows";
    case WorkClass::Other:
        return "other work";
    }
    return "other work";
}

// What the file of a saved machine says; 0 where it says nothing, and plans take the number of a
// table.
std::optional<MachineProfile> saidByFile(const Target& on) {
    const SavedMachinePtr machine = machineOf(on);
    if (machine == nullptr)
        return std::nullopt;
    Result<MachineProfile> said =
        parseMachine(machine->figures, machine->file, {0, 0, 0, 0, 0, 0, {}});
    return said ? std::optional(*said) : std::nullopt; // checkMachine() tells why
}

// What is known of a maker: measured, said by a file, or for a CPU that is named what its table
// says.
void addRates(const Target& on, std::string_view maker, std::span<const Efficiency> table,
              std::vector<CeilingRecord>& out) {
    const double peak = knownCeiling(on, &MachineProfile::gflops);
    const bool hasTable = !isMeasuredHere(on) && machineOf(on) == nullptr;
    for (const Efficiency& row : table) {
        const std::string name = rateName(maker, row.work);
        std::optional<double> value = knownRate(on, name);
        if (!value && hasTable && peak > 0)
            value = peak * efficiencyOf(row.work, on, maker, table);
        out.push_back({name, "GFLOP/s",
                       fmt::format("{} by {}, of each core", sentenceOf(row.work),
                                   maker == ownCode ? "our code" : maker),
                       value});
    }
}

} // namespace

namespace {

// Of a library that a book declares: it is asked only where the target names it.
void addOwn(const Target& on, const DeclaredLibrary& declared, const Library& library,
            DoctorDocument& out) {
    LibraryRecord& row = out.libraries.emplace_back();
    row.name = declared.name;
    row.path = fileOf(declared);
    row.content = contentOf(declared);
    if (std::find(on.libs.begin(), on.libs.end(), declared.name) == on.libs.end()) {
        row.status = "not loaded";
        row.reason = fmt::format("it is loaded where the target names it: -libs={}", declared.name);
        return;
    }
    const LibraryStatus& status = library.status();
    const bool ready = status.state == LibraryState::Ready;
    row.version = status.version;
    row.core = library.kernels();
    row.status = LibraryWord::of(stateText(status.state));
    row.reason = status.reason;
    if (!ready)
        out.problems.push_back(
            fmt::format("the library {} cannot be used: {}", library.name(), status.reason));
}

} // namespace

DoctorDocument describeMachine(const Target& on, const std::vector<DeclaredLibrary>& own,
                               const std::vector<std::string>& agreed) {
    DoctorDocument out;
    out.version = programVersion;
    const runtime::CpuInfo& cpu = runtime::cpuInfo();
    const Target target = hostTarget();
    out.cpu.name = cpu.model;
    out.cpu.target = target.text;
    std::string name;
    for (const char c : runtime::featureNames(cpu.features) + ",") {
        if (c != ',')
            name += c;
        else if (!name.empty())
            out.cpu.features.push_back(std::exchange(name, {}));
    }
    out.cpu.cores = cpu.cores;
    out.cpu.vectorBits = target.vectorLanesF32 * 32;
    if (!target.hasFma())
        out.problems.push_back("this CPU has no AVX2: generated code will be slow");
    out.levels.push_back(generatedLevels());
    for (const auto& library : externLibraries()) {
        const LibraryStatus& status = library->status();
        const bool ready = status.state == LibraryState::Ready;
        out.libraries.push_back({library->name(), status.version, status.core,
                                 LibraryWord::of(stateText(status.state)), status.reason,
                                 status.package});
        if (ready)
            out.levels.push_back(libraryLevels(library->name()));
        else
            out.problems.push_back(fmt::format("the library {} cannot be used ({}): {}",
                                               library->name(), status.reason, howToMend(status)));
    }
    const auto libraries = userLibraries(own, agreed);
    for (std::size_t i = 0; i < own.size(); ++i)
        addOwn(on, own[i], *libraries[i], out);
    for (const auto& [program, package, why] :
         {std::tuple("dot", "graphviz", "graphs are drawn with the built-in layout"),
          std::tuple("cc", "gcc", "modules cannot be exported")})
        if (!isInstalled(program))
            out.problems.push_back(fmt::format("{} is not installed, so {}: apt-get install {}",
                                               program, why, package));
    const std::optional<MachineProfile> said = saidByFile(on);
    for (const CeilingRow& row : ceilings()) {
        const double value = said ? (*said).*row.value : knownCeiling(on, row.value);
        out.ceilings.push_back({std::string(row.name), std::string(row.unit),
                                std::string(row.sentence),
                                value > 0 ? std::optional(value) : std::nullopt});
    }
    addRates(on, ownCode, ownEfficiencies(), out.ceilings);
    for (const auto& library : externLibraries())
        if (const SavedMachinePtr machine = machineOf(on);
            machine != nullptr ? machine->library(library->name()) != nullptr
                               : library->status().state == LibraryState::Ready)
            addRates(on, library->name(), library->efficiencies(), out.ceilings);
    out.ceilingsFrom = ceilingSource(on);
    if (said && std::any_of(out.ceilings.begin(), out.ceilings.end(),
                            [](const CeilingRecord& one) { return !one.value; }))
        out.ceilingsFrom += "; plans take what it does not say from a table";
    return out;
}

} // namespace fw
