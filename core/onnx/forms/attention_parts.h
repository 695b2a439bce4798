// Attention in operators of the library, for all operators of models that hold one: heads as an
// axis, scores, what is masked of them, their softmax times the values.
#pragma once

#include "onnx/read/node_import.h"

namespace fw {

// The scores on their way, as a model may ask for them.
enum class ScoreStage {
    Products, // scaled
    Capped,
    Masked,
    Weights, // their softmax
};

struct AttentionScores {
    double scale = 1;
    double softcap = 0;  // none
    bool causal = false; // a query sees the keys up to its own place
    ValueRef past;       // [B, H, P, D]: the P keys of it stand before those of the first query
    ValueRef lengths; // i64[B]: so many keys count, and the last query stands at the last of them
    ValueRef allowed; // of bool, broadcast to [B, H, S, T]: which keys take part
    ValueRef added;   // of the type of the scores, broadcast likewise
    bool addedHides = true;   // there may be minus infinity in it
    bool emptyIsZero = false; // where masks leave a query no key, else such a row is no number
    std::optional<ScoreStage> shown = std::nullopt;
};

struct Attended {
    ValueRef y;
    ValueRef shown; // [B, H, S, T]; where it is asked for
};

// [B, S, H * D] -> [B, H, S, D]
Result<ValueRef> splitHeads(NodeImport& n, ValueRef x, std::int64_t heads);
// The same back, as the result of the node.
Status resultJoined(NodeImport& n, ValueRef y);
// 1 / sqrt(D) of [B, H, S, D]
Result<double> usualScale(NodeImport& n, ValueRef q);
// `x` behind `past`, if that is valid, along the places.
Result<ValueRef> behindPast(NodeImport& n, ValueRef past, ValueRef x);

// q: [B, H, S, D], k: [B, G, T, D], v: [B, G, T, E] -> [B, H, S, E]. Each of the G heads of keys is
// that of H / G neighbouring heads of queries.
Result<Attended> attended(NodeImport& n, ValueRef q, ValueRef k, ValueRef v,
                          const AttentionScores& scores);

} // namespace fw
