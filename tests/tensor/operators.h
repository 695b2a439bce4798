// The operators of resources/library, read from the source tree: tensor's tests may not link the
// library.
#pragma once

#include "ir/operator.h"
#include "ir/tensor_data.h"

#include <string>
#include <string_view>

namespace fw::testing {

// Throws InternalError naming the first error of the text.
OperatorSet operatorsOf(std::string_view text, const std::string& file);
const OperatorSet& libraryTexts();

// "f32[2, N]" with free dims by name.
TensorType typeOf(const std::string& text);
OpCall callOf(const std::vector<std::string>& types, Attrs attrs = {});
inline Attrs attrs(std::vector<std::pair<std::string, AttrValue>> items) {
    Attrs out;
    for (auto& [name, value] : items)
        out.set(name, std::move(value));
    return out;
}

} // namespace fw::testing
