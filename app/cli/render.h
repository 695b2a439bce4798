// Documents as text for people: aligned tables, one fact per line.
#pragma once

#include "snapshot/documents.h"
#include "snapshot/schedule_records.h"
#include "table.h"

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

} // namespace fw::cli
