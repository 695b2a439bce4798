#include "ir/tensor_data.h"

#include "expr/scalar.h"

#include <cmath>
#include <cstring>

namespace fw {

namespace {

template <class T>
T readAs(std::span<const std::byte> bytes, std::size_t index) {
    T value;
    std::memcpy(&value, bytes.data() + index * sizeof(T), sizeof(T));
    return value;
}

double realFrom(DType, double value) {
    return value;
}

double realFrom(DType to, std::int64_t value) {
    return realOf(DType::I64, value, to);
}

template <class T, class Value>
void writeAs(std::vector<std::byte>& bytes, DType dtype, std::size_t index, Value value) {
    T narrow;
    if constexpr (std::is_integral_v<T> && std::is_floating_point_v<Value>)
        narrow = static_cast<T>(saturateTo(dtype, value));
    else
        narrow = static_cast<T>(value);
    std::memcpy(bytes.data() + index * sizeof(T), &narrow, sizeof(T));
}

template <class Value>
void writeElement(std::vector<std::byte>& bytes, DType dtype, std::size_t index, Value value) {
    switch (dtype) {
    case DType::Bool:
        return writeAs<std::uint8_t>(bytes, dtype, index, value != 0 ? 1 : 0);
    case DType::I8:
        return writeAs<std::int8_t>(bytes, dtype, index, value);
    case DType::U8:
        return writeAs<std::uint8_t>(bytes, dtype, index, value);
    case DType::I16:
        return writeAs<std::int16_t>(bytes, dtype, index, value);
    case DType::U16:
        return writeAs<std::uint16_t>(bytes, dtype, index, value);
    case DType::I32:
        return writeAs<std::int32_t>(bytes, dtype, index, value);
    case DType::U32:
        return writeAs<std::uint32_t>(bytes, dtype, index, value);
    case DType::I64:
        return writeAs<std::int64_t>(bytes, dtype, index, value);
    case DType::U64:
        return writeAs<std::uint64_t>(bytes, dtype, index, value);
    case DType::F16:
    case DType::BF16:
        return writeAs<std::uint16_t>(bytes, dtype, index,
                                      narrowBits(dtype, realFrom(dtype, value)));
    case DType::F32:
        return writeAs<float>(bytes, dtype, index, value);
    case DType::F64:
        return writeAs<double>(bytes, dtype, index, value);
    case DType::Text:
        break;
    }
    throw InternalError("text tensors hold no numbers");
}

std::size_t countOf(const std::vector<std::int64_t>& extents) {
    const Result<std::int64_t> count = checkedCount(extents);
    return static_cast<std::size_t>(count.value());
}

template <class Value>
TensorData dataFrom(DType dtype, std::vector<std::int64_t> extents,
                    const std::vector<Value>& values) {
    std::vector<std::byte> bytes(values.size() * dtypeBytes(dtype));
    for (std::size_t i = 0; i < values.size(); ++i)
        writeElement(bytes, dtype, i, values[i]);
    return TensorData(dtype, std::move(extents), std::move(bytes));
}

// SplitMix64: the same sequence everywhere, unlike the distributions of the standard library.
std::uint64_t nextRandom(std::uint64_t& state) {
    std::uint64_t z = (state += 0x9e3779b97f4a7c15ULL);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
}

} // namespace

TensorData::TensorData(DType dtype, std::vector<std::int64_t> extents, std::vector<std::byte> bytes)
    : m_dtype(dtype), m_extents(std::move(extents)) {
    if (bytes.size() != countOf(m_extents) * dtypeBytes(dtype))
        throw InternalError("tensor data of the wrong size");
    auto owner = std::make_shared<std::vector<std::byte>>(std::move(bytes));
    m_bytes = *owner;
    m_owner = std::move(owner);
}

TensorData::TensorData(DType dtype, std::vector<std::int64_t> extents,
                       std::span<const std::byte> bytes, std::shared_ptr<const void> owner)
    : m_dtype(dtype), m_extents(std::move(extents)), m_owner(std::move(owner)), m_bytes(bytes) {
    if (bytes.size() != countOf(m_extents) * dtypeBytes(dtype))
        throw InternalError("tensor data of the wrong size");
}

std::size_t TensorData::count() const {
    return countOf(m_extents);
}

TensorType TensorData::type() const {
    return {m_dtype, fixedShape(m_extents)};
}

TensorData::HashOnce& TensorData::HashOnce::operator=(const HashOnce& other) {
    if (const auto known = other.get())
        set(*known);
    else
        m_high.store(0, std::memory_order_release);
    return *this;
}

std::optional<Hash> TensorData::HashOnce::get() const {
    const std::uint64_t high = m_high.load(std::memory_order_acquire);
    if (high == 0)
        return std::nullopt;
    return Hash{high, m_low.load(std::memory_order_relaxed)};
}

void TensorData::HashOnce::set(const Hash& hash) {
    m_low.store(hash.low, std::memory_order_relaxed);
    m_high.store(hash.high, std::memory_order_release);
}

Hash TensorData::hash() const {
    if (const auto known = m_hash.get())
        return *known;
    const Hash content = hashOf(m_bytes);
    const Hash out = hashOf(type().text() + content.hex());
    m_hash.set(out);
    return out;
}

double TensorData::at(std::size_t index) const {
    switch (m_dtype) {
    case DType::F32:
        return static_cast<double>(readAs<float>(m_bytes, index));
    case DType::F64:
        return readAs<double>(m_bytes, index);
    case DType::F16:
    case DType::BF16:
        return narrowValue(m_dtype, readAs<std::uint16_t>(m_bytes, index));
    case DType::U64:
        return static_cast<double>(readAs<std::uint64_t>(m_bytes, index));
    default:
        return static_cast<double>(integerAt(index));
    }
}

std::int64_t TensorData::integerAt(std::size_t index) const {
    switch (m_dtype) {
    case DType::Bool:
        return readAs<std::uint8_t>(m_bytes, index) != 0;
    case DType::I8:
        return readAs<std::int8_t>(m_bytes, index);
    case DType::U8:
        return readAs<std::uint8_t>(m_bytes, index);
    case DType::I16:
        return readAs<std::int16_t>(m_bytes, index);
    case DType::U16:
        return readAs<std::uint16_t>(m_bytes, index);
    case DType::I32:
        return readAs<std::int32_t>(m_bytes, index);
    case DType::U32:
        return readAs<std::uint32_t>(m_bytes, index);
    case DType::I64:
        return readAs<std::int64_t>(m_bytes, index);
    case DType::U64:
        return static_cast<std::int64_t>(readAs<std::uint64_t>(m_bytes, index));
    case DType::F16:
    case DType::BF16:
    case DType::F32:
    case DType::F64:
        return saturateTo(DType::I64, at(index));
    case DType::Text:
        break;
    }
    throw InternalError("text tensors hold no numbers");
}

std::vector<double> TensorData::toDoubles() const {
    std::vector<double> out(count());
    for (std::size_t i = 0; i < out.size(); ++i)
        out[i] = at(i);
    return out;
}

std::vector<std::int64_t> TensorData::toIntegers() const {
    std::vector<std::int64_t> out(count());
    for (std::size_t i = 0; i < out.size(); ++i)
        out[i] = integerAt(i);
    return out;
}

bool TensorData::isUniform() const {
    const std::size_t size = dtypeBytes(m_dtype);
    return m_bytes.size() <= size ||
           std::memcmp(m_bytes.data(), m_bytes.data() + size, m_bytes.size() - size) == 0;
}

TensorData TensorData::reshaped(std::vector<std::int64_t> extents) const {
    return TensorData(m_dtype, std::move(extents), m_bytes, m_owner);
}

bool TensorData::operator==(const TensorData& other) const {
    return m_dtype == other.m_dtype && m_extents == other.m_extents &&
           m_bytes.size() == other.m_bytes.size() &&
           (m_bytes.empty() ||
            std::memcmp(m_bytes.data(), other.m_bytes.data(), m_bytes.size()) == 0);
}

TensorData dataFromDoubles(DType dtype, std::vector<std::int64_t> extents,
                           const std::vector<double>& values) {
    return dataFrom(dtype, std::move(extents), values);
}

TensorData dataFromIntegers(DType dtype, std::vector<std::int64_t> extents,
                            const std::vector<std::int64_t>& values) {
    return dataFrom(dtype, std::move(extents), values);
}

TensorData randomData(DType dtype, std::vector<std::int64_t> extents, std::uint64_t seed) {
    std::vector<double> values(countOf(extents));
    for (double& value : values) {
        const std::uint64_t bits = nextRandom(seed);
        if (isFloat(dtype))
            value = std::ldexp(static_cast<double>(bits >> 40), -23) - 1.0;
        else
            value = static_cast<double>(bits % (dtype == DType::Bool ? 2 : 10));
    }
    return dataFromDoubles(dtype, std::move(extents), values);
}

TensorData randomIntegers(DType dtype, std::vector<std::int64_t> extents, std::uint64_t seed) {
    std::vector<double> values(countOf(extents));
    for (double& value : values) {
        const auto small = static_cast<double>(nextRandom(seed) % 9) - 4;
        value = isFloat(dtype) || dtype == DType::I8 || dtype == DType::I32 || dtype == DType::I64
                    ? small
                    : std::fabs(small);
    }
    return dataFromDoubles(dtype, std::move(extents), values);
}

} // namespace fw
