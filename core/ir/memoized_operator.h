// An operator that remembers its answers. Large models are the same few calls over and over, so an
// operator is asked for types, facts and computations far more often than there are answers.
#pragma once

#include "ir/operator.h"

namespace fw {

// Answers as `op` does; thread-safe if that is. At most `rememberedCalls` calls of each kind are
// kept; calls with a tensor among their attributes are not, since a model's weights would outlive
// the model.
inline constexpr std::size_t rememberedCalls = 512;
std::shared_ptr<const Operator> remembering(std::shared_ptr<const Operator> op);

} // namespace fw
