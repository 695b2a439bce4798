#include "session/tuning_log.h"

#include "base/files.h"
#include "ir/bound_dims.h"

#include <nlohmann/json.hpp>

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
    const bool bySize = version == json(2);
    if (bySize ? !sizes.is_object() || sizes.size() != 1 || !sizes.begin()->is_number_unsigned() ||
                     sizes.begin()->get<std::uint64_t>() > largestBoundDim
               : version != json(1))
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

} // namespace

Result<TuningLog> readTuningLog(const std::string& file) {
    FW_TRY(const std::string text, readFile(file, most));
    return parseTuningLog(text, file);
}

TuningLog parseTuningLog(std::string_view text, const std::string& file) {
    TuningLog out;
    int line = 0;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        const std::string one(text.substr(begin, end - begin));
        begin = end + 1;
        ++line;
        if (one.find_first_not_of(" \t\r") == std::string::npos)
            continue;
        if (const auto record = recordOf(one)) {
            if (!record->dim.empty() && !record->disturbed)
                out.measurements.addAt(record->workload, record->dim, record->size,
                                       record->implementation, record->us);
            else if (!record->dim.empty()) // known, but of no implementation
                out.measurements.addAt(record->workload, record->dim, record->size, {}, record->us);
            else if (record->disturbed)
                out.measurements.addDisturbed(record->workload, record->implementation);
            else
                out.measurements.add(record->workload, record->implementation, record->us);
            continue;
        }
        Diag diag = makeDiag(DiagCode::Syntax, "no record of a measurement, passed over",
                             {.file = file, .line = line});
        diag.severity = Severity::Warning;
        out.diagnostics.push_back(std::move(diag));
    }
    return out;
}

Status appendTuningLog(const std::string& file, const std::vector<TuningRecord>& records) {
    std::string text;
    for (const TuningRecord& record : records) {
        json line{{"v", 1},
                  {"workload", record.workload},
                  {"implementation", record.implementation},
                  {"us", record.us},
                  {"group", record.group}};
        if (record.disturbed)
            line["disturbed"] = true;
        if (!record.dim.empty()) {
            line["v"] = 2;
            line["sizes"] = {{record.dim, record.size}};
        }
        text += line.dump() + "\n";
    }
    return appendFile(file, text);
}

} // namespace fw
