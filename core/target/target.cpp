#include "target/target.h"

#include "base/library_names.h"
#include "base/nearest.h"
#include "base/numbers.h"
#include "runtime/cpu.h"
#include "runtime/library_level.h"
#include "target/saved_machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace fw {

namespace {

// Cache sizes are those of the usual server part of the level.
struct LevelRow {
    CpuLevel level;
    std::uint64_t features;
    int lanes;
    int registers;
    std::int64_t l1, l2, l3;
};

constexpr std::int64_t kib = 1024;
constexpr LevelRow levelRows[] = {
    {CpuLevel::V2, runtime::cpuLevel2, 4, 16, 32 * kib, 256 * kib, 8192 * kib},
    {CpuLevel::V3, runtime::cpuLevel3, 8, 16, 32 * kib, 512 * kib, 16384 * kib},
    {CpuLevel::V4, runtime::cpuLevel4, 16, 32, 48 * kib, 1024 * kib, 32768 * kib},
};

// `beyond` and `vendor` are for libraries, whose levels are finer (runtime/library_level.h); code
// of ours needs what the level promises.
struct CpuRow {
    std::string_view name;
    CpuLevel level;
    std::uint64_t beyond = 0;
    const char* vendor = "";
};

constexpr const char* amd = "AuthenticAMD";
constexpr std::uint64_t withVnni = runtime::CpuAvx512Vnni,
                        withBf16 = withVnni | runtime::CpuAvx512Bf16;
constexpr CpuRow cpuRows[] = {
    {"x86-64-v2", CpuLevel::V2},
    {"x86-64-v3", CpuLevel::V3},
    {"x86-64-v4", CpuLevel::V4},
    {"nehalem", CpuLevel::V2},
    {"sandybridge", CpuLevel::V2, runtime::CpuAvx},
    {"haswell", CpuLevel::V3},
    {"broadwell", CpuLevel::V3},
    {"skylake", CpuLevel::V3},
    {"alderlake", CpuLevel::V3},
    {"znver1", CpuLevel::V3, 0, amd},
    {"znver2", CpuLevel::V3, 0, amd},
    {"znver3", CpuLevel::V3, 0, amd},
    {"skylake-avx512", CpuLevel::V4},
    {"cascadelake", CpuLevel::V4, withVnni},
    {"icelake-client", CpuLevel::V4, withVnni},
    {"icelake-server", CpuLevel::V4, withVnni},
    {"sapphirerapids", CpuLevel::V4, withBf16},
    {"emeraldrapids", CpuLevel::V4, withBf16},
    {"znver4", CpuLevel::V4, withBf16, amd},
};

constexpr int maxThreads = 256;

const LevelRow& rowOf(CpuLevel level) {
    return *std::find_if(std::begin(levelRows), std::end(levelRows),
                         [&](const LevelRow& row) { return row.level == level; });
}

bool runsHere(std::uint64_t features) {
    return (features & ~runtime::cpuInfo().features) == 0;
}

Diag unknown(std::string what, std::string hint) {
    return makeDiag(DiagCode::UnknownTarget, std::move(what), {}, std::move(hint));
}

Status setCpu(Target& target, std::string_view name) {
    const auto use = [&](const LevelRow& row) {
        target.level = row.level;
        target.features = row.features;
        target.vectorLanesF32 = row.lanes;
        target.vectorRegisters = row.registers;
        target.l1 = row.l1;
        target.l2 = row.l2;
        target.l3 = row.l3;
    };
    target.cpu = name;
    if (isMachineFile(name)) {
        FW_TRY(const SavedMachinePtr machine, savedMachine(target.cpu));
        use(rowOf(machine->level));
        for (const auto& [bytes, known] :
             {std::pair(machine->l1, &target.l1), std::pair(machine->l2, &target.l2),
              std::pair(machine->l3, &target.l3)})
            if (bytes > 0)
                *known = bytes;
        return {};
    }
    if (name == "native") {
        const runtime::CpuInfo& host = runtime::cpuInfo();
        for (const LevelRow& row : levelRows)
            if (row.level == CpuLevel::V2 || runsHere(row.features))
                use(row);
        if (host.l1Bytes > 0)
            target.l1 = host.l1Bytes;
        if (host.l2Bytes > 0)
            target.l2 = host.l2Bytes;
        if (host.l3Bytes > 0)
            target.l3 = host.l3Bytes;
        return {};
    }
    for (const CpuRow& row : cpuRows)
        if (row.name == name) {
            use(rowOf(row.level));
            return {};
        }
    std::string known = "native";
    for (const CpuRow& row : cpuRows)
        known.append(", ").append(row.name);
    return unknown("no CPU is called \"" + std::string(name) + "\"",
                   "known: " + known + ", and files of `fw doctor --save`");
}

std::string namesAfter(const std::vector<std::string>& declared) {
    std::string out;
    for (const std::string& name : declared)
        out += ", " + name;
    return out;
}

Status setLibraries(Target& target, std::string_view list,
                    const std::vector<std::string>& declared = {}) {
    target.libraryChoice = LibraryChoice::Listed;
    target.libs.clear();
    while (!list.empty()) {
        const std::size_t comma = list.find(',');
        const std::string_view alias = list.substr(0, comma);
        list = comma == std::string_view::npos ? std::string_view() : list.substr(comma + 1);
        if (alias.empty())
            continue;
        if (std::find(declared.begin(), declared.end(), alias) != declared.end()) {
            if (std::find(target.libs.begin(), target.libs.end(), alias) == target.libs.end())
                target.libs.emplace_back(alias);
            continue;
        }
        const std::string name = libraryMeant(alias);
        const std::vector<std::string>& known = knownLibraries();
        if (std::find(known.begin(), known.end(), name) == known.end())
            return unknown("no library is called \"" + std::string(alias) + "\"",
                           "known: " + builtInLibrariesText() + namesAfter(declared));
        if (std::find(target.libs.begin(), target.libs.end(), name) == target.libs.end())
            target.libs.push_back(name);
    }
    return {};
}

Status setThreads(Target& target, std::string_view text) {
    const std::optional<std::int64_t> count = parseInteger(text);
    if (!count || *count < 1 || *count > maxThreads)
        return unknown("-threads=" + std::string(text) + " is not a number of threads",
                       "from 1 to " + std::to_string(maxThreads));
    target.threads = static_cast<int>(*count);
    return {};
}

std::string canonicalText(const Target& target) {
    std::string text = target.name.empty() ? "x86-64 -mcpu=" + target.cpu : target.name;
    if (target.libraryChoice == LibraryChoice::Listed) {
        text += " -libs=";
        for (std::size_t i = 0; i < target.libs.size(); ++i)
            text += (i ? "," : "") + target.libs[i];
    }
    return text + " -threads=" + std::to_string(target.threads);
}

Status setVectors(Target& target, int bits) {
    const int most = rowOf(target.level).lanes * 32;
    if (bits > most)
        return unknown(target.name + " wants vectors of " + std::to_string(bits) + " bits, " +
                           (target.cpu == "native" ? "this machine" : target.cpu) + " has " +
                           std::to_string(most),
                       "let it stand on x86-64-v4, or leave vector_bits out");
    target.vectorLanesF32 = bits / 32;
    return {};
}

// What it stands on comes first, then what it says itself.
Status setDeclared(Target& target, const DeclaredTarget& one, const DeclaredTargets& all,
                   std::size_t depth = 0) {
    if (const auto below = all.find(one.on); below != all.end()) {
        if (depth > all.size())
            return unknown("the target " + one.name + " stands on itself", {});
        FW_CHECK(setDeclared(target, below->second, all, depth + 1));
    } else {
        FW_CHECK(setCpu(target, isMachineKey(one.on) ? "native" : one.on));
    }
    target.name = one.name;
    std::vector<std::string> keys = {one.name};
    keys.insert(keys.end(), one.keys.begin(), one.keys.end());
    keys.insert(keys.end(), target.ownKeys.begin(), target.ownKeys.end());
    target.ownKeys.clear();
    for (std::string& key : keys)
        if (std::find(target.ownKeys.begin(), target.ownKeys.end(), key) == target.ownKeys.end())
            target.ownKeys.push_back(std::move(key));
    if (one.libs) {
        std::string list;
        for (const std::string& library : *one.libs)
            list += library + ",";
        FW_CHECK(setLibraries(target, list));
    }
    target.features |= one.features;
    if (one.vectorBits)
        FW_CHECK(setVectors(target, *one.vectorBits));
    if (one.threads)
        FW_CHECK(setThreads(target, std::to_string(*one.threads)));
    return {};
}

Diag unknownWord(std::string_view written, bool first, const DeclaredTargets& declared) {
    const std::string word(written);
    const std::string usage = "x86-64 -mcpu=NAME -libs=a,b -threads=N; -mcpu is native, "
                              "x86-64-v2, x86-64-v3, x86-64-v4 or a name, -libs of " +
                              fmt::format("{}", fmt::join(knownLibraries(), ", "));
    if (!first || word.starts_with("-"))
        return unknown("\"" + word + "\" is not part of a target", usage);
    if (std::any_of(std::begin(cpuRows), std::end(cpuRows),
                    [&](const CpuRow& row) { return row.name == word; }) ||
        word == "native")
        return unknown("\"" + word + "\" is the name of a CPU", "x86-64 -mcpu=" + word);
    std::vector<std::string> known = {"x86-64"};
    for (const auto& [name, target] : declared)
        known.push_back(name);
    return unknown("no target is called \"" + word + "\"", didYouMean(word, known, usage));
}

} // namespace

