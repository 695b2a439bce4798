#include "strategy/machine.h"

#include "base/files.h"
#include "base/numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <mutex>

namespace fw {

namespace {

constexpr std::array rows = {
    CeilingRow{"gflops", "GFLOP/s", "multiply-adds of one core, f32", &MachineProfile::gflops},
    CeilingRow{"l2_gbps", "GB/s", "read by one core from the L2 cache", &MachineProfile::l2Gbps},
    CeilingRow{"l3_gbps", "GB/s", "read by one core from the L3 cache", &MachineProfile::l3Gbps},
    CeilingRow{"memory_gbps", "GB/s", "read by one core from memory", &MachineProfile::memoryGbps},
    CeilingRow{"launch_us", "us", "to call a kernel", &MachineProfile::launchUs},
    CeilingRow{"fork_us", "us", "to share work among the threads", &MachineProfile::forkUs},
};

constexpr double worthThreadsUs = 20; // shorter work stays on one thread
constexpr double transcendentalFlops = 12;
constexpr double otherEfficiency = 0.2; // of work in no class

std::optional<std::filesystem::path> cacheFile(const Target& host) {
    std::filesystem::path folder;
    if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache != nullptr && *cache != '\0')
        folder = cache;
    else if (const char* home = std::getenv("HOME"); home != nullptr && *home != '\0')
        folder = std::filesystem::path(home) / ".cache";
    else
        return std::nullopt;
    return folder / "fusewright" /
           fmt::format("machine-2-v{}-{}.txt", static_cast<int>(host.level), host.threads);
}

Result<MachineProfile> readProfile(const std::filesystem::path& file, const MachineProfile& base) {
    FW_TRY(const std::string text, readFile(file.string(), 4096));
    return parseMachine(text, file.string(), base);
}

const MachineProfile nothingMeasured = {0, 0, 0, 0, 0, 0};

// What is measured here is measured with whole registers.
bool isHost(const Target& target) {
    static const int lanes = hostTarget().vectorLanesF32;
    return target.isHost && target.cpu == "native" && target.vectorLanesF32 == lanes;
}

std::string_view profileOfEnvironment() {
    const char* given = std::getenv("FUSEWRIGHT_MACHINE");
    return given == nullptr ? std::string_view() : std::string_view(given);
}

// What is known without measuring; 0 is what is not.
struct Known {
    MachineProfile profile = nothingMeasured;
    std::optional<Diag> refusal; // of the file that the environment names
    Diags warnings;
};

Known knownOf(const Target& target) {
    Known out;
    if (!isHost(target)) {
        out.profile = tabulatedMachine(target);
        return out;
    }
    if (const std::string given(profileOfEnvironment()); !given.empty()) {
        Result<MachineProfile> profile = readProfile(given, {});
        if (profile)
            out.profile = *profile;
        else
            out.refusal = profile.takeDiag();
        return out;
    }
    const auto file = cacheFile(target);
    std::error_code error;
    if (!file || !std::filesystem::exists(*file, error))
        return out;
    Result<MachineProfile> profile = readProfile(*file, nothingMeasured);
    if (profile) {
        out.profile = *profile;
        return out;
    }
    Diag warning = profile.takeDiag();
    warning.severity = Severity::Warning;
    warning.message = "the figures of this machine are damaged: " + warning.message;
    warning.hint = "they are measured anew, as plans ask for them";
    out.warnings.push_back(std::move(warning));
    return out;
}

void writeProfile(const Target& host, const MachineProfile& profile) {
    const auto file = cacheFile(host);
    if (!file)
        return;
    std::error_code ignored;
    std::filesystem::create_directories(file->parent_path(), ignored);
    (void)writeFile(file->string(), profile.text(), Durability::Cache);
}

double measuringMs = 0;
std::mutex mutex; // of the figures and of measuringMs

// Under the mutex.
Known& figuresOf(const Target& target) {
    static std::map<std::string, Known> known;
    const std::string key = fmt::format("{} {} {}", isHost(target) ? "native" : target.cpu,
                                        target.codeKey(), target.threads);
    auto found = known.find(key);
    if (found == known.end())
        found = known.emplace(key, knownOf(target)).first;
    return found->second;
}

// "maker.class" or "maker.call_us".
bool isRate(std::string_view name) {
    const std::size_t dot = name.find('.');
    if (dot == 0 || dot == std::string_view::npos)
        return false;
    const std::string_view maker = name.substr(0, dot);
    return name == callName(maker) ||
           std::any_of(std::begin(workClasses), std::end(workClasses),
                       [&](WorkClass work) { return name == rateName(maker, work); });
}

} // namespace

std::string rateName(std::string_view maker, WorkClass work) {
    return fmt::format("{}.{}", maker, workText(work));
}

std::string callName(std::string_view maker) {
    return fmt::format("{}.call_us", maker);
}

std::string MachineProfile::text() const {
    std::string out;
    for (const CeilingRow& field : rows)
        if (this->*field.value > 0)
            out += fmt::format("{} {:.4g}\n", field.name, this->*field.value);
    for (const auto& [name, rate] : rates)
        out += fmt::format("{} {:.4g}\n", name, rate);
    return out;
}

