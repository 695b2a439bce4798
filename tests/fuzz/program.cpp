// fuzz_graphs: random graphs through every way of the compiler. `--help` says how; accuracy.md what
// it is for.
#include "base/files.h"
#include "fuzz/campaign.h"
#include "fuzz/generator.h"
#include "fuzz/kept_text.h"
#include "fuzz/minimise.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <unistd.h>

using namespace fw;
using namespace fw::fuzz;

namespace {

struct Options {
    std::uint64_t seed = 1, count = 1000;
    double minutes = 0;
    std::string level, libs, oracle, keep;
    std::vector<std::string> files;
    int jobs = 1;
    bool print = false, coverage = false;
};

// The kind of a failure: what a smaller case must share with the first one.
std::string kindOf(const std::string& failure) {
    for (const char* kind : {"died", "thrown", "refused", "the text", "twice"})
        if (failure.find(kind) != std::string::npos)
            return kind;
    return failure.empty() ? std::string() : "differs";
}

std::string command(const Failure& failure, const Options& options) {
    return fmt::format("fuzz_graphs --seed {} --count 1 --level {} --oracle {}{}", failure.seed,
                       failure.level, failure.oracle,
                       options.libs.empty() ? "" : " --libs " + options.libs);
}

class FuzzProgram {
public:
    explicit FuzzProgram(Options options) : m_options(std::move(options)) {
        m_setting.listed = !m_options.libs.empty();
        if (m_options.libs != "none")
            m_setting.libs = m_options.libs;
        for (const Level& level : levels()) {
            if (!m_options.level.empty() && m_options.level != level.name)
                continue;
            if (canPlay(level))
                m_levels.push_back(&level);
            else
                fmt::print("level {} is not tested: this CPU cannot play it\n", level.name);
        }
        m_setting.folder =
            (std::filesystem::temp_directory_path() / fmt::format("fuzz_graphs_{}", getpid()))
                .string();
    }
    ~FuzzProgram() {
        std::error_code ignored;
        std::filesystem::remove_all(m_setting.folder, ignored);
    }

    int main() {
        if (m_levels.empty()) {
            fmt::print("no level is left to test\n");
            return 2;
        }
        if (m_options.print)
            return printCases();
        return m_options.files.empty() ? seeds() : files();
    }

private:
    int printCases() {
        for (std::uint64_t i = 0; i < m_options.count; ++i) {
            const Case one = makeCase(m_options.seed + i, m_engine.operators());
            fmt::print("{}", caseText(one, fmt::format("seed {}", one.seed)));
        }
        return 0;
    }

    int seeds() {
        Campaign campaign;
        campaign.first = m_options.seed;
        campaign.count = m_options.count;
        campaign.time = std::chrono::seconds(static_cast<long>(m_options.minutes * 60));
        campaign.levels = m_levels;
        campaign.setting = m_setting;
        campaign.oracle = m_options.oracle;
        campaign.jobs = m_options.jobs;
        campaign.onFailure = [&](const Failure& failure) {
            fmt::print("FAILED {}\n    {}\n", command(failure, m_options), failure.message);
            std::fflush(stdout);
        };
        const Tally tally = run(campaign, m_engine);
        for (const Failure& failure : tally.failures)
            if (failure.oracle != "generator" && !m_options.keep.empty())
                keep(failure);
        report(tally);
        return tally.failures.empty() ? 0 : 1;
    }

    // Kept cases by every oracle at every level.
    int files() {
        int failures = 0, comparisons = 0;
        for (const std::string& file : expanded()) {
            const Result<MappedFile> mapped = mapFile(file, 16u << 20);
            const Result<Case> one =
                mapped ? readCase(std::string(mapped->text()), m_engine.operators())
                       : Result<Case>(mapped.diag());
            if (!one) {
                fmt::print("FAILED {}: {}\n", file, one.diag().text());
                ++failures;
                continue;
            }
            for (const Level* level : m_levels)
                for (const std::string& oracle : oracleNames()) {
                    if (!m_options.oracle.empty() && oracle != m_options.oracle)
                        continue;
                    m_setting.level = level;
                    const std::string failure = failureOf(*one, oracle, m_setting, m_engine);
                    ++comparisons;
                    if (failure.empty())
                        continue;
                    ++failures;
                    fmt::print("FAILED {} {} {}: {}\n", file, level->name, oracle, failure);
                }
        }
        fmt::print("{} files, {} questions, {} failures\n", expanded().size(), comparisons,
                   failures);
        return failures == 0 ? 0 : 1;
    }