std::string Target::llvmCpu() const {
    return "x86-64-v" + std::to_string(static_cast<int>(level));
}

std::string Target::codeKey() const {
    const bool whole = vectorLanesF32 == rowOf(level).lanes;
    return llvmCpu() + (whole ? "" : " " + std::to_string(vectorLanesF32 * 32) + " bits");
}

std::string Target::madeOf() const {
    std::string out = text + " of " + cpu + " " + codeKey() + " " + std::to_string(features);
    for (const std::string& key : ownKeys)
        out += " " + key;
    return out;
}

std::string Target::libraryLevel(std::string_view library) const {
    if (const SavedMachinePtr machine = machineOf(*this)) {
        const SavedLibrary* known = machine->library(library);
        return known == nullptr ? std::string() : known->level;
    }
    const auto place = builtInLibrary(library);
    for (const CpuRow& row : cpuRows)
        if (row.name == cpu && place)
            return runtime::levelOn(runtime::builtInLibraryIds[*place],
                                    rowOf(row.level).features | row.beyond, row.vendor);
    return {};
}

Result<Target> parseTarget(std::string_view text, const DeclaredTargets& declared,
                           const std::vector<std::string>& libraries) {
    Target target;
    target.threads = std::clamp(runtime::cpuInfo().cores, 1, maxThreads);
    FW_CHECK(setCpu(target, "native"));
    bool first = true, threads = false;
    while (true) {
        const std::size_t begin = text.find_first_not_of(" \t");
        if (begin == std::string_view::npos)
            break;
        text.remove_prefix(begin);
        const std::size_t end = std::min(text.find_first_of(" \t"), text.size());
        const std::string_view word = text.substr(0, end);
        text.remove_prefix(end);
        const std::size_t equals = word.find('=');
        const std::string_view name = word.substr(0, equals);
        const std::string_view value =
            equals == std::string_view::npos ? std::string_view() : word.substr(equals + 1);
        if (first && word == "x86-64") {
        } else if (const auto found = declared.find(word); first && found != declared.end()) {
            FW_CHECK(setDeclared(target, found->second, declared));
        } else if (name == "-mcpu" && !target.name.empty()) {
            return unknown("the target " + target.name + " says which CPU it is",
                           "leave " + std::string(word) + " out, or write x86-64 in place of " +
                               target.name);
        } else if (name == "-mcpu" && !value.empty()) {
            FW_CHECK(setCpu(target, value));
        } else if (name == "-libs" && equals != std::string_view::npos) {
            FW_CHECK(setLibraries(target, value, libraries));
        } else if (name == "-threads" && !value.empty()) {
            FW_CHECK(setThreads(target, value));
            threads = true;
        } else {
            return unknownWord(word, first, declared);
        }
        first = false;
    }
    if (const SavedMachinePtr machine = machineOf(target); machine && !threads)
        target.threads = machine->threads;
    target.isHost = runsHere(target.features);
    target.text = canonicalText(target);
    return target;
}

