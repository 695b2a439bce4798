#include "onnx/write/opset_choice.h"

#include "onnx/model/proto.h"

#include <algorithm>

namespace fw {

void OpsetChoice::inOneOf(std::vector<OpsetRange> ranges) {
    std::vector<std::pair<std::int64_t, std::int64_t>> form;
    for (const OpsetRange& range : ranges)
        form.emplace_back(range.least, range.most);
    m_forms.insert(std::move(form));
}

bool OpsetChoice::holds(std::int64_t opset) const {
    return m_allowed.least <= opset && opset <= m_allowed.most &&
           std::all_of(m_forms.begin(), m_forms.end(), [&](const auto& form) {
               return std::any_of(form.begin(), form.end(), [&](const auto& range) {
                   return range.first <= opset && opset <= range.second;
               });
           });
}

std::optional<std::int64_t> OpsetChoice::best() const {
    for (std::int64_t opset = writtenOpset; opset <= latest; ++opset)
        if (holds(opset))
            return opset;
    for (std::int64_t opset = writtenOpset - 1; opset > 0; --opset)
        if (holds(opset))
            return opset;
    return std::nullopt;
}

std::int64_t OpsetChoice::first() const {
    for (std::int64_t opset = m_allowed.least; opset <= latest; ++opset)
        if (holds(opset))
            return opset;
    return m_allowed.least;
}

} // namespace fw
