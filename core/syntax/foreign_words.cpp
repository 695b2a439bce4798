#include "syntax/foreign_words.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace fw {

namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 35> elementTypes = {{
    {"float", "f32"},    {"float32", "f32"}, {"fp32", "f32"},      {"single", "f32"},
    {"double", "f64"},   {"float64", "f64"}, {"fp64", "f64"},      {"half", "f16"},
    {"float16", "f16"},  {"fp16", "f16"},    {"bfloat16", "bf16"}, {"bfloat", "bf16"},
    {"int", "i64"},      {"int8", "i8"},     {"int16", "i16"},     {"int32", "i32"},
    {"int64", "i64"},    {"uint", "u64"},    {"uint8", "u8"},      {"uint16", "u16"},
    {"uint32", "u32"},   {"uint64", "u64"},  {"si8", "i8"},        {"si16", "i16"},
    {"si32", "i32"},     {"si64", "i64"},    {"ui8", "u8"},        {"ui16", "u16"},
    {"ui32", "u32"},     {"ui64", "u64"},    {"i1", "bool"},       {"bool_", "bool"},
    {"boolean", "bool"}, {"string", "text"}, {"str", "text"},
}};

// Words for what holds elements, which say nothing of their type.
constexpr std::array<std::string_view, 6> holders = {"tensor",  "memref", "array",
                                                     "ndarray", "buffer", "vector"};

std::string lower(std::string_view word) {
    std::string out(word);
    std::transform(out.begin(), out.end(), out.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return out;
}

// float32_t, np.float32, torch.float32
std::string bare(std::string_view word) {
    std::string out = lower(word.substr(word.rfind('.') + 1));
    if (out.size() > 2 && out.ends_with("_t"))
        out.resize(out.size() - 2);
    return out;
}

bool isHolder(const std::string& word) {
    return std::find(holders.begin(), holders.end(), word) != holders.end();
}

} // namespace

bool isBoolean(std::string_view word) {
    return word == "true" || word == "false";
}

std::string_view booleanMeant(std::string_view word) {
    const std::string name = lower(word);
    return isBoolean(word)   ? std::string_view()
           : name == "true"  ? "true"
           : name == "false" ? "false"
                             : "";
}

std::string_view elementTypeMeant(std::string_view word) {
    const std::string name = bare(word);
    const auto found = std::find_if(elementTypes.begin(), elementTypes.end(),
                                    [&](const auto& one) { return one.first == name; });
    if (found != elementTypes.end())
        return found->second;
    for (const auto& [foreign, ours] : elementTypes)
        if (name == ours)
            return ours; // F32, np.i8
    return {};
}

std::string elementTypeHint(std::string_view word, std::string otherwise) {
    if (const std::string_view meant = elementTypeMeant(word); !meant.empty())
        return "write " + std::string(meant);
    if (isHolder(bare(word)))
        return "in front of the brackets stands the element type: f32[N, 4], or T[N, 4] for any";
    return otherwise;
}

bool isTypeVariable(std::string_view word) {
    return !word.empty() && word[0] >= 'A' && word[0] <= 'Z' && elementTypeMeant(word).empty() &&
           !isHolder(bare(word));
}

std::string patternHint(std::string_view word) {
    using Row = std::pair<std::string_view, std::string_view>;
    static constexpr Row rows[] = {
        {"wildcard", "any value is written any"},
        {"is_expr", "any value is written any"},
        {"is_op", "an operator is written by its name: conv2d(x, w)"},
        {"is_constant", "a constant is written const, with a name w: const"},
        {"constant", "a constant is written const, with a name w: const"},
        {"const", "a constant is written without parentheses: const, or const 0.5 of one value"},
        {"is_var", "an input of the graph is written x: input"},
        {"var", "an input of the graph is written x: input"},
        {"placeholder", "an input of the graph is written x: input"},
        {"is_tuple_get_item", "a further result of an operator has a name: (_, b) = split(x)"},
        {"tuple_get_item", "a further result of an operator has a name: (_, b) = split(x)"},
        {"getitem", "a further result of an operator has a name: (_, b) = split(x)"},
        {"has_attr", "attributes stand in braces: softmax(x) {axis = 1}"},
        {"has_type", "the type of a value stands behind a colon: x: f32[N, 4]"},
        {"has_dtype", "the type of a value stands behind a colon: x: f32"},
        {"has_shape", "the type of a value stands behind a colon: x: any[N, 4]"},
        {"dominates", "what every way leads to is written dominated(p, path, q)"},
        {"dominator", "what every way leads to is written dominated(p, path, q)"},
        {"optional", "a step that may be absent is written p >> relu(^)?"},
        {"alternative", "either of two patterns is written p | q"},
    };
    for (const auto& [foreign, meant] : rows)
        if (word == foreign)
            return std::string(meant);
    return {};
}

std::string conditionHint(std::string_view word) {
    using Row = std::pair<std::string_view, std::string_view>;
    static constexpr Row rows[] = {
        {"shape", "an extent is dim(x, 0), all of them extents(x)"},
        {"ndim", "how many axes a value has is rank(x)"},
        {"ndims", "how many axes a value has is rank(x)"},
        {"len", "how many axes a value has is rank(x), how many elements size(x)"},
        {"numel", "how many elements a value has is size(x)"},
        {"size", "how many elements a value has is size(x)"},
        {"rank", "how many axes a value has is rank(x)"},
        {"dtype", "the element type of a value is dtype(x)"},
        {"type", "the element type of a value is dtype(x)"},
        {"value", "the number in a constant is value(x)"},
        {"item", "the number in a constant is value(x)"},
        {"not", "the contrary of a condition is written !"},
        {"is_const", "whether a value is a constant is const(x)"},
        {"is_constant", "whether a value is a constant is const(x)"},
        {"is_splat", "whether all elements of a constant are equal is splat(x)"},
        {"has_one_use", "whether one operator reads a value is used_once(x)"},
        {"hasOneUse", "whether one operator reads a value is used_once(x)"},
        {"num_uses", "how many operators read a value is readers(x)"},
        {"uses", "how many operators read a value is readers(x)"},
    };
    const std::size_t point = word.rfind('.');
    const bool member = point != std::string_view::npos;
    for (const auto& [foreign, meant] : rows)
        if (word.substr(member ? point + 1 : 0) == foreign) {
            std::string out(meant);
            const std::size_t x = out.find("(x");
            for (std::size_t at = x; member && at != std::string::npos; at = out.find("(x", at + 1))
                out.replace(at + 1, 1, word.substr(0, point));
            return out;
        }
    return {};
}

} // namespace fw
