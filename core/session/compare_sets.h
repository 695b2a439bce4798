// The data sets of a model against what it computes.
#pragma once

#include "session/compare.h"
#include "session/fitting_pipelines.h"
#include "session/pipeline_store.h"

namespace fw {

Tolerance toleranceOf(const snapshot::Arguments& arguments);
// Operator cases are held to the bound of every element.
Result<PassBy> passBy(Pipeline& pipeline, const snapshot::Arguments& arguments,
                      const Context& context);

// Of what the set expects, by the module that its inputs fit; nullopt where it expects nothing.
// What is not compared, and why something ran otherwise than planned, is added to the notices.
Result<std::optional<snapshot::ComparisonRecord>>
compareSet(FittingPipelines& fitting, const TestDataSet& set, Tolerance tolerance, PassBy by,
           std::vector<std::string>& notices, const Context& context);

// One backend-test folder: every data set; unsupported if the model cannot be compiled, or not all
// of its results are computed.
Result<snapshot::CaseRecord> testFolder(PipelineStore& store, const std::string& folder,
                                        const snapshot::Arguments& arguments,
                                        const Context& context);

} // namespace fw