Result<MachineProfile> parseMachine(std::string_view text, const std::string& file,
                                    MachineProfile out) {
    int line = 0;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string_view row = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        ++line;
        const std::size_t blank = row.find(' ');
        if (row.empty())
            continue;
        const auto value =
            blank == std::string_view::npos ? std::nullopt : parseNumber(row.substr(blank + 1));
        const auto field = std::find_if(rows.begin(), rows.end(), [&](const CeilingRow& known) {
            return row.substr(0, blank) == known.name;
        });
        const std::string name(row.substr(0, blank));
        if (value && *value > 0 && isRate(name)) {
            out.rates[name] = *value;
            continue;
        }
        if (!value || *value <= 0 || field == rows.end())
            return makeDiag(DiagCode::Syntax, "a line of a machine profile is a name and a number",
                            {file, {}, line, 1}, "gflops 50");
        out.*(field->value) = *value;
    }
    return out;
}

MachineProfile tabulatedMachine(const Target& target) {
    MachineProfile out;
    const double lanes = target.vectorLanesF32;
    out.gflops = 3.0 * 2 * (target.hasFma() ? 2 : 1) * lanes;
    out.l2Gbps = 3.0 * 2 * lanes;
    out.l3Gbps = 25;
    out.memoryGbps = 12;
    return out;
}

namespace {

// Under the mutex.
void measure(const Target& target, Known& known, Ceiling ceiling) {
    const auto start = std::chrono::steady_clock::now();
    known.profile.*ceiling = measureCeiling(target, ceiling);
    if (!known.refusal)
        writeProfile(target, known.profile);
    measuringMs +=
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

} // namespace

std::span<const CeilingRow> ceilings() {
    return rows;
}

double ceilingOf(const Target& target, Ceiling ceiling) {
    const std::lock_guard lock(mutex);
    Known& known = figuresOf(target);
    if (known.profile.*ceiling <= 0)
        measure(target, known, ceiling);
    return known.profile.*ceiling;
}

double knownCeiling(const Target& target, Ceiling ceiling) {
    const std::lock_guard lock(mutex);
    return figuresOf(target).profile.*ceiling;
}

std::string ceilingSource(const Target& target) {
    if (!isHost(target))
        return fmt::format("a table for {}", target.cpu);
    if (const std::string_view file = profileOfEnvironment(); !file.empty())
        return std::string(file);
    return "measured on this machine";
}

double ceilingAgain(const Target& target, Ceiling ceiling) {
    const std::lock_guard lock(mutex);
    Known& known = figuresOf(target);
    if (isHost(target) && profileOfEnvironment().empty())
        measure(target, known, ceiling);
    return known.profile.*ceiling;
}

Result<Diags> checkMachine(const Target& target) {
    const std::lock_guard lock(mutex);
    const Known& known = figuresOf(target);
    if (known.refusal)
        return *known.refusal;
    return known.warnings;
}

std::optional<double> knownRate(const Target& target, const std::string& name) {
    const std::lock_guard lock(mutex);
    const auto& rates = figuresOf(target).profile.rates;
    const auto found = rates.find(name);
    return found == rates.end() ? std::nullopt : std::optional(found->second);
}

void setRates(const Target& host, const std::map<std::string, double>& rates, bool keep,
              double tookMs) {
    const std::lock_guard lock(mutex);
    measuringMs += tookMs;
    Known& known = figuresOf(host);
    for (const auto& [name, rate] : rates)
        known.profile.rates[name] = rate;
    if (keep && !known.refusal)
        writeProfile(host, known.profile);
}

bool isMeasuredHere(const Target& target) {
    return isHost(target) && profileOfEnvironment().empty();
}

double machineMeasuringMs() {
    const std::lock_guard lock(mutex);
    return measuringMs;
}

double operationsOf(const Facts& work) {
    return work.flops + transcendentalFlops * work.transcendentals;
}

double efficiencyOf(WorkClass work, const Target& target, std::string_view maker,
                    std::span<const Reach> table) {
    if (const auto measured = knownRate(target, rateName(maker, work)))
        return *measured / ceilingOf(target, &MachineProfile::gflops);
    for (const Reach& row : table)
        if (row.work == work)
            return target.hasAvx512() ? row.avx512 : row.avx2;
    return otherEfficiency;
}

double rooflineUs(const Facts& work, const Target& target, double efficiency) {
    const double bytes = work.bytesRead + work.bytesWritten;
    const double l2 = target.l2 > 0 ? static_cast<double>(target.l2) : 1 << 20;
    const double l3 = target.l3 > 0 ? static_cast<double>(target.l3) : 16 << 20;
    const Ceiling level = bytes <= l2   ? &MachineProfile::l2Gbps
                          : bytes <= l3 ? &MachineProfile::l3Gbps
                                        : &MachineProfile::memoryGbps;
    const double compute =
        operationsOf(work) / (ceilingOf(target, &MachineProfile::gflops) * efficiency) / 1000;
    const double alone = std::max(compute, bytes / ceilingOf(target, level) / 1000);
    const double launchUs = ceilingOf(target, &MachineProfile::launchUs);
    if (target.threads < 2 || alone < worthThreadsUs)
        return alone + launchUs;
    return alone / target.threads + launchUs + ceilingOf(target, &MachineProfile::forkUs);
}

} // namespace fw
