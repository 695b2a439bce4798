#include "session/tuning_log.h"

#include "base/files.h"

#include <nlohmann/json.hpp>

#include <cmath>

namespace fw {

namespace {

using nlohmann::json;

constexpr std::uint64_t most = 256u << 20; // bytes of a log

// Nothing if the line is not a record.
std::optional<TuningRecord> recordOf(const std::string& line) {
    const json value = json::parse(line, nullptr, false);
    if (!value.is_object() || value.value("v", json()) != json(1))
        return std::nullopt;
    const json workload = value.value("workload", json()),
               implementation = value.value("implementation", json()),
               us = value.value("us", json());
    if (!workload.is_string() || !implementation.is_string() || !us.is_number())
        return std::nullopt;
    TuningRecord out{
        workload, implementation, us, {}, value.value("disturbed", json()) == json(true)};
    return std::isfinite(out.us) && out.us > 0 ? std::optional(std::move(out)) : std::nullopt;
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
            if (record->disturbed)
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
        text += line.dump() + "\n";
    }
    return appendFile(file, text);
}

} // namespace fw
