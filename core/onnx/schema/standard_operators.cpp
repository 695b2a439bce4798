#include "onnx/schema/standard_operators.h"

#include "base/numbers.h"
#include "onnx/model/names.h"
#include "onnx/schema/standard_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>

namespace fw {

namespace {

using Attribute = proto::AttributeProto;

struct Count {
    int least = 0;
    int most = 0;
    bool contains(int count) const { return least <= count && count <= most; }
};

struct Listed {
    std::string_view name;
    Attribute::AttributeType kind = Attribute::UNDEFINED;
    bool required = false;
};

struct Version {
    std::int64_t since = 1;
    bool otherMeaning = false;
    bool removed = false;
    Count operands;
    Count results;
    std::vector<Listed> attributes;

    const Listed* find(std::string_view name) const {
        const auto found = std::find_if(attributes.begin(), attributes.end(),
                                        [&](const Listed& one) { return one.name == name; });
        return found == attributes.end() ? nullptr : &*found;
    }
};

using Versions = std::vector<Version>;

struct AttributeKind {
    std::string_view text;
    Attribute::AttributeType kind;
    std::string_view words;
};
constexpr AttributeKind kinds[] = {
    {"f", Attribute::FLOAT, "a number"},
    {"i", Attribute::INT, "an integer"},
    {"s", Attribute::STRING, "a text"},
    {"t", Attribute::TENSOR, "a tensor"},
    {"g", Attribute::GRAPH, "a graph"},
    {"fs", Attribute::FLOATS, "a list of numbers"},
    {"is", Attribute::INTS, "a list of integers"},
    {"ss", Attribute::STRINGS, "a list of texts"},
    {"st", Attribute::SPARSE_TENSOR, "a sparse tensor"},
    {"tp", Attribute::TYPE_PROTO, "a type"},
};

std::string_view wordsOf(Attribute::AttributeType kind) {
    for (const AttributeKind& row : kinds)
        if (row.kind == kind)
            return row.words;
    return "of a known kind";
}

int numberOf(std::string_view text) {
    return static_cast<int>(parseInteger(std::string(text)).value_or(0));
}

Count countOf(std::string_view text) {
    const int least = numberOf(cut(text, '-'));
    if (text.empty())
        return {least, least};
    return {least, text == "*" ? std::numeric_limits<int>::max() : numberOf(text)};
}

Listed attributeOf(std::string_view text) {
    Listed out;
    out.name = cut(text, ':');
    if (text.ends_with('!')) {
        out.required = true;
        text.remove_suffix(1);
    }
    for (const AttributeKind& row : kinds)
        if (row.text == text)
            out.kind = row.kind;
    return out;
}

Versions versionsOf(std::string_view line) {
    Versions out;
    while (!line.empty()) {
        Version next = out.empty() ? Version() : out.back();
        const std::size_t digits = std::min(line.find_first_not_of("0123456789"), line.size());
        next.since = numberOf(line.substr(0, digits));
        line.remove_prefix(digits);
        next.otherMeaning = line.starts_with('!');
        line.remove_prefix(next.otherMeaning ? 1 : 0);
        next.removed = line.starts_with('x');
        line.remove_prefix(next.removed ? 1 : 0);
        if (line.starts_with('(')) {
            line.remove_prefix(1);
            std::string_view signature = cut(line, ')');
            next.operands = countOf(cut(signature, ';'));
            next.results = countOf(cut(signature, ';'));
            next.attributes.clear();
            while (!signature.empty())
                next.attributes.push_back(attributeOf(cut(signature, ' ')));
        }
        if (line.starts_with(' '))
            line.remove_prefix(1);
        out.push_back(std::move(next));
    }
    return out;
}

const Versions* findOperator(std::string_view type) {
    static const auto operators = operatorLines(standardTable(), versionsOf);
    const auto found = operators.find(type);
    return found == operators.end() ? nullptr : &found->second;
}

template <class Strings>
int givenOf(const Strings& names) { // without absent ones at the end
    int count = names.size();
    while (count > 0 && names.Get(count - 1).empty())
        --count;
    return count;
}

// What is wrong with the node, in the order in which one would look.
Diags problems(const proto::NodeProto& node, const Version& version, std::int64_t opset) {
    Diags out;
    const std::string type = cleanText(node.op_type());
    const auto tell = [&](DiagCode code, const std::string& message) {
        out.push_back(makeWarning(code, message));
    };
    const int operands = givenOf(node.input());
    const int results = givenOf(node.output());
    if (!version.operands.contains(operands))
        tell(DiagCode::OperatorArity,
             fmt::format("{} of opset {} does not take {} operands", type, opset, operands));
    if (!version.results.contains(results))
        tell(DiagCode::OperatorArity,
             fmt::format("{} of opset {} does not give {} results", type, opset, results));
    for (const auto& attribute : node.attribute()) {
        const Listed* listed = version.find(attribute.name());
        const std::string name = cleanText(attribute.name());
        if (!listed)
            tell(DiagCode::UnsupportedAttribute,
                 fmt::format("{} of opset {} has no attribute '{}'", type, opset, name));
        else if (attribute.type() != Attribute::UNDEFINED && attribute.type() != listed->kind)
            tell(DiagCode::UnsupportedAttribute,
                 fmt::format("attribute '{}' of {} is not {}", name, type, wordsOf(listed->kind)));
    }
    for (const Listed& listed : version.attributes)
        if (listed.required &&
            std::none_of(node.attribute().begin(), node.attribute().end(),
                         [&](const auto& given) { return given.name() == listed.name; }))
            tell(DiagCode::UnsupportedAttribute,
                 fmt::format("{} of opset {} needs the attribute '{}'", type, opset, listed.name));
    return out;
}

const proto::AttributeProto* given(const proto::NodeProto& node, std::string_view name) {
    for (const auto& attribute : node.attribute())
        if (attribute.name() == name)
            return &attribute;
    return nullptr;
}

// Nodes that an operator with another meaning takes as the one before did.
bool meansTheSame(const proto::NodeProto& node, std::int64_t since) {
    const std::string& type = node.op_type();
    if (type == "BatchNormalization") // one result: statistics are read, and for each channel
        return since >= 9 && givenOf(node.output()) == 1;
    if (type == "Split") // the parts are said
        return givenOf(node.input()) == 2;
    if (type == "Softmax" || type == "LogSoftmax" || type == "Hardmax") {
        const auto* axis = given(node, "axis"); // before, all axes from there on were one
        return axis != nullptr && axis->i() == -1;
    }
    if (type == "GridSample") {
        const auto* mode = given(node, "mode"); // the others have new names
        return mode == nullptr || mode->s() == "nearest";
    }
    return false;
}

// The node alone, without its sub-graphs.
OpsetRange ownOpsets(const proto::NodeProto& node, std::int64_t opset) {
    if (!isStandardDomain(node.domain()))
        return {1, std::numeric_limits<std::int64_t>::max()};
    if (opset > newestOpset)
        return {opset, opset};
    const Versions* versions = findOperator(node.op_type());
    const Version* version = versions ? versionAt(*versions, opset) : nullptr;
    if (versions && !version) { // up to where a later operator of that name is another
        const auto wrong = std::find_if(versions->begin(), versions->end(), [&](const auto& later) {
            return !problems(node, later, later.since).empty();
        });
        return {1, wrong == versions->end() ? newestOpset : wrong->since - 1};
    }
    if (!version || version->removed || !problems(node, *version, opset).empty())
        return {}; // wrong in its own opset: no other is worse
    OpsetRange out{version->since, newestOpset};
    for (const Version& later : *versions)
        if (later.since > opset &&
            (later.removed || (later.otherMeaning && !meansTheSame(node, later.since)) ||
             !problems(node, later, later.since).empty())) {
            out.most = later.since - 1;
            break;
        }
    return out;
}

template <class Visit>
void forInnerNodes(const proto::NodeProto& node, const Visit& visit) {
    const auto each = [&](const proto::GraphProto& body) {
        for (const auto& inner : body.node())
            visit(inner);
    };
    for (const auto& attribute : node.attribute()) {
        if (attribute.has_g())
            each(attribute.g());
        for (const auto& body : attribute.graphs())
            each(body);
    }
}

} // namespace

bool isStandardDomain(std::string_view domain) {
    return domain.empty() || domain == "ai.onnx";
}

OpsetRange OpsetRange::with(const OpsetRange& other) const {
    return {std::max(least, other.least), std::min(most, other.most)};
}

OpsetRange ownOpsetsOf(const proto::NodeProto& node, std::int64_t opset) {
    return ownOpsets(node, opset);
}

OpsetRange opsetsOf(const proto::NodeProto& node, std::int64_t opset) {
    OpsetRange out = ownOpsets(node, opset);
    forInnerNodes(node,
                  [&](const proto::NodeProto& inner) { out = out.with(opsetsOf(inner, opset)); });
    return out;
}

Diags ownProblemsOf(const proto::NodeProto& node, std::int64_t opset) {
    Diags out;
    if (isStandardDomain(node.domain()) && opset <= newestOpset) {
        const std::string type = cleanText(node.op_type());
        const Versions* versions = findOperator(node.op_type());
        const Version* version = versions ? versionAt(*versions, opset) : nullptr;
        if (version && !version->removed)
            out = problems(node, *version, opset);
        else if (version)
            out.push_back(
                makeWarning(DiagCode::UnknownOperator,
                            fmt::format("{} is no operator since opset {}", type, version->since)));
        else
            out.push_back(makeWarning(
                DiagCode::UnknownOperator,
                versions ? fmt::format("{} is an operator since opset {}, the model has {}", type,
                                       versions->front().since, opset)
                         : fmt::format("opset {} has no operator named {}", opset, type)));
    }
    for (Diag& diag : out)
        diag.at({{}, cleanText(node.name())});
    return out;
}

Diags problemsOf(const proto::NodeProto& node, std::int64_t opset) {
    Diags out = ownProblemsOf(node, opset);
    forInnerNodes(node, [&](const proto::NodeProto& inner) {
        for (Diag& diag : problemsOf(inner, opset))
            out.push_back(std::move(diag));
    });
    for (Diag& diag : out)
        diag.at({{}, cleanText(node.name())});
    return out;
}

namespace {

const Listed* listed(std::string_view type, std::int64_t opset, std::string_view attribute) {
    const Versions* versions = findOperator(type);
    const Version* version =
        versions ? versionAt(*versions, std::min(opset, newestOpset)) : nullptr;
    return version && !version->removed ? version->find(attribute) : nullptr;
}

} // namespace

bool hasAttribute(std::string_view type, std::int64_t opset, std::string_view attribute) {
    return listed(type, opset, attribute) != nullptr;
}

bool needsAttribute(std::string_view type, std::int64_t opset, std::string_view attribute) {
    const Listed* found = listed(type, opset, attribute);
    return found != nullptr && found->required;
}

} // namespace fw
