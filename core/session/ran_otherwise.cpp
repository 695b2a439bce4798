#include "session/ran_otherwise.h"

#include "session/decision_records.h"

#include <algorithm>

namespace fw {

Decisions ranOtherwise(LoadedModule& module) {
    Decisions out;
    const runtime::Executor& executor = module.executor();
    for (const runtime::StepNotes& told : executor.notes()) {
        const std::string& step = executor.program().steps[told.step].name;
        const runtime::CallNotes& notes = told.notes;
        if (!notes.packed.empty())
            out.push_back({step, Verdict::Note, ReasonCode::ReorderAdded, notes.packed});
        if (!notes.loops.empty())
            out.push_back({step, Verdict::Note, ReasonCode::RuntimeComputes, notes.loops});
    }
    return out;
}

void tellRanOtherwise(LoadedModule& module, std::vector<std::string>& notices) {
    for (const Decision& decision : ranOtherwise(module)) {
        std::string text = noticeText(decision);
        if (std::find(notices.begin(), notices.end(), text) == notices.end())
            notices.push_back(std::move(text));
    }
}

} // namespace fw