Target hostTarget() {
    return parseTarget("").take();
}

std::vector<std::string> targetKeys(const Target& target) {
    std::vector<std::string> out;
    for (int level = static_cast<int>(target.level); level >= 2; --level)
        out.push_back("x86-64-v" + std::to_string(level));
    if (target.cpu != "native" && target.cpu != out.front() && !isMachineFile(target.cpu))
        out.insert(out.begin(), target.cpu);
    out.insert(out.end(), {"x86-64", "cpu", "any"});
    std::vector<std::string> own = target.ownKeys; // those of every CPU keep their place
    std::erase_if(own, [&](const std::string& key) {
        return std::find(out.begin(), out.end(), key) != out.end();
    });
    out.insert(out.begin(), own.begin(), own.end());
    return out;
}

bool isMachineKey(std::string_view key) {
    return key == "x86-64" || key == "cpu" || key == "any";
}

const std::vector<std::string>& knownCpuFeatures() {
    static const std::vector<std::string> names = [] {
        std::vector<std::string> out;
        for (std::uint64_t bit = 1; bit != 0; bit <<= 1)
            if (std::string name = runtime::featureNames(bit & ~runtime::cpuLevel2); !name.empty())
                out.push_back(std::move(name));
        return out;
    }();
    return names;
}

std::optional<std::uint64_t> cpuFeature(std::string_view name) {
    for (std::uint64_t bit = 1; bit != 0; bit <<= 1)
        if (const std::string known = runtime::featureNames(bit); !known.empty() && known == name)
            return bit;
    return std::nullopt;
}

CpuLevel levelOfFeature(std::uint64_t feature) {
    for (const LevelRow& row : levelRows)
        if ((feature & ~row.features) == 0)
            return row.level;
    return CpuLevel::V4; // all others extend AVX-512
}

const std::vector<std::string>& knownTargetKeys() {
    static const std::vector<std::string> keys = [] {
        std::vector<std::string> out = {"any", "cpu", "x86-64"};
        for (const CpuRow& row : cpuRows)
            out.emplace_back(row.name);
        return out;
    }();
    return keys;
}

const std::vector<std::string>& knownLibraries() {
    static const std::vector<std::string> names = [] {
        std::vector<std::string> out;
        for (const LibraryNames& library : builtInLibraries())
            out.emplace_back(library.name);
        return out;
    }();
    return names;
}

} // namespace fw
