// The part as one operator: the expressions of its operators joined, with sizes as general as
// inference allows.
#pragma once

#include "sketch/sketch_part.h"

namespace fw {

struct OperatorText {
    std::string text;                      // the declaration
    std::vector<ValueRef> operands;        // of the part, that it takes, in this order
    std::map<ValueRef, std::string> types; // of the operands of the part: "f32[N, C]"
    bool anySize = false;                  // else it takes the sizes of the part alone
};

Result<OperatorText> operatorText(const SketchPart& part, const std::string& name);

} // namespace fw
