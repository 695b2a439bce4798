#include "ir/call_memo.h"

#include "base/hash.h"

#include <algorithm>
#include <bit>

namespace fw {

namespace {

std::uint64_t bitsOf(double value) {
    return std::bit_cast<std::uint64_t>(value);
}

bool sameValue(const AttrValue& a, const AttrValue& b) {
    if (a.index() != b.index())
        return false;
    if (const auto* real = std::get_if<double>(&a))
        return bitsOf(*real) == bitsOf(std::get<double>(b));
    if (const auto* reals = std::get_if<Reals>(&a))
        return std::ranges::equal(*reals, std::get<Reals>(b), {}, bitsOf, bitsOf);
    return a == b;
}

class Hashing {
public:
    std::uint64_t of(const OpCall& call) {
        for (const auto& input : call.inputs) {
            mix(input.has_value());
            if (input)
                mix(*input);
        }
        for (const TensorType& type : call.declared)
            mix(type);
        for (const auto& [name, value] : call.attrs) {
            mix(name);
            std::visit([this](const auto& held) { mix(held); }, value);
        }
        return m_hash;
    }

private:
    void mix(std::uint64_t value) { m_hash = mixHash(m_hash, value); }
    void mix(std::int64_t value) { mix(static_cast<std::uint64_t>(value)); }
    void mix(bool value) { mix(static_cast<std::uint64_t>(value)); }
    void mix(double value) { mix(bitsOf(value)); }
    void mix(DType value) { mix(static_cast<std::uint64_t>(value)); }
    void mix(const std::string& value) { mix(std::uint64_t(std::hash<std::string>()(value))); }
    void mix(const Expr& value) { mix(value.hash()); }
    void mix(const TensorData&) {} // not remembered
    void mix(const TensorType& type) {
        mix(type.dtype);
        mix(type.shape);
    }
    template <class T>
    void mix(const std::vector<T>& list) {
        mix(std::uint64_t(list.size()));
        for (const T& item : list)
            mix(item);
    }

    std::uint64_t m_hash = 0;
};

} // namespace

bool SameCall::operator()(const OpCall& a, const OpCall& b) const {
    return a.inputs == b.inputs && a.declared == b.declared &&
           std::equal(a.attrs.begin(), a.attrs.end(), b.attrs.begin(), b.attrs.end(),
                      [](const auto& x, const auto& y) {
                          return x.first == y.first && sameValue(x.second, y.second);
                      });
}

std::size_t CallHash::operator()(const OpCall& call) const {
    return Hashing().of(call);
}

bool holdsTensor(const OpCall& call) {
    return std::any_of(call.attrs.begin(), call.attrs.end(), [](const auto& item) {
        return std::holds_alternative<TensorData>(item.second);
    });
}

} // namespace fw
