#include "session/tuning_log.h"

#include "base/files.h"
#include "ir/bound_dims.h"
#include "session/tuning_text.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace fw {

namespace {

using nlohmann::json;

constexpr std::uint64_t most = 256u << 20; // bytes of a log
constexpr double mostUs = 1e12;            // of one run: eleven days

// Nothing if the line is not a record.
std::optional<TuningRecord> recordOf(const std::string& line) {
    const json value = json::parse(line, nullptr, false);
    if (!value.is_object())
        return std::nullopt;
    const json version = value.value("v", json()), sizes = value.value("sizes", json());
    const bool bySize = version == json(2) || (version == json(3) && !sizes.is_null());
    if (bySize ? !sizes.is_object() || sizes.size() != 1 || !sizes.begin()->is_number_unsigned() ||
                     sizes.begin()->get<std::uint64_t>() > largestBoundDim
               : version != json(1) && version != json(3))
        return std::nullopt;
    const json workload = value.value("workload", json()),
               implementation = value.value("implementation", json()),
               us = value.value("us", json());
    if (!workload.is_string() || !implementation.is_string() || !us.is_number())
        return std::nullopt;
    TuningRecord out{
        workload, implementation, us, {}, value.value("disturbed", json()) == json(true)};
    if (bySize) {
        out.dim = sizes.begin().key();
        out.size = sizes.begin()->get<std::int64_t>();
    }
    return out.us > 0 && out.us <= mostUs ? std::optional(std::move(out)) : std::nullopt;
}

// Lines of one kind that are wrong.
struct Wrong {
    const char* one;  // "line 7 is ..."
    const char* many; // "lines 7, 9 are ..."
    std::vector<int> lines = {};
    std::size_t count = 0;

    void add(int line) {
        constexpr std::size_t named = 5;
        if (++count <= named)
            lines.push_back(line);
    }
    void tell(const std::string& file, Diags& out) const {
        if (count == 0)
            return;
        const std::string places =
            count == 1 ? fmt::format("line {} {}", lines.front(), one)
                       : fmt::format("lines {}{} {}", fmt::join(lines, ", "),
                                     count > lines.size()
                                         ? fmt::format(" and {} more", count - lines.size())
                                         : std::string(),
                                     many);
        Diag diag = makeDiag(DiagCode::Syntax, places, {.file = file, .line = lines.front()});
        diag.severity = Severity::Warning;
        out.push_back(std::move(diag));
    }
};

// Of a line that was cut off before its end and then written on: the record behind it.
std::optional<TuningRecord> recordBehindCut(const std::string& line) {
    int attempts = 32;
    for (std::size_t at = line.rfind('{'); at != std::string::npos && at > 0 && attempts > 0;
         at = line.rfind('{', at - 1), --attempts)
        if (auto record = recordOf(line.substr(at)))
            return record;
    return std::nullopt;
}

// A record of a version that this program does not read.
bool isOfOtherVersion(const std::string& line) {
    const json value = json::parse(line, nullptr, false);
    return value.is_object() && value.contains("workload") && value.contains("v") &&
           value["v"].is_number_integer() && (value["v"] < 1 || value["v"] > 3);
}

void add(TuningRecord record, TuningLog& out) {
    if (!record.dim.empty() && !record.disturbed)
        out.measurements.addAt(record.workload, record.dim, record.size, record.implementation,
                               record.us);
    else if (!record.dim.empty()) // known, but of no implementation
        out.measurements.addAt(record.workload, record.dim, record.size, {}, record.us);
    else if (record.disturbed)
        out.measurements.addDisturbed(record.workload, record.implementation);
    else
        out.measurements.add(record.workload, record.implementation, record.us);
    out.records.push_back(std::move(record));
}

} // namespace

Result<TuningLog> readTuningLog(const std::string& file) {
    FW_TRY(const std::string text, readFile(file, most));
    return parseTuningLog(text, file);
}

TuningLog parseTuningLog(std::string_view text, const std::string& file) {
    TuningLog out;
    Wrong damaged{"is no record of a measurement and passed over",
                  "are no records of measurements and passed over"};
    Wrong cut{"begins with a record that was cut off; the one behind it is read",
              "begin with records that were cut off; those behind them are read"};
    Wrong versions{"is of a version that is not known here and passed over",
                   "are of versions that are not known here and passed over"};
    int line = 0;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        const std::string one(text.substr(begin, end - begin));
        begin = end + 1;
        ++line;
        if (one.find_first_not_of(" \t\r") == std::string::npos)
            continue;
        if (auto record = recordOf(one)) {
            add(std::move(*record), out);
        } else if (auto behind = recordBehindCut(one)) {
            cut.add(line);
            add(std::move(*behind), out);
        } else {
            (isOfOtherVersion(one) ? versions : damaged).add(line);
        }
    }
    for (const Wrong* wrong : {&damaged, &cut, &versions})
        wrong->tell(file, out.diagnostics);
    return out;
}

std::string tuningText(const std::vector<TuningRecord>& records) {
    std::string text;
    for (const TuningRecord& record : records) {
        const bool ofGroup = isOfGroup(record.workload);
        json line{{"v", ofGroup ? 3 : 1},
                  {"workload", record.workload},
                  {"implementation", record.implementation},
                  {"us", record.us},
                  {"group", record.group}};
        if (record.disturbed)
            line["disturbed"] = true;
        if (!record.dim.empty()) {
            line["v"] = ofGroup ? 3 : 2;
            line["sizes"] = {{record.dim, record.size}};
        }
        text += line.dump() + "\n";
    }
    return text;
}

Status appendTuningLog(const std::string& file, const std::vector<TuningRecord>& records) {
    return appendFile(file, tuningText(records));
}

} // namespace fw
