#include "mutants/mutate.h"

#include "onnx/model/proto.h"

#include <algorithm>
#include <cctype>
#include <limits>
#include <set>
#include <utility>

namespace fw::test {

namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

const std::vector<std::string>& extremes() {
    static const std::vector<std::string> out = {
        "0",   "1",    "-1",  "2147483647", "-2147483648", "9223372036854775807",
        "1e9", "-0.0", "nan", "inf",        "4294967296",  "1e400"};
    return out;
}

std::vector<std::string> partsOf(std::string_view text) {
    std::vector<std::string> out;
    const auto kind = [](char c) {
        const auto u = static_cast<unsigned char>(c);
        return std::isalnum(u) || c == '_' || c == '.' || u >= 0x80 ? 0 : std::isspace(u) ? 1 : 2;
    };
    for (std::size_t i = 0; i < text.size();) {
        std::size_t end = i + 1;
        while (end < text.size() && kind(text[i]) != 2 && kind(text[end]) == kind(text[i]))
            ++end;
        out.emplace_back(text.substr(i, end - i));
        i = end;
    }
    return out;
}

// A field of a message that is set, at a place if it is repeated.
struct FieldPlace {
    Message* message = nullptr;
    const FieldDescriptor* field = nullptr;
    int at = -1;
};

void placesOf(Message& message, std::vector<FieldPlace>& out) {
    constexpr std::size_t most = 20000;
    const Reflection& reflection = *message.GetReflection();
    std::vector<const FieldDescriptor*> fields;
    reflection.ListFields(message, &fields);
    for (const FieldDescriptor* field : fields) {
        const bool nested = field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE;
        const int count = field->is_repeated() ? reflection.FieldSize(message, field) : 1;
        for (int i = 0; i < count && out.size() < most; ++i) {
            out.push_back({&message, field, field->is_repeated() ? i : -1});
            if (nested)
                placesOf(*(field->is_repeated()
                               ? reflection.MutableRepeatedMessage(&message, field, i)
                               : reflection.MutableMessage(&message, field)),
                         out);
        }
    }
}

std::int64_t anotherInteger(std::int64_t value, Random& random) {
    static const std::vector<std::int64_t> values = {0,
                                                     1,
                                                     -1,
                                                     2,
                                                     3,
                                                     7,
                                                     16,
                                                     255,
                                                     65536,
                                                     std::numeric_limits<std::int32_t>::max(),
                                                     -2,
                                                     -5,
                                                     std::numeric_limits<std::int64_t>::max(),
                                                     std::numeric_limits<std::int64_t>::min()};
    return random.chance(40)
               ? static_cast<std::int64_t>(static_cast<std::uint64_t>(value) +
                                           static_cast<std::uint64_t>(random.between(-2, 2)))
               : random.pick(values);
}

void changeValue(const FieldPlace& place, const std::vector<FieldPlace>& others, Random& random) {
    const Reflection& reflection = *place.message->GetReflection();
    Message* message = place.message;
    const FieldDescriptor* field = place.field;
    const bool repeated = place.at >= 0;
    switch (field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT64: {
        const std::int64_t value =
            anotherInteger(repeated ? reflection.GetRepeatedInt64(*message, field, place.at)
                                    : reflection.GetInt64(*message, field),
                           random);
        repeated ? reflection.SetRepeatedInt64(message, field, place.at, value)
                 : reflection.SetInt64(message, field, value);
        break;
    }
    case FieldDescriptor::CPPTYPE_INT32: {
        const auto value = static_cast<std::int32_t>(random.between(-1, 30));
        repeated ? reflection.SetRepeatedInt32(message, field, place.at, value)
                 : reflection.SetInt32(message, field, value);
        break;
    }
    case FieldDescriptor::CPPTYPE_FLOAT: {
        static const std::vector<float> values = {0,
                                                  -1,
                                                  1e30F,
                                                  0.5F,
                                                  std::numeric_limits<float>::infinity(),
                                                  std::numeric_limits<float>::quiet_NaN()};
        repeated ? reflection.SetRepeatedFloat(message, field, place.at, random.pick(values))
                 : reflection.SetFloat(message, field, random.pick(values));
        break;
    }
    case FieldDescriptor::CPPTYPE_ENUM: {
        const int value = static_cast<int>(random.between(0, 16));
        repeated ? reflection.SetRepeatedEnumValue(message, field, place.at, value)
                 : reflection.SetEnumValue(message, field, value);
        break;
    }
    case FieldDescriptor::CPPTYPE_STRING: {
        // The same kind of text from elsewhere in the model, or bytes of it changed.
        std::string value = repeated ? reflection.GetRepeatedString(*message, field, place.at)
                                     : reflection.GetString(*message, field);
        const FieldPlace& other = random.pick(others);
        if (random.chance(60) && other.field->cpp_type() == FieldDescriptor::CPPTYPE_STRING)
            value = other.at >= 0
                        ? other.message->GetReflection()->GetRepeatedString(*other.message,
                                                                            other.field, other.at)
                        : other.message->GetReflection()->GetString(*other.message, other.field);
        else if (random.chance(50))
            value = mutatedBytes(value, random);
        else
            value.clear();
        repeated ? reflection.SetRepeatedString(message, field, place.at, value)
                 : reflection.SetString(message, field, value);
        break;
    }
    default:
        break;
    }
}

void changeModel(Message& model, Random& random) {
    std::vector<FieldPlace> places;
    placesOf(model, places);
    if (places.empty())
        return;
    const FieldPlace place = random.pick(places);
    const Reflection& reflection = *place.message->GetReflection();
    const bool nested = place.field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE;
    if (!nested && random.chance(80))
        return changeValue(place, places, random);
    if (place.at < 0)
        return reflection.ClearField(place.message, place.field);
    const int count = reflection.FieldSize(*place.message, place.field);
    if (random.chance(40)) {
        reflection.SwapElements(place.message, place.field, place.at,
                                static_cast<int>(random.below(static_cast<std::size_t>(count))));
    } else if (nested && random.chance(50)) {
        const Message& one = reflection.GetRepeatedMessage(*place.message, place.field, place.at);
        Message* copy = one.New();
        copy->CopyFrom(one);
        reflection.AddAllocatedMessage(place.message, place.field, copy);
    } else {
        reflection.SwapElements(place.message, place.field, place.at, count - 1);
        reflection.RemoveLast(place.message, place.field);
    }
}

} // namespace

