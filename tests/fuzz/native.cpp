#include "fuzz/native.h"

#include "fuzz/numbers.h"

#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <map>
#include <type_traits>

namespace fw::fuzz {

namespace {

template <class T>
constexpr bool isReal = std::is_floating_point_v<T>;

// Bits as an unsigned type of 64 bits, whose arithmetic wraps; the low ones are what a type keeps.
template <class T>
T wrapped(std::uint64_t bits) {
    if constexpr (std::is_same_v<T, bool>)
        return bits != 0;
    else
        return static_cast<T>(bits);
}

template <class T>
std::uint64_t bitsOf(T value) {
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
}

template <class T>
using Binary = std::optional<T> (*)(T, T);

template <class T>
std::optional<T> quotient(T a, T b) {
    if constexpr (isReal<T>)
        return a / b;
    else if (b == 0)
        return T(0);
    else if constexpr (std::is_signed_v<T>)
        return b == T(-1) ? wrapped<T>(0 - bitsOf(a)) : static_cast<T>(a / b);
    else
        return static_cast<T>(a / b);
}

// With the sign of b, or of a.
template <class T, bool ofDivisor>
std::optional<T> rest(T a, T b) {
    if constexpr (isReal<T>)
        return std::nullopt;
    else if (b == 0)
        return T(0);
    else if constexpr (std::is_signed_v<T>) {
        if (b == T(-1))
            return T(0);
        const T cut = static_cast<T>(a % b);
        return ofDivisor && cut != 0 && (cut < 0) != (b < 0) ? static_cast<T>(cut + b) : cut;
    } else {
        return static_cast<T>(a % b);
    }
}

template <class T>
std::optional<T> cutRest(T a, T b) {
    if constexpr (isReal<T>)
        return std::fmod(a, b);
    else
        return std::nullopt;
}

template <class T>
std::optional<T> power(T base, T exponent) {
    if constexpr (isReal<T> || std::is_same_v<T, bool>) {
        return std::nullopt;
    } else {
        if (exponent < 0) // between -1 and 1, but for those two
            return base == T(1) ? T(1) : base != T(-1) ? T(0) : exponent % 2 ? T(-1) : T(1);
        std::uint64_t out = 1, square = bitsOf(base);
        for (std::uint64_t rest = bitsOf(exponent); rest != 0; rest /= 2, square *= square)
            out *= rest % 2 != 0 ? square : 1;
        return wrapped<T>(out);
    }
}

template <class T>
std::optional<T> smaller(T a, T b) {
    if constexpr (isReal<T>)
        if (std::isnan(a) || std::isnan(b))
            return std::numeric_limits<T>::quiet_NaN();
    return b < a ? b : a;
}

template <class T>
std::optional<T> larger(T a, T b) {
    if constexpr (isReal<T>)
        if (std::isnan(a) || std::isnan(b))
            return std::numeric_limits<T>::quiet_NaN();
    return a < b ? b : a;
}

template <class T, bool left>
std::optional<T> shifted(T a, T b) {
    if constexpr (isReal<T> || std::is_signed_v<T> || std::is_same_v<T, bool>)
        return std::nullopt;
    else if (b >= static_cast<T>(8 * sizeof(T)))
        return T(0);
    else
        return static_cast<T>(left ? bitsOf(a) << b : static_cast<std::uint64_t>(a) >> b);
}

template <class T>
Binary<T> binary(const std::string& op) {
    if constexpr (std::is_same_v<T, bool>) {
        static const std::map<std::string, Binary<bool>> truths = {
            {"and", [](bool a, bool b) { return std::optional(a && b); }},
            {"or", [](bool a, bool b) { return std::optional(a || b); }},
            {"xor", [](bool a, bool b) { return std::optional(a != b); }}};
        const auto found = truths.find(op);
        return found == truths.end() ? nullptr : found->second;
    } else {
        static const std::map<std::string, Binary<T>> numbers = {
            {"add",
             [](T a, T b) {
                 if constexpr (isReal<T>)
                     return std::optional<T>(a + b);
                 else
                     return std::optional<T>(wrapped<T>(bitsOf(a) + bitsOf(b)));
             }},
            {"sub",
             [](T a, T b) {
                 if constexpr (isReal<T>)
                     return std::optional<T>(a - b);
                 else
                     return std::optional<T>(wrapped<T>(bitsOf(a) - bitsOf(b)));
             }},
            {"mul",
             [](T a, T b) {
                 if constexpr (isReal<T>)
                     return std::optional<T>(a * b);
                 else
                     return std::optional<T>(wrapped<T>(bitsOf(a) * bitsOf(b)));
             }},
            {"div", quotient<T>},
            {"mod", rest<T, true>},
            {"rem", rest<T, false>},
            {"fmod", cutRest<T>},
            {"int_pow", power<T>},
            {"min", smaller<T>},
            {"max", larger<T>},
            {"shift_left", shifted<T, true>},
            {"shift_right", shifted<T, false>}};
        const auto found = numbers.find(op);
        return found == numbers.end() ? nullptr : found->second;
    }
}

template <class T>
std::function<bool(T, T)> comparison(const std::string& op) {
    if (op == "equal")
        return [](T a, T b) { return a == b; };
    if constexpr (!std::is_same_v<T, bool>) {
        if (op == "less")
            return [](T a, T b) { return a < b; };
        if (op == "less_or_equal")
            return [](T a, T b) { return a <= b; };
        if (op == "greater")
            return [](T a, T b) { return a > b; };
        if (op == "greater_or_equal")
            return [](T a, T b) { return a >= b; };
    }
    return nullptr;
}

template <class T>
std::function<T(T)> unary(const std::string& op) {
    if (op == "identity")
        return [](T x) { return x; };
    if constexpr (std::is_same_v<T, bool>) {
        if (op == "not")
            return [](bool x) { return !x; };
    } else {
        if (op == "relu")
            return [](T x) { return x < T(0) ? T(0) : x; };
        if (op == "sign")
            return [](T x) {
                return x > T(0) ? T(1) : x < T(0) ? static_cast<T>(-1) : x == T(0) ? T(0) : x;
            };
        if constexpr (isReal<T>) {
            if (op == "neg")
                return [](T x) { return -x; };
            if (op == "abs")
                return [](T x) { return std::fabs(x); };
            if (op == "floor")
                return [](T x) { return std::floor(x); };
            if (op == "ceil")
                return [](T x) { return std::ceil(x); };
            if (op == "round")
                return [](T x) { return std::nearbyint(x); };
            if (op == "sqrt")
                return [](T x) { return std::sqrt(x); };
            if (op == "reciprocal")
                return [](T x) { return T(1) / x; };
        } else {
            if (op == "neg")
                return [](T x) { return wrapped<T>(0 - bitsOf(x)); };
            if (op == "abs")
                return [](T x) { return x < T(0) ? wrapped<T>(0 - bitsOf(x)) : x; };
        }
    }
    return nullptr;
}

// Integers keep their low bits; a float is cut, held between the limits, and a NaN becomes 0.
template <class From, class To>
To converted(From value) {
    if constexpr (std::is_same_v<To, bool>) {
        return value != From(0);
    } else if constexpr (isReal<From> && !isReal<To>) {
        const auto real = static_cast<long double>(value); // holds every limit
        using Limits = std::numeric_limits<To>;
        if (std::isnan(value))
            return To(0);
        if (real <= static_cast<long double>(Limits::min()))
            return Limits::min();
        if (real >= static_cast<long double>(Limits::max()))
            return Limits::max();
        return static_cast<To>(value);
    } else {
        return static_cast<To>(value);
    }
}

// Elements of a tensor as T, which holds its type.
template <class T>
std::vector<T> elements(const TensorData& data) {
    std::vector<T> out(data.count());
    for (std::size_t i = 0; i < out.size(); ++i) {
        if constexpr (isReal<T>) {
            out[i] = static_cast<T>(numberAt(data, i));
        } else {
            T value;
            std::memcpy(&value, data.bytes().data() + i * sizeof(T), sizeof(T));
            out[i] = value;
        }
    }
    return out;
}

template <class T>
TensorData stored(const TensorType& type, const std::vector<T>& values) {
    const std::vector<std::int64_t> extents = fixedExtents(type.shape).value();
    if constexpr (isReal<T>) {
        return dataOf(type.dtype, extents, {values.begin(), values.end()});
    } else {
        std::vector<std::byte> bytes(values.size() * sizeof(T));
        for (std::size_t i = 0; i < values.size(); ++i) {
            const T value = values[i];
            std::memcpy(bytes.data() + i * sizeof(T), &value, sizeof(T));
        }
        return TensorData(type.dtype, extents, std::move(bytes));
    }
}

// For each element of the result the element of an operand that is broadcast to it.
std::vector<std::size_t> placesIn(const TensorData& operand,
                                  const std::vector<std::int64_t>& result) {
    const std::vector<std::int64_t>& of = operand.extents();
    std::size_t count = 1;
    for (const std::int64_t extent : result)
        count *= static_cast<std::size_t>(extent);
    std::vector<std::size_t> out(count);
    for (std::size_t i = 0; i < count; ++i) {
        std::size_t left = i, place = 0, stride = 1;
        for (std::size_t d = 0; d < of.size(); ++d) { // from the last axis on
            const auto extent = static_cast<std::size_t>(result[result.size() - 1 - d]);
            const auto own = static_cast<std::size_t>(of[of.size() - 1 - d]);
            place += own == 1 ? 0 : left % extent * stride;
            left /= extent;
            stride *= own;
        }
        out[i] = place;
    }
    return out;
}

template <class T>
std::optional<TensorData> computed(const std::string& op,
                                   const std::vector<const TensorData*>& operands,
                                   const TensorType& result) {
    const std::vector<std::int64_t> extents = fixedExtents(result.shape).value();
    if (operands.size() == 1) {
        const auto function = unary<T>(op);
        if (!function)
            return std::nullopt;
        std::vector<T> values = elements<T>(*operands[0]);
        for (std::size_t i = 0; i < values.size(); ++i)
            values[i] = function(values[i]);
        return stored<T>(result, values);
    }
    const Binary<T> two = binary<T>(op);
    const auto compare = comparison<T>(op);
    if (operands.size() != 2 || (two == nullptr && !compare))
        return std::nullopt;
    const std::vector<T> a = elements<T>(*operands[0]), b = elements<T>(*operands[1]);
    const std::vector<std::size_t> ofA = placesIn(*operands[0], extents),
                                   ofB = placesIn(*operands[1], extents);
    std::vector<T> values(two != nullptr ? ofA.size() : 0);
    std::vector<bool> truths(two != nullptr ? 0 : ofA.size());
    for (std::size_t i = 0; i < ofA.size(); ++i) {
        if (two == nullptr) {
            truths[i] = compare(a[ofA[i]], b[ofB[i]]);
            continue;
        }
        const std::optional<T> value = two(a[ofA[i]], b[ofB[i]]);
        if (!value)
            return std::nullopt;
        values[i] = *value;
    }
    return two != nullptr ? stored<T>(result, values) : stored<bool>(result, truths);
}

// f16 and bf16 are computed in f32.
template <class Use>
std::optional<TensorData> asComputed(DType dtype, const Use& use) {
    return withType(isNarrow(dtype) ? DType::F32 : dtype,
                    [&](auto zero) -> std::optional<TensorData> {
                        if constexpr (std::is_same_v<decltype(zero), _Float16>)
                            return std::nullopt;
                        else
                            return use(zero);
                    });
}

std::optional<TensorData> cast(const TensorData& operand, const TensorType& result) {
    return asComputed(operand.dtype(), [&](auto from) {
        return asComputed(result.dtype, [&](auto to) -> std::optional<TensorData> {
            using From = decltype(from);
            using To = decltype(to);
            if constexpr (isReal<To>)
                if (isNarrow(result.dtype)) { // rounded once: nothing that is rounded before
                    const std::vector<From> values = elements<From>(operand);
                    std::vector<double> wide;
                    for (const From value : values) {
                        wide.push_back(static_cast<double>(value));
                        if constexpr (sizeof(From) == 8 && !isReal<From>)
                            if (static_cast<From>(wide.back()) != value || wide.back() >= 0x1p63)
                                return std::nullopt;
                    }
                    return stored<double>(result, wide);
                }
            std::vector<To> values;
            for (const From value : elements<From>(operand))
                values.push_back(converted<From, To>(value));
            return stored<To>(result, values);
        });
    });
}

} // namespace

std::optional<TensorData> natively(const std::string& op,
                                   const std::vector<const TensorData*>& operands,
                                   const TensorType& result) {
    if (operands.empty() || operands.size() > 2)
        return std::nullopt;
    for (const TensorData* operand : operands)
        if (operand == nullptr || operand->dtype() == DType::Text)
            return std::nullopt;
    if (op == "cast")
        return cast(*operands[0], result);
    if (operands.size() == 2 && operands[0]->dtype() != operands[1]->dtype())
        return std::nullopt;
    return asComputed(operands[0]->dtype(),
                      [&](auto zero) { return computed<decltype(zero)>(op, operands, result); });
}

} // namespace fw::fuzz
