// The register tile of a matmul by hand: c[m, n] = sum over k of a[m, k] * b[k, n], m rows and some
// vectors of columns, accumulators in registers, b packed.
#pragma once

#include "loop/loop.h"

namespace fw::test {

inline LoopNest matmulTileNest(int m, int vectors, int lanes, int k) {
    const int columns = vectors * lanes;
    const Expr i = varExpr("i"), j = varExpr("j"), l = varExpr("l"), kk = varExpr("k");
    const Expr column = j * Expr(lanes) + l;
    const Expr place = i * Expr(columns) + column;
    const auto tile = [&](Stmt inner) {
        return forStmt("i", 0, m, LoopKind::Unroll,
                       forStmt("j", 0, vectors, LoopKind::Unroll,
                               forStmt("l", 0, lanes, LoopKind::Vector, std::move(inner))));
    };
    const Expr sum = loadExpr("acc", {place}, DType::F32);
    const Stmt body = blockStmt(
        {tile(storeStmt("acc", place, floatExpr(0.0))),
         forStmt("k", 0, k, LoopKind::Serial,
                 tile(storeStmt("acc", place,
                                fmaExpr(loadExpr("a", {i * Expr(k) + kk}, DType::F32),
                                        loadExpr("b", {kk * Expr(columns) + column}, DType::F32),
                                        sum)))),
         tile(storeStmt("c", place, sum))});
    return {
        "matmul_tile",
        {{"a", DType::F32, m * k, BufferScope::Parameter, BufferAccess::Read},
         {"b", DType::F32, k * columns, BufferScope::Parameter, BufferAccess::Read},
         {"c", DType::F32, m * columns, BufferScope::Parameter, BufferAccess::Write}},
        {},
        allocStmt({"acc", DType::F32, m * columns, BufferScope::Register, BufferAccess::ReadWrite},
                  body)};
}

} // namespace fw::test
