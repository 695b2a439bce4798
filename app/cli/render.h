// Documents as text for people: aligned tables, one fact per line.
#pragma once

#include "snapshot/documents.h"
#include "snapshot/schedule_records.h"

#include <string>

namespace fw::cli {

std::string render(const snapshot::InfoDocument& document);
std::string render(const snapshot::OpsDocument& document);
std::string render(const snapshot::FuseDocument& document);
// Of `fuse -v`: a line for each operator.
std::string renderOperators(const snapshot::FuseDocument& document);
std::string render(const snapshot::ExplainDocument& document);
std::string render(const snapshot::MatchDocument& document);
std::string render(const snapshot::DiffDocument& document);
std::string render(const snapshot::RunDocument& document);
std::string render(const snapshot::BenchDocument& document);
std::string render(const snapshot::ProfileDocument& document);
std::string render(const snapshot::TuneDocument& document);
std::string render(const snapshot::VerifyDocument& document);
std::string render(const snapshot::StagesDocument& document);
std::string render(const snapshot::ScheduleDocument& document);
std::string render(const snapshot::ExportDocument& document);
std::string indented(const std::string& text); // every line by four

std::string render(const snapshot::BisectDocument& document);
std::string render(const snapshot::StepDocument& document);
std::string render(const snapshot::ProbeDocument& document);
std::string render(const snapshot::UsesDocument& document);
std::string render(const snapshot::LintDocument& document);
std::string render(const snapshot::SketchDocument& document);
std::string render(const snapshot::RewriteDocument& document);
std::string render(const snapshot::OrderDocument& document);
std::string render(const snapshot::CheckDocument& document);
std::string render(const snapshot::AssistDocument& document);
std::string render(const snapshot::BookDocument& document);
std::string render(const snapshot::TestDocument& document);
std::string render(const snapshot::DoctorDocument& document);
std::string render(const snapshot::DrawDocument& document);

// Columns padded to their widest cell, two blanks apart. Cells of `right` columns lie to the right.
class Table {
public:
    explicit Table(std::vector<std::string> heads, std::vector<bool> right = {});
    void row(std::vector<std::string> cells);
    std::string text() const;

private:
    std::vector<std::vector<std::string>> m_rows;
    std::vector<bool> m_right;
};

std::string decimal(double value, int digits); // without a locale
// With a star if other work disturbed the measurement, and the line that says what a star means.
std::string marked(const std::string& time, bool disturbed);
std::string starLine(bool any);
std::string large(double value);     // 1.82 G, 25.6 M, 3.1 k
std::string bytesText(double value); // 3.1 MB

} // namespace fw::cli
