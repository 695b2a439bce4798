// Layout by Graphviz: `dot -Tplain` in a child process, fed with sizes and numbered names only, so
// nothing from a model is ever parsed by it or from it.
#pragma once

#include "picture/layered.h"

namespace fw::picture {

// Cancelled, or any other Diag: why there is no layout.
Result<LayeredOutput> dotLayout(const LayeredInput& input, const DrawOptions& options,
                                const CancelToken& cancel);

// What is sent, and how the answer is read: "" or the reason why it was not understood. For tests.
std::string dotInput(const LayeredInput& input);
std::string readPlain(std::string_view plain, const LayeredInput& input, LayeredOutput& output);

} // namespace fw::picture
