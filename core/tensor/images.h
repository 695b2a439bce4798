// How a computation goes through images [N, C, H, W], which says what order of memory suits it.
#pragma once

#include "ir/op_inst.h"

namespace fw {

bool isImage(const TensorType& type);          // of rank 4
std::vector<Expr> loadsOf(const Stage& stage); // in the order of its body

// What is computed at one position takes in many channels, or many positions of each channel: it
// sums products over channels, slides over positions or channels, or folds whole images. Such code
// works on several channels at once, which are best side by side. True for convolutions and pools,
// not for matrix products and softmax over the same ranks, nor where the channels are the last axis
// already ([N, H, W, C]).
bool worksOnChannels(const OpInst& inst);

// Only maps, each of which reads an image along the axes that it writes: the result may have the
// order of what is read. True for element-wise work, concat, slice and pad, not for transpose.
bool keepsAxes(const OpInst& inst);

} // namespace fw
