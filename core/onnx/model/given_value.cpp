#include "onnx/model/given_value.h"

#include "base/beginning.h"
#include "base/numbers.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <limits>
#include <utility>
#include <variant>
#include <vector>

namespace fw {

namespace {

constexpr char sign = '=';
constexpr std::size_t deepest = 16;
constexpr std::int64_t mostElements = std::int64_t{1} << 24; // that one number fills

using Number = std::variant<std::int64_t, std::uint64_t, double>; // unsigned: beyond the signed

struct WrittenTensor {
    std::vector<std::int64_t> extents;
    std::vector<Number> numbers;
};

class Reader {
public:
    explicit Reader(std::string_view text) : m_text(text) {}

    std::optional<WrittenTensor> whole() {
        WrittenTensor out;
        if (!item(out, 0))
            return std::nullopt;
        if (skip(); !m_text.empty()) {
            fails(fmt::format("{} stands behind the value", beginningOf(m_text)));
            return std::nullopt;
        }
        return out;
    }
    const std::string& why() const { return m_why; } // there is no value

private:
    void skip() {
        while (!m_text.empty() && (m_text.front() == ' ' || m_text.front() == '\t'))
            m_text.remove_prefix(1);
    }

    bool takes(char mark) {
        skip();
        if (m_text.empty() || m_text.front() != mark)
            return false;
        m_text.remove_prefix(1);
        return true;
    }

    bool fails(std::string why) {
        m_why = std::move(why);
        return false;
    }

    // Extents are known when the first list of a level is whole; the others must agree.
    bool item(WrittenTensor& out, std::size_t depth) {
        const auto ragged = [&] { return fails("numbers and lists stand side by side"); };
        if (!takes('['))
            return number(out) && (depth == out.extents.size() || ragged());
        if (depth >= deepest)
            return fails(fmt::format("lists lie deeper than {} in each other", deepest));
        if (!m_known && out.extents.size() == depth)
            out.extents.push_back(-1);
        if (depth >= out.extents.size())
            return ragged();
        std::int64_t count = 0;
        while (!takes(']')) {
            if (m_text.empty())
                return fails("a bracket is not closed");
            if (count > 0 && !takes(','))
                return fails(fmt::format("a comma is missing before {}", beginningOf(m_text)));
            if (!item(out, depth + 1))
                return false;
            ++count;
        }
        std::int64_t& extent = out.extents[depth];
        if (extent >= 0 && extent != count)
            return fails(
                fmt::format("lists of {} and of {} elements stand side by side", extent, count));
        extent = count;
        return true;
    }

    bool number(WrittenTensor& out) {
        skip();
        const std::size_t end = std::min(m_text.find_first_of(" \t,]"), m_text.size());
        std::string_view word = m_text.substr(0, end);
        m_text.remove_prefix(end);
        m_known = true; // no list is deeper than those around the first number
        if (word == "true" || word == "false") {
            out.numbers.emplace_back(std::int64_t{word == "true"});
            return true;
        }
        if (!word.empty() && word.front() == '+')
            word.remove_prefix(1);
        const char* const last = word.data() + word.size();
        std::int64_t integer = 0;
        if (const auto read = std::from_chars(word.data(), last, integer);
            read.ec == std::errc() && read.ptr == last) {
            out.numbers.emplace_back(integer);
            return true;
        }
        std::uint64_t large = 0;
        if (const auto read = std::from_chars(word.data(), last, large);
            read.ec == std::errc() && read.ptr == last) {
            out.numbers.emplace_back(large);
            return true;
        }
        double real = 0;
        const auto read = std::from_chars(word.data(), last, real);
        if (word.empty())
            return fails("a number is missing");
        if (read.ec != std::errc() || read.ptr != last)
            return fails(fmt::format("{} is no number", beginningOf(word)));
        out.numbers.emplace_back(real);
        return true;
    }

