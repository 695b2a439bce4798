// The text of a loop nest. It reads back as the same value (parse.h).
//
//     kernel relu(x: read f32[N * 64], y: write f32[N * 64]; N) {
//         parallel i in N grain 4 @7 {
//             vector l in 16 { ... }          loops: for, parallel, vector, unroll; `from MIN` when
//             it is not 0 alloc register acc: f32[16]     lives to the end of the enclosing braces
//             if l < N { y[l] = x[l] } else { ... }
//
// `@7` names a graph node the loop or block comes from.
#pragma once

#include "loop/loop.h"

namespace fw {

struct LoopText {
    std::string text;
    std::vector<std::vector<std::int64_t>> nodes; // per line (from 0): graph nodes it comes from
};

LoopText printLoops(const LoopNest& nest);
std::string text(const LoopNest& nest);
std::string text(const Stmt& statement);

std::string_view loopKindText(LoopKind kind);     // "for", "parallel", "vector", "unroll"
std::string_view scopeText(BufferScope scope);    // "parameter", "register", "stack"
std::string_view accessText(BufferAccess access); // "read", "write", "readwrite"

} // namespace fw
