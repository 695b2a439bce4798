// Operators of books whose bodies ONNX can say, with operands that they are tried on.
#pragma once

#include "library/library.h"
#include "onnx/write/export.h"

#include <QtTest>

namespace fw::test {

using Extents = std::vector<std::int64_t>;

inline TensorType f32Type(const Extents& extents) {
    return {DType::F32, fixedShape(extents)};
}

// One call of an operator.
struct Call {
    std::vector<TensorType> inputs;
    Attrs attrs;
};

struct BodyCase {
    const char* name;
    std::string text;
    std::vector<Call> calls;
};

// The declaration of `mine`, which is the nodes "Mine" of "com.me".
inline std::string op(const std::string& signature, const std::string& body,
                      const std::string& clause = {}) {
    return "op mine " + signature + " onnx \"com.me\" \"Mine\" " + clause + "{ " + body + " }";
}

struct Written {
    std::shared_ptr<const OperatorSet> operators;
    GraphPtr graph;
    ExportedModel model;
};

// A graph of these calls of `mine`, whose declaration is `text`.
inline Written written(const std::string& text, const std::vector<Call>& calls) {
    Diags errors;
    Written out;
    out.operators = withOperators(*standardOperators(), text, "mine.fw", errors);
    if (!errors.empty())
        qFatal("%s", errors.front().text().c_str());
    GraphEditor editor(out.operators);
    for (std::size_t c = 0; c < calls.size(); ++c) {
        const std::string at = std::to_string(c);
        std::vector<ValueRef> operands;
        for (const TensorType& type : calls[c].inputs)
            operands.push_back(
                editor.addInput("in" + at + "_" + std::to_string(operands.size()), type));
        const auto results =
            editor.add({"mine", operands, calls[c].attrs, "call" + at, {}, {}, {}, {}});
        if (!results)
            qFatal("%s", results.diag().text().c_str());
        for (std::size_t i = 0; i < results->size(); ++i)
            editor.addResult("out" + at + "_" + std::to_string(i), (*results)[i]);
    }
    out.graph = *editor.finish();
    auto model = exportModel(*out.graph);
    if (!model)
        qFatal("%s", model.diag().text().c_str());
    out.model = model.take();
    return out;
}

inline std::vector<TensorData> operandsOf(const Graph& graph, std::uint64_t seed) {
    std::vector<TensorData> out;
    for (const NodeId id : graph.inputs()) {
        const TensorType& type = graph.type({id, 0});
        out.push_back(randomData(type.dtype, *fixedExtents(type.shape), ++seed));
    }
    return out;
}

inline std::vector<BodyCase> bodyCases() {
    std::vector<BodyCase> out;
    const auto row = [&](const char* name, const std::string& text,
                         const std::vector<std::vector<Extents>>& shapes, const Attrs& attrs = {}) {
        BodyCase one{name, text, {}};
        for (const auto& operands : shapes) {
            Call call{{}, attrs};
            for (const Extents& extents : operands)
                call.inputs.push_back(f32Type(extents));
            one.calls.push_back(call);
        }
        out.push_back(std::move(one));
    };
    const Attrs axis = [] {
        Attrs attrs;
        attrs.set("axis", std::int64_t{1});
        return attrs;
    }();
    row("map",
        op("(x: T[S...]) -> y: T[S...]",
           "y[i...] = 0.5 * x[i...] * (1 + erf(x[i...] * 0.7071067811865476))"),
        {{{}}, {{0, 3}}, {{1}}, {{3, 5, 1}}});
    row("functions",
        op("(x: T[S...]) -> y: T[S...]",
           "let a[i...] = abs(x[i...]) + 1.0  y[i...] = log(a[i...]) + sqrt(a[i...]) * "
           "rsqrt(a[i...] + 2) - tanh(x[i...]) / sigmoid(x[i...]) + floor(x[i...] * 7) + "
           "ceil(x[i...]) + round(x[i...] * 3) + sign(x[i...]) + sin(x[i...]) * cos(x[i...]) + "
           "pow(a[i...], 1.5) + sqr(x[i...]) + exp(-x[i...])"),
        {{{3, 5}}, {{0}}});
    row("choice",
        op("(x: T[S...], z: T[S...]) -> y: T[S...]",
           "y[i...] = select(x[i...] < z[i...] && !(x[i...] != x[i...]) || x[i...] >= 0.5, "
           "max(x[i...], 0), min(z[i...], -1.0 / 2.0))"),
        {{{7}, {7}}, {{2, 3}, {2, 3}}});
    row("truths", op("(x: T[S...]) -> y: bool[S...]", "y[i...] = x[i...] > 0 || false"), {{{5}}});
    row("casts", op("(x: T[S...]) -> y: i32[S...]", "y[i...] = cast(x[i...] * 4, i32) % 3 + 7 / 2"),
        {{{9}}, {{2, 0}}});
    row("integers",
        op("(x: T[S...]) -> y: f32[S...]",
           "let k[i...] = cast(x[i...] * 40, i64)  y[i...] = cast(k[i...] / 4 + div(k[i...], 4) + "
           "k[i...] % 7, f32)"),
        {{{33}}});
    row("clamped",
        op("(x: T[S...]) -> y: T[S...]",
           "let k[i...] = cast(x[i...] * 40, i64)  y[i...] = cast(clamp(k[i...], -3, 5) + "
           "clamp(k[i...], -1099511627776, k[i...] + 1), f32)"),
        {{{33}}, {{0, 2}}});
    row("constants", op("(x: T[S...]) -> y: T[S...]", "y[i...] = 2"), {{{2, 3}}, {{0}}, {{}}});
    row("a vector along the last axis",
        op("(x: T[P..., D], g: T[D], b: T[D]) -> y: T[P..., D]",
           "y[p..., d] = x[p..., d] * g[d] + b[d]"),
        {{{2, 3}, {3}, {3}}, {{4}, {4}, {4}}, {{0, 2, 5}, {5}, {5}}, {{3, 1}, {1}, {1}}});
    row("a vector along an axis of its own",
        op("(x: T[P..., D@axis, Q...], b: T[D], attr axis: int = 1) -> y: T[P..., D, Q...]",
           "y[p..., d, q...] = x[p..., d, q...] - b[d]"),
        {{{2, 3, 5, 1}, {3}}, {{1, 3, 2, 2}, {3}}}, axis);
    row("what comes first stretches behind",
        op("(x: T[N, P...], b: T[N]) -> y: T[N, P...]", "y[n, p...] = x[n, p...] * b[n]"),
        {{{2, 3, 5}, {2}}, {{1, 0, 2}, {1}}});
    row("statistics",
        op("(x: T[P..., D], g: T[D], b: T[D], attr eps: float = 1e-5) -> (y: T[P..., D], mean: "
           "T[P...], rstd: T[P...])",
           "mean[p...] = sum(d in D : x[p..., d]) / D  "
           "rstd[p...] = rsqrt(sum(d in D : sqr(x[p..., d] - mean[p...])) / D + eps)  "
           "y[p..., d] = (x[p..., d] - mean[p...]) * rstd[p...] * g[d] + b[d]"),
        {{{2, 3}, {3}, {3}}, {{7}, {7}, {7}}, {{2, 0, 5}, {5}, {5}}});
    row("softmax along an axis",
        op("(x: T[P..., D@axis, Q...], attr axis: int = -1) -> y: T[P..., D, Q...]",
           "let m[p..., q...] = max(d in D : x[p..., d, q...])  "
           "let e[p..., d, q...] = exp(x[p..., d, q...] - m[p..., q...])  "
           "y[p..., d, q...] = e[p..., d, q...] / sum(k in D : e[p..., k, q...])"),
        {{{2, 3, 5}}, {{1, 7, 1}}}, axis);
    row("over all axes",
        op("(x: T[S...]) -> (y: T[], m: T[1])",
           "y[] = sum(i... in S : x[i...]) / size(S)  m[0] = max(i... in S : abs(x[i...]))"),
        {{{2, 3}}, {{1, 5}}});
    row("least and product",
        op("(x: T[N, C]) -> (y: T[N], z: T[C])",
           "y[n] = min(c in C : x[n, c])  z[c] = prod(n in N : x[n, c])"),
        {{{3, 4}}, {{1, 7}}});
    row("what does not depend on it is summed, too",
        op("(x: T[N, C]) -> y: T[N]", "y[n] = sum(c in C : x[n, 0] + 1)"), {{{3, 4}}, {{2, 1}}});
    row("an axis that was reduced stays",
        op("(x: T[P..., D]) -> y: T[P..., 1]", "y[p..., 0] = sum(d in D : x[p..., d])"),
        {{{2, 3}}, {{5}}});
    row("a result that repeats", op("(x: T[N]) -> y: T[N, M] where M = N", "y[n, m] = x[n]"),
        {{{3}}, {{0}}});
    row("extents that are computed",
        op("(x: T[N, C], attr k: int = 3) requires C >= 1 -> y: T[N, M] where M = C * k + 1",
           "y[n, m] = x[n, 0] * m"),
        {{{3, 2}}});
    row("positions", op("(x: T[N, N]) -> y: T[N, N]", "y[i, j] = select(j <= i, x[i, j], -inf)"),
        {{{4, 4}}, {{1, 1}}});
    row("other order",
        op("(x: T[N, C, H]) -> y: T[H, N, C]", "y[h, n, c] = x[n, c, h] + x[n, c, 0]"),
        {{{2, 3, 4}}});
    row("a row for each", op("(a: T[N], b: T[M]) -> y: T[N, M]", "y[n, m] = a[n] - b[m]"),
        {{{3}, {4}}, {{1}, {0}}});
    row("broadcast operands",
        op("(bcast a: T[S...], bcast b: T[S...]) -> y: T[S...]", "y[i...] = a[i...] * 2 - b[i...]"),
        {{{2, 3}, {3}}, {{1}, {4, 1}}, {{5, 1, 3}, {2, 1}}});
    row("product of matrices",
        op("(x: T[P..., K], w: T[N, K]) -> y: T[P..., N]",
           "y[p..., n] = 2 * sum(k in K : x[p..., k] * w[n, k])"),
        {{{3, 4}, {5, 4}}, {{4}, {5, 4}}, {{2, 1, 4}, {5, 4}}, {{2, 0}, {3, 0}}});
    row("matrices in batches",
        op("(q: T[B, H, M, D], k: T[B, H, N, D]) -> y: T[B, H, M, N]",
           "y[b, h, m, n] = sum(d in D : q[b, h, m, d] * k[b, h, n, d])"),
        {{{2, 1, 3, 4}, {2, 1, 5, 4}}});
    row("heads behind rows",
        op("(q: T[B, M, H, D], k: T[B, N, H, D]) -> y: T[B, H, M, N]",
           "y[b, h, m, n] = sum(d in D : q[b, m, h, d] * k[b, n, h, d])"),
        {{{2, 3, 1, 4}, {2, 5, 1, 4}}});
    row("distances of pairs",
        op("(a: T[N, D], b: T[M, D]) -> y: T[N, M]",
           "y[n, m] = sqrt(sum(d in D : sqr(a[n, d] - b[m, d])))"),
        {{{3, 5}, {2, 5}}});
    row("an optional operand that is there",
        op("(x: T[N], b?: T[N]) -> y: T[N]", "y[n] = x[n] + given(b, b[n], 7)"), {{{3}, {3}}});
    row("an optional operand that is not",
        op("(x: T[N], b?: T[N]) -> y: T[N]", "y[n] = x[n] + given(b, b[n], 7)"), {{{3}}});
    return out;
}

} // namespace fw::test
