#include "snapshot/saved_times.h"

#include "snapshot/json.h"

#include <fmt/format.h>

#include <cmath>

namespace fw::snapshot {

namespace {

// clang-format off
FW_RECORD(TimesRecord,
    (std::string, plan),
    (ProfileDocument, profile)
)
// clang-format on

constexpr double longest = 1e12; // microseconds: eleven days

bool isTime(double us) {
    return std::isfinite(us) && us >= 0 && us <= longest;
}

// "2026-11-28T18:40:12Z", or nothing.
bool isMoment(const std::string& text) {
    constexpr std::string_view form = "dddd-dd-ddTdd:dd:ddZ";
    if (text.empty())
        return true;
    if (text.size() != form.size())
        return false;
    for (std::size_t i = 0; i < form.size(); ++i)
        if (form[i] == 'd' ? text[i] < '0' || text[i] > '9' : text[i] != form[i])
            return false;
    return true;
}

// What is wrong with a row; empty: nothing.
std::string wrongOf(const ProfileRow& row) {
    const std::pair<const char*, std::optional<double>> times[] = {
        {"median", row.medianUs}, {"least", row.minUs},    {"95th percentile", row.p95Us},
        {"spread", row.iqrUs},    {"estimate", row.estUs}, {"time alone", row.aloneUs}};
    for (const auto& [name, us] : times)
        if (us && !isTime(*us))
            return fmt::format("the {} of {} is {} us, which is no time", name, row.group, *us);
    if (row.medianUs <= 0 || row.medianUs < row.minUs)
        return fmt::format("{} took {} us, at least {}: one is missing, or no time", row.group,
                           row.medianUs, row.minUs);
    const auto isShare = [](double share) { return share >= 0 && share <= 1.001; };
    if (!isShare(row.share))
        return fmt::format("{} has the share {}, which is not between 0 and 1", row.group,
                           row.share);
    for (const ShareRecord& node : row.nodes)
        if (!isShare(node.share.value_or(0)) || !isTime(node.aloneUs.value_or(0)))
            return fmt::format("{} of {} has a share that is none", node.name, row.group);
    for (const auto& number : {row.flops, row.bytes, row.gflops, row.gbps})
        if (number && (!std::isfinite(*number) || *number < 0))
            return fmt::format("{} has work that is no number", row.group);
    if (row.groupId < -1 || row.calls < 0)
        return fmt::format("{} is group {}, called {} times", row.group, row.groupId, row.calls);
    return {};
}

std::string wrongOf(const ProfileDocument& times) {
    if (times.rows.size() > mostTimedRows)
        return fmt::format("there are {} groups, at most {} are kept", times.rows.size(),
                           mostTimedRows);
    if (times.rows.empty())
        return "no group was measured";
    for (const ProfileRow& row : times.rows)
        if (std::string what = wrongOf(row); !what.empty())
            return what;
    if (times.endToEndMs <= 0 || !isTime(times.endToEndMs * 1e3) || !isTime(times.sumMs * 1e3) ||
        !isTime(times.compileMs))
        return fmt::format("the run took {} ms, its groups {} ms, which is no time",
                           times.endToEndMs, times.sumMs);
    if (!std::isfinite(times.iqrPercent) || times.iqrPercent < 0)
        return fmt::format("the spread is {} %", times.iqrPercent);
    if (times.threads < 1 || times.threads > 256 || times.runs < 1)
        return fmt::format("{} runs on {} threads are none", times.runs, times.threads);
    if (!isMoment(times.taken))
        return fmt::format("they were taken at '{}', which is no time of a day", times.taken);
    return {};
}

} // namespace

std::string timesText(const ProfileDocument& times, const std::string& plan) {
    TimesRecord out{plan, times};
    out.profile.start = {};
    out.profile.misses.clear();
    out.profile.notices.clear();
    out.profile.against.reset();
    std::string text = times.rows.size() > mostTimedRows ? std::string() : Writer::text(out);
    return text.size() > largestTimes ? std::string() : text;
}

Result<KeptTimes> parseKeptTimes(std::string_view text, const std::string& field,
                                 const std::string& path) {
    const std::string what =
        field.empty() ? "is no answer of `fw profile --json`" : "has a field " + field;
    const auto refused = [&](const std::string& why) {
        return makeDiag(DiagCode::Syntax,
                        field.empty() ? what + ": " + why : what + " that is wrong: " + why, {path},
                        field.empty() ? "give what `fw profile MODEL --json` prints, or a document"
                                      : "take the field out of the file, and measure again");
    };
    if (text.size() > largestTimes)
        return refused(
            fmt::format("its text has {} bytes, at most {} are read", text.size(), largestTimes));
    TimesRecord in;
    const auto diag = field.empty() ? Reader(text).readAll(in.profile) : Reader(text).readAll(in);
    if (diag)
        return refused(diag->message);
    if (std::string why = wrongOf(in.profile); !why.empty())
        return refused(why);
    in.profile.against.reset();
    return KeptTimes{std::make_shared<const ProfileDocument>(std::move(in.profile)),
                     std::move(in.plan)};
}

} // namespace fw::snapshot