std::string mutatedBytes(std::string_view bytes, Random& random) {
    std::string out(bytes);
    const auto changes = random.between(1, random.chance(50) ? 1 : 4);
    for (std::int64_t i = 0; i < changes && !out.empty(); ++i) {
        const std::size_t at = random.below(out.size());
        const std::size_t length = 1 + random.below(std::min<std::size_t>(out.size() - at, 16));
        switch (random.below(6)) {
        case 0:
            out[at] = static_cast<char>(out[at] ^ (1 << random.below(8)));
            break;
        case 1:
            out[at] = static_cast<char>(random.below(256));
            break;
        case 2:
            out[at] = random.chance(50) ? '\xFF' : '\0';
            break;
        case 3:
            out.erase(at, length);
            break;
        case 4:
            out.insert(at, out.substr(at, length));
            break;
        default:
            if (random.chance(20))
                out.resize(at);
            else
                std::swap(out[at], out[random.below(out.size())]);
        }
    }
    return out;
}

std::vector<std::string> wordsOf(const std::vector<std::string>& texts) {
    std::set<std::string> out(extremes().begin(), extremes().end());
    for (const std::string& text : texts)
        for (const std::string& part : partsOf(text))
            if (part.size() < 40)
                out.insert(part);
    return {out.begin(), out.end()};
}

std::string mutatedText(std::string_view text, const std::vector<std::string>& words,
                        Random& random) {
    std::vector<std::string> parts = partsOf(text);
    const auto changes = random.between(1, random.chance(50) ? 1 : 4);
    for (std::int64_t i = 0; i < changes && !parts.empty(); ++i) {
        const std::size_t at = random.below(parts.size());
        const auto place = parts.begin() + static_cast<std::ptrdiff_t>(at);
        switch (random.below(7)) {
        case 0:
            *place = random.pick(words);
            break;
        case 1:
            *place = random.pick(extremes());
            break;
        case 2:
            parts.erase(place);
            break;
        case 3:
            parts.insert(place, random.pick(words));
            break;
        case 4:
            std::swap(*place, parts[random.below(parts.size())]);
            break;
        case 5:
            *place = parts[random.below(parts.size())];
            break;
        default: {
            const std::size_t length = std::min<std::size_t>(parts.size() - at, 12);
            const std::vector<std::string> some(
                place, place + static_cast<std::ptrdiff_t>(1 + random.below(length)));
            if (random.chance(50))
                parts.insert(place, some.begin(), some.end());
            else
                parts.erase(place, place + static_cast<std::ptrdiff_t>(some.size()));
        }
        }
    }
    std::string out;
    for (const std::string& part : parts)
        out += part;
    return random.chance(10) ? mutatedBytes(out, random) : out;
}

std::string mutatedModel(std::string_view bytes, Random& random) {
    proto::ModelProto model;
    if (!model.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())))
        return mutatedBytes(bytes, random);
    const auto changes = random.between(1, 3);
    for (std::int64_t i = 0; i < changes; ++i)
        changeModel(model, random);
    return model.SerializeAsString();
}

} // namespace fw::test