    std::string_view m_text;
    bool m_known = false;
    std::string m_why;
};

Diag wrong(std::string message) {
    return makeDiag(DiagCode::InputMismatch, std::move(message));
}

template <class T>
bool liesIn(const Number& number) {
    return std::visit(
        [](auto one) {
            if constexpr (std::is_same_v<decltype(one), double>)
                // Integers of 64 bits are written out: a real number beyond 2^63 is none.
                return one == std::floor(one) && std::fabs(one) < 0x1p63 && // no NaN
                       std::in_range<T>(static_cast<std::int64_t>(one));
            else
                return std::in_range<T>(one);
        },
        number);
}

// The element type holds it.
bool holds(DType dtype, const Number& number) {
    switch (dtype) {
    case DType::Bool:
        return std::visit([](auto one) { return one == 0 || one == 1; }, number);
    case DType::I8:
        return liesIn<std::int8_t>(number);
    case DType::U8:
        return liesIn<std::uint8_t>(number);
    case DType::I16:
        return liesIn<std::int16_t>(number);
    case DType::U16:
        return liesIn<std::uint16_t>(number);
    case DType::I32:
        return liesIn<std::int32_t>(number);
    case DType::U32:
        return liesIn<std::uint32_t>(number);
    case DType::I64:
        return liesIn<std::int64_t>(number);
    case DType::U64:
        return liesIn<std::uint64_t>(number);
    default:
        return isFloat(dtype);
    }
}

TensorData dataOf(DType dtype, std::vector<std::int64_t> extents,
                  const std::vector<Number>& numbers) {
    if (isFloat(dtype)) {
        std::vector<double> values;
        for (const Number& number : numbers)
            values.push_back(std::visit([](auto one) { return static_cast<double>(one); }, number));
        return dataFromDoubles(dtype, std::move(extents), values);
    }
    std::vector<std::int64_t> values;
    for (const Number& number : numbers)
        values.push_back(
            std::visit([](auto one) { return static_cast<std::int64_t>(one); }, number));
    return dataFromIntegers(dtype, std::move(extents), values);
}

} // namespace

bool isValueText(std::string_view text) {
    return !whyNoValue(text);
}

std::optional<std::string> whyNoValue(std::string_view text) {
    Reader reader(text);
    return reader.whole() ? std::nullopt : std::optional(reader.why());
}

std::string asGivenValue(std::string_view text) {
    return fmt::format("{} {}", sign, text);
}

std::optional<std::string_view> givenValue(std::string_view entry) {
    if (entry.empty() || entry.front() != sign)
        return std::nullopt;
    return entry.substr(1);
}

Result<TensorData> valueFromText(std::string_view text, DType dtype,
                                 const std::optional<Shape>& declared) {
    std::optional<WrittenTensor> value = Reader(text).whole();
    if (!value)
        return wrong(fmt::format("{} is no number and no list of numbers", beginningOf(text)));
    if (dtype == DType::Text)
        return wrong("a text cannot be given so");
    for (const Number& number : value->numbers)
        if (!holds(dtype, number))
            return wrong(fmt::format(
                "{} is no {}", std::visit([](auto one) { return fmt::format("{}", one); }, number),
                dtypeText(dtype)));
    if (value->extents.empty() && declared) {
        const auto extents = fixedExtents(*declared);
        if (!extents)
            return wrong(fmt::format("one number for {}, of which not every size is known",
                                     shapeText(*declared)));
        const auto count = checkedCount(*extents);
        if (!count || *count > mostElements)
            return wrong(fmt::format("one number for {} elements, the limit is {}",
                                     count ? fmt::format("{}", *count) : "uncountably many",
                                     mostElements));
        return dataOf(dtype, *extents,
                      std::vector<Number>(static_cast<std::size_t>(*count), value->numbers.at(0)));
    }
    bool fits = !declared || declared->size() == value->extents.size();
    for (std::size_t i = 0; fits && declared && i < declared->size(); ++i)
        fits = (*declared)[i].asInt().value_or(value->extents[i]) == value->extents[i];
    if (!fits)
        return wrong(fmt::format("a list of shape {} for {}", shapeText(fixedShape(value->extents)),
                                 shapeText(*declared)));
    return dataOf(dtype, std::move(value->extents), value->numbers);
}

} // namespace fw
