// What was laid out before, by all that a layout depends on: a block that is opened costs its own
// layout and those of the blocks around it.
#pragma once

#include "picture/layered.h"

#include <memory>
#include <unordered_map>

namespace fw::picture {

class LayoutMemo {
public:
    // As layered() gives it.
    Result<LayeredOutput> layOut(const LayeredInput& input, const CancelToken& cancel);
    // What the pictures before the last one did not use goes, if it is much.
    void endPicture();

    std::size_t made() const { return m_made; } // layouts that were not there

private:
    struct MadeLayout {
        LayeredInput input;
        LayeredOutput output;
        std::uint64_t used = 0; // in which picture
    };
    std::unordered_multimap<std::uint64_t, MadeLayout> m_kept;
    std::uint64_t m_picture = 1;
    std::size_t m_nodes = 0; // of all that is kept
    std::size_t m_made = 0;
};

} // namespace fw::picture
