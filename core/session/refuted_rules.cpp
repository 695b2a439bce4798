#include "session/refuted_rules.h"

#include "base/cache_folder.h"
#include "base/files.h"
#include "session/remembered_trials.h"
#include "verdict/verdict.h"

#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <system_error>

namespace fw {

namespace {

// What small graphs say of a rule, from process to process: a file each. A file that is not as it
// was written is none.
class VerdictFiles {
public:
    static std::optional<std::string> find(const Hash& key) {
        constexpr std::uint64_t largest = 64 << 10;
        const std::string file = fileOf(key);
        const Result<std::string> text =
            file.empty() ? Result<std::string>(std::string()) : readFile(file, largest);
        if (!text || !text->starts_with(head) || !text->ends_with(tail))
            return std::nullopt;
        return text->substr(head.size(), text->size() - head.size() - tail.size());
    }

    static void add(const Hash& key, const std::string& said) {
        const std::string file = fileOf(key);
        if (file.empty())
            return;
        std::error_code error;
        const std::filesystem::path folder = std::filesystem::path(file).parent_path();
        std::filesystem::create_directories(folder, error);
        if (error) // without a folder, or with a full disk, less is remembered
            return;
        (void)writeFile(file, std::string(head) + said + std::string(tail), Durability::Cache);
        if (key.low % 64 == 0)
            removeOld(folder);
    }

private:
    static constexpr std::string_view head = "fusewright verdict\n", tail = "\n.\n";

    // Texts that are typed leave a file each.
    static void removeOld(const std::filesystem::path& folder) {
        const auto least = std::filesystem::file_time_type::clock::now() - std::chrono::days(30);
        std::error_code error;
        std::vector<std::filesystem::path> old;
        for (const auto& entry : std::filesystem::directory_iterator(folder, error))
            if (std::error_code wrong; entry.last_write_time(wrong) < least && !wrong)
                old.push_back(entry.path());
        for (const auto& one : old)
            std::filesystem::remove(one, error);
    }

    static std::string fileOf(const Hash& key) {
        const std::string folder = cacheFolder("verdicts");
        return folder.empty() ? folder
                              : (std::filesystem::path(folder) / (key.hex() + ".txt")).string();
    }
};

// Counts up when what is drawn or compared changes.
constexpr std::string_view trialVersion = "9";

// How a rule differs from what it replaces; empty: it is not refuted.
std::string refutationOf(const std::shared_ptr<const RuleTree>& rule, const Books& books,
                         const CancelToken& cancel) {
    std::string texts =
        fmt::format("refuted {}\n{}\n{}", trialVersion, rule->source, textsAround(books));
    for (const ShippedText& shipped : shippedTexts())
        texts += shipped.text;
    return remembered(texts, cancel, [&]() -> std::string {
        const Hash key = hashOf(texts);
        if (auto known = VerdictFiles::find(key))
            return *known;
        const RuleTrial trial =
            tryRule(rule, books.rules, books.operators, 1, cancel, Proofs::Leave);
        const std::string out = trial.wrong ? trial.wrong->difference : std::string();
        if (!cancel.cancelled())
            VerdictFiles::add(key, out);
        return out;
    });
}

} // namespace

Decisions refutedRules(const Books& books, const RewriteTrace& trace, const CancelToken& cancel) {
    Decisions out;
    for (std::size_t i = 0; i < trace.applied.size() && i < books.rules.entries.size(); ++i) {
        const auto rule = books.rules.ruleAt(i);
        const AppliedRule& applied = trace.applied[i];
        if (!rule || applied.count == 0 || applied.file.empty() || isShippedBook(applied.file) ||
            cancel.cancelled())
            continue;
        if (rule->changes)
            out.push_back({rule->name, Verdict::Note, ReasonCode::RuleChanges,
                           fmt::format("{}:{}", applied.file, applied.line)});
        else if (const std::string how = refutationOf(rule, books, cancel); !how.empty())
            out.push_back({rule->name, Verdict::Note, ReasonCode::RuleRefuted,
                           fmt::format("on a small graph it {} ({}:{}; fw check shows the graph)",
                                       how, applied.file, applied.line)});
    }
    return out;
}

} // namespace fw
