#include "strategy/machine.h"

#include "base/cache_folder.h"
#include "base/files.h"
#include "base/stopwatch.h"
#include "strategy/machine_file.h"
#include "strategy/machine_measure.h"
#include "target/saved_machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <mutex>

namespace fw {

namespace {

constexpr double worthThreadsUs = 20; // shorter work stays on one thread
constexpr double transcendentalFlops = 12;
constexpr double otherEfficiency = 0.2; // of work in no class

std::optional<std::filesystem::path> cacheFile(const Target& host) {
    const std::string file = cacheFolder(
        fmt::format("machine-3-v{}-{}.txt", static_cast<int>(host.level), host.threads));
    return file.empty() ? std::nullopt : std::optional<std::filesystem::path>(file);
}

constexpr std::uint64_t mostBytes = 65536; // of a profile

// What is measured here is measured with whole registers.
bool isHost(const Target& target) {
    static const int lanes = hostTarget().vectorLanesF32;
    return target.isHost && target.cpu == "native" && target.vectorLanesF32 == lanes;
}

std::string_view profileOfEnvironment() {
    const char* given = std::getenv("FUSEWRIGHT_MACHINE");
    return given == nullptr ? std::string_view() : std::string_view(given);
}

// What is known without measuring.
struct StandingFigures {
    KeptFigures figures;
    std::optional<Diag> refusal; // of the file that the environment names
    Diags warnings;
};

std::int64_t secondsNow() {
    return std::chrono::duration_cast<std::chrono::seconds>(
               std::chrono::system_clock::now().time_since_epoch())
        .count();
}

Result<MachineProfile> givenProfile(const std::string& file) {
    FW_TRY(const std::string text, readFile(file, mostBytes));
    return parseMachine(text, file, {});
}

StandingFigures knownOf(const Target& target) {
    StandingFigures out;
    if (const SavedMachinePtr machine = machineOf(target)) {
        Result<MachineProfile> profile =
            parseMachine(machine->figures, machine->file, tabulatedMachine(target));
        if (profile)
            out.figures.profile = *profile;
        else
            out.refusal = profile.takeDiag();
        return out;
    }
    if (!isHost(target)) {
        out.figures.profile = tabulatedMachine(target);
        return out;
    }
    if (const std::string given(profileOfEnvironment()); !given.empty()) {
        Result<MachineProfile> profile = givenProfile(given);
        if (profile)
            out.figures.profile = *profile;
        else
            out.refusal = profile.takeDiag();
        return out;
    }
    const auto file = cacheFile(target);
    std::error_code error;
    if (!file || !std::filesystem::exists(*file, error))
        return out;
    Result<std::string> text = readFile(file->string(), mostBytes);
    if (text) {
        out.figures = readFigures(*text, file->string(), out.warnings);
        out.figures.forgetOld(secondsNow());
        return out;
    }
    Diag warning = text.takeDiag();
    warning.severity = Severity::Warning;
    warning.message = "the figures of this machine cannot be read: " + warning.message;
    warning.hint = "they are measured anew, as plans ask for them";
    out.warnings.push_back(std::move(warning));
    return out;
}

void writeFigures(const Target& host, const KeptFigures& figures) {
    const auto file = cacheFile(host);
    if (!file)
        return;
    std::error_code ignored;
    std::filesystem::create_directories(file->parent_path(), ignored);
    (void)writeFile(file->string(), figures.text(), Durability::Cache);
}

double measuringMs = 0;
std::mutex mutex; // of the figures and of measuringMs

// Under the mutex.
StandingFigures& figuresOf(const Target& target) {
    static std::map<std::string, StandingFigures> known;
    const std::string key = fmt::format("{} {} {}", isHost(target) ? "native" : target.cpu,
                                        target.codeKey(), target.threads);
    auto found = known.find(key);
    if (found == known.end())
        found = known.emplace(key, knownOf(target)).first;
    return found->second;
}

std::string nameOf(Ceiling ceiling) {
    const auto row = std::find_if(ceilings().begin(), ceilings().end(),
                                  [&](const CeilingRow& one) { return one.value == ceiling; });
    return std::string(row->name);
}

// Under the mutex.
void measure(const Target& target, StandingFigures& known, Ceiling ceiling) {
    const auto start = std::chrono::steady_clock::now();
    const MeasuredCeiling measured = measuredCeiling(target, ceiling);
    known.figures.set(nameOf(ceiling), std::clamp(measured.value, leastFigure, mostFigure),
                      measured.disturbed, secondsNow());
    if (!known.refusal)
        writeFigures(target, known.figures);
    measuringMs += millisecondsSince(start);
}

} // namespace

double ceilingOf(const Target& target, Ceiling ceiling) {
    const std::lock_guard lock(mutex);
    StandingFigures& known = figuresOf(target);
    if (known.figures.profile.*ceiling <= 0)
        measure(target, known, ceiling);
    return known.figures.profile.*ceiling;
}

double knownCeiling(const Target& target, Ceiling ceiling) {
    const std::lock_guard lock(mutex);
    return figuresOf(target).figures.profile.*ceiling;
}

std::string ceilingSource(const Target& target) {
    if (const SavedMachinePtr machine = machineOf(target))
        return fmt::format("{}, of {}", machine->file, machine->cpu);
    if (!isHost(target))
        return fmt::format("a table for {}", target.cpu);
    if (const std::string_view file = profileOfEnvironment(); !file.empty())
        return std::string(file);
    const std::lock_guard lock(mutex);
    std::string disturbed;
    for (const auto& one : figuresOf(target).figures.disturbed)
        disturbed += (disturbed.empty() ? "" : ", ") + one.first;
    return "measured on this machine" +
           (disturbed.empty()
                ? std::string()
                : fmt::format("; beside other work, so that plans measure them again after ten "
                              "minutes: {}",
                              disturbed));
}

double ceilingAgain(const Target& target, Ceiling ceiling) {
    const std::lock_guard lock(mutex);
    StandingFigures& known = figuresOf(target);
    if (isHost(target) && profileOfEnvironment().empty())
        measure(target, known, ceiling);
    return known.figures.profile.*ceiling;
}

Result<Diags> checkMachine(const Target& target) {
    const std::lock_guard lock(mutex);
    StandingFigures& known = figuresOf(target);
    if (known.refusal)
        return *known.refusal;
    known.figures.forgetOld(secondsNow());
    return known.warnings;
}

std::optional<double> knownRate(const Target& target, const std::string& name) {
    const std::lock_guard lock(mutex);
    const auto& rates = figuresOf(target).figures.profile.rates;
    const auto found = rates.find(name);
    return found == rates.end() ? std::nullopt : std::optional(found->second);
}

void setRates(const Target& host, const std::map<std::string, double>& rates, bool keep,
              double tookMs) {
    const std::lock_guard lock(mutex);
    measuringMs += tookMs;
    StandingFigures& known = figuresOf(host);
    for (const auto& [name, rate] : rates)
        known.figures.set(name, rate, !keep, secondsNow());
    if (!known.refusal)
        writeFigures(host, known.figures);
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
                    std::span<const Efficiency> table) {
    if (const auto measured = knownRate(target, rateName(maker, work)))
        return *measured / ceilingOf(target, &MachineProfile::gflops);
    for (const Efficiency& row : table)
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
