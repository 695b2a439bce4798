// Models of any size in the shapes that large models have, for everything that asserts growth.
#pragma once

#include "onnx/model/proto.h"

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace fw::test {

enum class LargeShape : std::uint8_t {
    Chain,  // one operator behind the other, a weight at every fourth
    Wide,   // one value read by half of the operators, joined again a hundred at a time
    Dense,  // blocks of twelve in which an operator reads all that came before it
    Layers, // attention, normalization and two products, over and over
};

struct LargeShapeName {
    std::string_view name;
    LargeShape shape;
};
inline constexpr LargeShapeName largeShapes[] = {
    {"chain", LargeShape::Chain},
    {"wide", LargeShape::Wide},
    {"dense", LargeShape::Dense},
    {"layers", LargeShape::Layers},
};

// A model of at least `nodes` operators, and at most a block more. Weights are small: what grows is
// the graph.
proto::ModelProto largeModel(LargeShape shape, int nodes);

// A residual network of bottlenecks (1x1, 3x3, 1x1, each with a batch norm): four stages of that
// many blocks, the first of `width` channels, over an image of 3 x `image` x `image`. ResNet-50 is
// {3, 4, 6, 3}, 64, 224. Weights are random.
proto::ModelProto residualModel(const std::array<int, 4>& blocks, int width, int image);

} // namespace fw::test
