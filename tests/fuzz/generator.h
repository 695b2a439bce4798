// Random graphs over the operator library: a seed is a case, always the same one as long as the
// library and the recipes are.
#pragma once

#include "fuzz/case.h"

namespace fw::fuzz {

Case makeCase(std::uint64_t seed, const std::shared_ptr<const OperatorSet>& operators);

} // namespace fw::fuzz
