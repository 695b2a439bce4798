#include "onnx/model/beyond_texts.h"

#include <fmt/format.h>

#include <algorithm>

namespace fw {

namespace {

struct Beyond {
    std::string_view domain;
    std::string_view type; // "QLinear*": all that begin so
    BeyondTexts kind;
};

constexpr std::string_view learning = "ai.onnx.ml";

constexpr Beyond beyondRows[] = {
    {"", "LSTM", BeyondTexts::Recurrent},
    {"", "GRU", BeyondTexts::Recurrent},
    {"", "RNN", BeyondTexts::Recurrent},
    {contribDomain, "DynamicQuantizeLSTM", BeyondTexts::Recurrent},
    {"", "Sequence*", BeyondTexts::Sequences},
    {"", "SplitToSequence", BeyondTexts::Sequences},
    {"", "ConcatFromSequence", BeyondTexts::Sequences},
    {"", "Optional*", BeyondTexts::Optionals},
    {"", "String*", BeyondTexts::Text},
    {"", "RegexFullMatch", BeyondTexts::Text},
    {"", "TfIdfVectorizer", BeyondTexts::Tables},
    {contribDomain, "Tokenizer", BeyondTexts::Text},
    {"", "ImageDecoder", BeyondTexts::Pictures},
    {learning, "TreeEnsemble*", BeyondTexts::Learned},
    {learning, "SVM*", BeyondTexts::Learned},
    {learning, "Linear*", BeyondTexts::Learned},
    {learning, "LabelEncoder", BeyondTexts::Tables},
    {learning, "CategoryMapper", BeyondTexts::Tables},
    {learning, "OneHotEncoder", BeyondTexts::Tables},
    {learning, "ZipMap", BeyondTexts::Maps},
    {learning, "CastMap", BeyondTexts::Maps},
    {learning, "DictVectorizer", BeyondTexts::Maps},
};

bool isOf(std::string_view type, std::string_view wanted) {
    return wanted.ends_with('*') ? type.starts_with(wanted.substr(0, wanted.size() - 1))
                                 : type == wanted;
}

std::string_view sentence(BeyondTexts kind) {
    switch (kind) {
    case BeyondTexts::None:
        return {};
    case BeyondTexts::Recurrent:
        return "it repeats a step over time, which no text of an operator says";
    case BeyondTexts::Sequences:
        return "it works on sequences of tensors, which no text of an operator says";
    case BeyondTexts::Optionals:
        return "it works on values that may be missing, which no text of an operator says";
    case BeyondTexts::Maps:
        return "it works on maps, which no text of an operator says";
    case BeyondTexts::Text:
        return "it works on texts, which no text of an operator says";
    case BeyondTexts::Pictures:
        return "it reads the files of pictures, which no text of an operator says";
    case BeyondTexts::Learned:
        return "its attributes hold a learned model (trees, vectors, classes), which no text of an "
               "operator says";
    case BeyondTexts::Tables:
        return "it looks values up in tables that its attributes hold, which no text of an "
               "operator says";
    }
    return {};
}

} // namespace

BeyondTexts beyondTexts(std::string_view domain, std::string_view type) {
    const auto* const row =
        std::find_if(std::begin(beyondRows), std::end(beyondRows), [&](const Beyond& one) {
            return one.domain == domain && isOf(type, one.type);
        });
    return row == std::end(beyondRows) ? BeyondTexts::None : row->kind;
}

std::string whyBeyondTexts(BeyondTexts kind, bool typed) {
    const std::string_view why = sentence(kind);
    if (why.empty())
        return {};
    return fmt::format("{}; {}what does not depend on it runs", why,
                       typed ? "the types behind it are known, and " : "");
}

} // namespace fw
