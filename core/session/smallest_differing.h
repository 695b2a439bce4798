// The smallest graph that shows that an implementation differs from the reference, as a file.
#pragma once

#include "session/judgement.h"
#include "session/pipeline.h"

namespace fw {

// What differs: an implementation of one node, on values of a kind at some sizes.
struct Differing {
    GraphPtr part; // as in the model: its own constants
    std::string anchor;
    std::string implementation;
    ValueKind kind = ValueKind::Random;
    Sizes sizes;
    std::uint64_t seed = 1;
    std::string worst; // where it differs: see Judgement
};

// Binds free dimensions, drops operators from both ends and shrinks extents as long as the
// implementation differs; the part itself if it no longer does when it is tried again.
Result<Differing> smallestOf(Pipeline& pipeline, Differing start, const Context& context);

// FOLDER/NAME.fw, which `fw verify` shows to differ again; `said` stands at its top as comments.
// Weights are random(SEED) where such text gives them, else files beside it. Returns the path.
Result<std::string> writeDiffering(const Differing& what, const std::string& folder,
                                   const std::string& name, const std::vector<std::string>& said);

} // namespace fw