    std::vector<std::string> expanded() const {
        std::vector<std::string> out;
        for (const std::string& file : m_options.files) {
            if (!std::filesystem::is_directory(file)) {
                out.push_back(file);
                continue;
            }
            for (const auto& entry : std::filesystem::directory_iterator(file))
                if (entry.path().extension() == ".fw")
                    out.push_back(entry.path().string());
        }
        std::sort(out.begin(), out.end());
        return out;
    }

    void keep(const Failure& failure) {
        m_setting.level = findLevel(failure.level);
        const Case first = makeCase(failure.seed, m_engine.operators());
        std::string last = failureOf(first, failure.oracle, m_setting, m_engine);
        if (last.empty()) {
            fmt::print("seed {} does not fail alone ({}, {}): {}\n", failure.seed, failure.level,
                       failure.oracle, failure.message);
            last = failure.message;
        }
        const std::string kind = kindOf(last);
        const Case small = minimise(first, [&](const Case& candidate) {
            const std::string said = failureOf(candidate, failure.oracle, m_setting, m_engine);
            if (kindOf(said) != kind)
                return false;
            last = said;
            return true;
        });
        const std::string file =
            (std::filesystem::path(m_options.keep) /
             fmt::format("{}_{}_{}.fw", failure.oracle, failure.level, failure.seed))
                .string();
        std::error_code error;
        std::filesystem::create_directories(m_options.keep, error);
        const std::string text = caseText(small, command(failure, m_options) + ": " + last);
        if (const Status status = writeFile(file, text); !status)
            fmt::print("{}\n", status.diag().text());
        fmt::print("kept {}\n    {}\n", file, last);
        std::fflush(stdout);
    }

    void report(const Tally& tally) const {
        std::set<std::string> never;
        for (const Operator* op : m_engine.operators()->all())
            if (!tally.operators.contains(op->name()))
                never.insert(op->name());
        if (m_options.coverage) {
            fmt::print("graphs that hold each operator:");
            for (const auto& [name, count] : tally.operators)
                fmt::print(" {} {}", name, count);
            fmt::print("\n");
        }
        fmt::print("oracles asked:");
        for (const auto& [name, count] : tally.oracles)
            fmt::print(" {} {}", name, count);
        fmt::print("\ngraphs per level:");
        for (const auto& [name, count] : tally.levels)
            fmt::print(" {} {}", name, count);
        fmt::print("\ngraphs per element type:");
        for (const auto& [name, count] : tally.types)
            fmt::print(" {} {}", name, count);
        fmt::print("\ngraphs per kind of values:");
        for (const auto& [name, count] : tally.values)
            fmt::print(" {} {}", name, count);
        fmt::print("\noperators never drawn:");
        for (const std::string& name : never)
            fmt::print(" {}", name);
        fmt::print("\nseeds {} to {}: {} graphs ({} operators), {} comparisons, {} failures, "
                   "{:.0f} s\n",
                   m_options.seed, tally.end - 1, tally.graphs, tally.nodes, tally.comparisons,
                   tally.failures.size(), tally.seconds);
    }

    Options m_options;
    Engine m_engine;
    Setting m_setting;
    std::vector<const Level*> m_levels;
};

} // namespace

int main(int argc, char** argv) {
    // libgomp reads this when a library loads it. Waiting threads that spin would take the time of
    // the other children.
    setenv("GOMP_SPINCOUNT", "0", 0);
    Options options;
    CLI::App app("Random graphs through every way of the compiler");
    app.add_option("--seed", options.seed, "the first graph");
    app.add_option("--count", options.count, "how many graphs");
    app.add_option("--minutes", options.minutes, "go on for so long instead");
    app.add_option("--level", options.level, "sse41, avx, avx2 or avx512; else all in turn");
    app.add_option("--libs", options.libs, "onednn, openblas, onednn,openblas or none; else all");
    app.add_option("--oracle", options.oracle, "this one alone");
    app.add_option("--keep", options.keep, "folder for minimised failures");
    app.add_option("--jobs", options.jobs, "children at work at a time");
    app.add_flag("--print", options.print, "print the graphs, run nothing");
    app.add_flag("--coverage", options.coverage, "print how many graphs hold each operator");
    app.add_option("FILE", options.files, "kept graphs or folders of them, by every oracle");
    CLI11_PARSE(app, argc, argv);
    return FuzzProgram(std::move(options)).main();
}
