#include "module/host_steps.h"

#include "expr/simplify.h"
#include "tensor/evaluate_graph.h"

#include <cstring>

namespace fw {

namespace {

Result<std::vector<std::int64_t>> extentsOf(const Shape& shape, const Substitution& dims) {
    std::vector<std::int64_t> out;
    for (const Dim& dim : shape) {
        const auto extent = simplify(substitute(dim, dims)).asInt();
        if (!extent || *extent < 0)
            return makeDiag(DiagCode::DimUnbound, "nothing says what " + dim.text() + " is");
        out.push_back(*extent);
    }
    return out;
}

Shape fixed(const Shape& shape, const Substitution& dims) {
    Shape out;
    for (const Dim& dim : shape)
        out.push_back(simplify(substitute(dim, dims)));
    return out;
}

// Where each element lies in memory, in elements, row after row.
class Places {
public:
    Places(const HostValue& value, const std::vector<std::int64_t>& extents,
           const Substitution& dims)
        : m_extents(extents) {
        StorageMap map = value.map;
        for (StorageSlice& slice : map.slices) {
            slice.extent = simplify(substitute(slice.extent, dims));
            slice.offset = simplify(substitute(slice.offset, dims));
        }
        Exprs indices;
        for (std::size_t i = 0; i < extents.size(); ++i)
            indices.push_back(varExpr(Symbol("i" + std::to_string(i))));
        m_offset = storageOffset(map, fixed(value.type.shape, dims), indices);
        m_isDense = map.isRowMajor();
    }

    // Copies between the memory and the dense elements, `bytes` each.
    template <class Copy>
    void each(std::size_t count, std::size_t bytes, const Copy& copy) const {
        if (m_isDense)
            return copy(0, 0, count * bytes);
        std::vector<std::int64_t> index(m_extents.size(), 0);
        for (std::size_t i = 0; i < count; ++i) {
            Substitution at;
            for (std::size_t d = 0; d < index.size(); ++d)
                at.emplace(Symbol("i" + std::to_string(d)), intExpr(index[d]));
            const std::int64_t place = simplify(substitute(m_offset, at)).asInt().value();
            copy(static_cast<std::size_t>(place) * bytes, i * bytes, bytes);
            for (std::size_t d = index.size(); d-- > 0;) {
                if (++index[d] < m_extents[d])
                    break;
                index[d] = 0;
            }
        }
    }

private:
    const std::vector<std::int64_t>& m_extents;
    Expr m_offset = 0;
    bool m_isDense = true;
};

} // namespace

HostNodes::HostNodes(const std::vector<HostNode>& nodes,
                     const std::vector<runtime::Symbol>& symbols)
    : m_nodes(nodes) {
    for (const runtime::Symbol& symbol : symbols)
        m_symbols.emplace_back(symbol.name);
}

Status HostNodes::compute(const HostNode& node, void* const* buffers,
                          const std::int64_t* symbols) const {
    Substitution dims;
    for (std::size_t i = 0; i < m_symbols.size(); ++i)
        if (symbols[i] >= 0)
            dims.emplace(m_symbols[i], intExpr(symbols[i]));
    std::vector<TensorData> values;
    values.reserve(node.operands.size());
    std::vector<const TensorData*> operands;
    std::size_t buffer = 0;
    for (const auto& operand : node.operands) {
        operands.push_back(nullptr);
        if (!operand)
            continue;
        FW_TRY(std::vector<std::int64_t> extents, extentsOf(operand->type.shape, dims));
        FW_TRY(const std::int64_t count, checkedCount(extents));
        const std::size_t size = dtypeBytes(operand->type.dtype);
        std::vector<std::byte> bytes(static_cast<std::size_t>(count) * size);
        const auto* memory = static_cast<const std::byte*>(buffers[buffer++]);
        Places(*operand, extents, dims)
            .each(static_cast<std::size_t>(count), size,
                  [&](std::size_t from, std::size_t to, std::size_t n) {
                      if (n > 0)
                          std::memcpy(bytes.data() + to, memory + from, n);
                  });
        values.emplace_back(operand->type.dtype, std::move(extents), std::move(bytes));
        operands.back() = &values.back();
    }
    FW_TRY(const OpCall call, callWith(node.call, dims));
    FW_TRY(const std::vector<TensorData> results,
           node.operators->find(node.op)->reference(call, operands));
    for (const auto& [which, value] : node.results) {
        const TensorData& data = results.at(static_cast<std::size_t>(which));
        FW_TRY(const std::vector<std::int64_t> extents, extentsOf(value.type.shape, dims));
        if (data.extents() != extents || data.dtype() != value.type.dtype)
            return makeDiag(DiagCode::ShapeMismatch, "its reference gives " + data.type().text() +
                                                         ", not " + value.type.text());
        auto* memory = static_cast<std::byte*>(buffers[buffer++]);
        Places(value, extents, dims)
            .each(data.count(), dtypeBytes(data.dtype()),
                  [&](std::size_t to, std::size_t from, std::size_t n) {
                      if (n > 0)
                          std::memcpy(memory + to, data.bytes().data() + from, n);
                  });
    }
    return {};
}

runtime::Status HostNodes::run(std::uint32_t node, void* const* buffers,
                               const std::int64_t* symbols) {
    m_refusal.reset();
    const HostNode& one = m_nodes.at(node);
    try {
        if (const Status status = compute(one, buffers, symbols); !status)
            m_refusal = status.diag();
    } catch (const std::exception& error) {
        m_refusal = makeDiag(DiagCode::Internal, error.what());
    }
    if (!m_refusal)
        return {};
    m_refusal->at({{}, one.node});
    return runtime::fail(FW_BAD_ARGUMENT, "%s: %s", one.node.c_str(), m_refusal->message.c_str());
}

} // namespace fw
