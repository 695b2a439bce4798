// Layout by Graphviz: `dot -Tplain` in a child process, fed with sizes and numbered names only, so
// nothing from a model is ever parsed by it or from it.
#pragma once

#include "picture/layered.h"

namespace fw::picture {

// Cancelled, or any other Diag: why there is no layout.
Result<LayeredOutput> dotLayout(const LayeredInput& input, const DrawOptions& options,
                                const CancelToken& cancel);

// The layers that all edges together pass between their ends. Graphviz has a node of its own for
// each of them, and its time follows their number: about 2 s for `mostPassed`, whatever the boxes.
std::size_t passedLayers(const LayeredInput& input);
inline constexpr std::size_t mostPassed = 3000;

// What is sent, and how the answer is read: "" or the reason why it was not understood. For tests.
std::string dotInput(const LayeredInput& input);
std::string readPlain(std::string_view plain, const LayeredInput& input, LayeredOutput& output);

} // namespace fw::picture
