#include "pattern/match.h"

#include "condition/condition.h"
#include "pattern/repeated.h"
#include "pattern/roots.h"

#include <fmt/format.h>

#include <algorithm>

namespace fw {

namespace {

constexpr int deepest = 1000; // nested steps; a match that needs more counts as too many ways

bool holds(const AttrValue& attr, const Tree& written) {
    const auto value = valueOf(attr), wanted = evaluate(written, {});
    return value && wanted && equalTerms(*value, *wanted) == Truth::Yes;
}

} // namespace

std::string patternText(const PatternTree& p) {
    const auto list = [](const std::vector<PatternTree>& parts, const std::string& mark) {
        std::string out;
        for (const PatternTree& part : parts)
            out += (out.empty() ? "" : mark) + patternText(part);
        return out;
    };
    const std::string name = writtenName(p.name), sameAs = writtenName(p.sameAs);
    switch (p.kind) {
    case PatternKind::Previous:
        return "^";
    case PatternKind::Any:
        return "any";
    case PatternKind::Const:
        return "const";
    case PatternKind::Capture:
        return name + (p.isConst || !sameAs.empty() ? ": " : "") + (p.isConst ? "const" : "") +
               (p.isConst && !sameAs.empty() ? " & " : "") +
               (sameAs.empty() ? "" : "same(" + sameAs + ")");
    case PatternKind::Bind:
        return name + " = " + patternText(p.args[0]);
    case PatternKind::Call: {
        std::string out = (p.ofKind ? "kind " : "") + p.name + "(" + list(p.args, ", ") +
                          (p.anyArgs ? (p.args.empty() ? "..." : ", ...") : "") + ")";
        std::string attrs;
        for (const PatternAttrTree& attr : p.attrs) {
            attrs += attrs.empty() ? "" : ", ";
            if (attr.kind == PatternAttrTree::Kind::All)
                attrs += "*" + attr.name;
            else if (attr.kind == PatternAttrTree::Kind::Equal)
                attrs += attr.name + " = " + termText(attr.value);
            else if (attr.kind == PatternAttrTree::Kind::Range)
                attrs += fmt::format("{} in {}..{}", attr.name, attr.low, attr.high);
            else
                attrs += attr.name;
        }
        return attrs.empty() ? out : out + " {" + attrs + "}";
    }
    case PatternKind::Sequence:
        return list(p.args, " >> ");
    case PatternKind::Alternatives:
        return "(" + list(p.args, " | ") + ")";
    case PatternKind::Optional:
        return patternText(p.args[0]) + "?";
    case PatternKind::Repeat:
        return patternText(p.args[0]) + fmt::format("* {{{}..{}}}", p.low, p.high);
    }
    return {};
}

namespace {

void bindParams(PatternTree& p, const PatternDeclTree& declared, const PatternTree& call) {
    if (p.kind == PatternKind::Capture)
        for (std::size_t i = 0; i < declared.params.size(); ++i) {
            if (declared.params[i].name != p.name)
                continue;
            const bool isConst = p.isConst || declared.params[i].isConst;
            // Behind "..." a parameter is not looked at; it must still be one value, so it keeps a
            // name of its own.
            if (i < call.args.size()) {
                const Span place = p.span;
                p = call.args[i];
                if (p.span.line == 0)
                    p.span = place;
            } else {
                p.name = call.name + "." + p.name;
            }
            if (!isConst)
                return;
            if (p.kind == PatternKind::Any)
                p.kind = PatternKind::Const;
            p.isConst = true;
            return;
        }
    for (PatternTree& part : p.args)
        bindParams(part, declared, call);
}

// Parts of a declared pattern have no place of their own in the text that names it.
void setPlace(PatternTree& p, const Span& span) {
    p.span = span;
    for (PatternAttrTree& attr : p.attrs)
        attr.span = {};
    for (PatternTree& part : p.args)
        setPlace(part, span);
}

constexpr std::size_t mostParts = 2000; // of a pattern with what it names in place of the names
constexpr int mostNames = 50;           // inside each other

PatternTree expanded(const PatternTree& p, const PatternTable& table, std::size_t& left,
                     int names) {
    const bool refers =
        p.kind == PatternKind::Capture || (p.kind == PatternKind::Call && !p.ofKind);
    const auto declared = refers ? table.find(p.name) : table.end();
    if (declared != table.end() && names < mostNames && left > 0) {
        --left;
        return expanded(withArguments(*declared->second, p), table, left, names + 1);
    }
    PatternTree out = p;
    left -= std::min(left, p.args.size());
    for (PatternTree& part : out.args)
        part = expanded(part, table, left, names);
    return out;
}

} // namespace

PatternTree withArguments(const PatternDeclTree& declared, const PatternTree& call) {
    PatternTree out = declared.pattern;
    if (call.span.line > 0)
        setPlace(out, call.span);
    bindParams(out, declared, call);
    return out;
}

PatternTree withDeclared(const PatternTree& pattern, const PatternTable& table) {
    std::size_t left = mostParts;
    return expanded(pattern, table, left, 0);
}

std::size_t callCount(const PatternTree& p) {
    std::size_t count = p.kind == PatternKind::Call ? 1 : 0;
    if (p.kind == PatternKind::Alternatives) {
        for (const PatternTree& part : p.args)
            count = std::max(count, callCount(part));
        return count;
    }
    for (const PatternTree& part : p.args)
        count += callCount(part);
    return count;
}

Matcher::Matcher(const Graph& graph, const PatternTable& table, MatchOptions options)
    : m_graph(graph), m_table(table), m_options(options) {}

std::string Matcher::describe(ValueRef v) const {
    if (!v.valid())
        return "no operand";
    const Node& node = m_graph.node(v.node);
    return node.isInput() || node.isConstant() ? node.op + " " + node.name : node.op;
}

template <class Expected, class Found>
bool Matcher::refuse(Missed why, const PatternTree& p, Expected expected, Found found,
                     const PatternAttrTree* attr) {
    if (!m_best.clause.empty() && m_nodes.size() <= m_best.matched)
        return false;
    m_best = {m_root,
              m_nodes.size(),
              m_total,
              patternText(p),
              expected(),
              found(),
              why,
              attr != nullptr && attr->span.line > 0 ? attr->span : p.span,
              attr != nullptr ? attr->name : p.name};
    return false;
}

Result<std::optional<Match>> Matcher::matchAt(const std::vector<NamedPattern>& patterns,
                                              ValueRef root, const AcceptMatch& accept) {
    m_bindings = {};
    m_bindings.values = m_options.bound;
    m_nodes.clear();
    m_places.clear();
    m_steps = 0;
    m_root = root.node;
    m_best = {};
    m_total = 0;
    for (const NamedPattern& named : patterns)
        m_total += callCount(named.pattern);
    m_repeated = repeatedNames(patterns, m_table);
    Match found;
    std::function<bool(std::size_t)> from = [&](std::size_t i) -> bool {
        if (i == patterns.size()) {
            found.bindings = m_bindings;
            gatherLists(m_repeated.values, found.bindings);
            found.nodes = m_nodes;
            found.places = m_places;
            return !accept || accept(found);
        }
        const auto tryAt = [&](ValueRef v) {
            found.roots.push_back(v);
            const bool ok = bind(patterns[i].name, v, patterns[i].pattern, [&] {
                return pattern(patterns[i].pattern, v, nullptr, [&] { return from(i + 1); });
            });
            if (!ok)
                found.roots.pop_back();
            return ok;
        };
        if (i == 0)
            return tryAt(root);
        const std::vector<ValueRef> roots = candidates(patterns[i].pattern);
        return std::any_of(roots.begin(), roots.end(), tryAt);
    };
    const bool ok = from(0);
    if (m_steps > m_options.budget)
        return makeDiag(DiagCode::LimitReached, "there are too many ways to match",
                        {{}, m_graph.node(root.node).name});
    return ok ? std::optional(std::move(found)) : std::nullopt;
}

std::vector<ValueRef> Matcher::candidates(const PatternTree& written) {
    const PatternTree* p = &written;
    while (p->kind == PatternKind::Bind)
        p = &p->args[0];
    std::vector<ValueRef> out;
    const auto add = [&](NodeId id) {
        if (out.empty() || out.back().node != id)
            out.push_back({id, 0});
    };
    // A value that is bound leaves those who read it.
    if (p->kind == PatternKind::Call && !m_table.contains(p->name))
        for (const PatternTree& operand : p->args) {
            const auto known = operand.kind == PatternKind::Capture
                                   ? m_bindings.values.find(operand.name)
                                   : m_bindings.values.end();
            if (known == m_bindings.values.end() || m_table.contains(operand.name))
                continue;
            for (const Use& use : m_graph.uses(known->second))
                add(use.node);
            return out;
        }
    if (std::set<std::string> names; rootOperators(*p, m_table, names)) {
        if (m_byOperator.empty())
            for (const NodePtr& node : m_graph.nodes())
                m_byOperator[node->op].push_back(node->id);
        if (names.size() == 1) {
            if (const auto found = m_byOperator.find(*names.begin()); found != m_byOperator.end())
                for (const NodeId id : found->second)
                    add(id);
            return out;
        }
        for (const NodePtr& node : m_graph.nodes())
            if (names.contains(node->op))
                add(node->id);
        return out;
    }
    for (const NodePtr& node : m_graph.nodes())
        for (std::size_t o = 0; o < node->outputs.size() && !node->isConstant(); ++o)
            out.push_back({node->id, static_cast<int>(o)});
    return out;
}

bool Matcher::bind(const std::string& name, ValueRef v, const PatternTree& p, const Next& next) {
    const auto known = m_bindings.values.find(name);
    if (known != m_bindings.values.end())
        return known->second == v ? next()
                                  : refuse(
                                        Missed::SameValue, p,
                                        [&] { return name + " again: " + describe(known->second); },
                                        [&] { return describe(v); });
    m_bindings.values.emplace(name, v);
    if (next())
        return true;
    m_bindings.values.erase(name);
    return false;
}

bool Matcher::noValue(const PatternTree& p) {
    return refuse(
        Missed::Other, p, [] { return "a value"; }, [] { return "no operand"; });
}

bool Matcher::pattern(const PatternTree& p, ValueRef v, const Previous* previous,
                      const Next& next) {
    if (m_depth > deepest)
        m_steps = m_options.budget; // as if all steps were taken: the stack must not decide
    if (++m_steps > m_options.budget)
        return false;
    struct Depth {
        int& depth;
        explicit Depth(int& d) : depth(d) { ++depth; }
        ~Depth() { --depth; }
    } guard(m_depth);
    if (p.isConst && m_graph.constant(v) == nullptr)
        return refuse(
            Missed::Constant, p, [] { return "a constant"; }, [&] { return describe(v); });
    switch (p.kind) {
    case PatternKind::Previous:
        return previousValue(v, previous, next);
    case PatternKind::Any:
        return v.valid() ? next() : noValue(p);
    case PatternKind::Const:
        return m_graph.constant(v) != nullptr
                   ? next()
                   : refuse(
                         Missed::Constant, p, [] { return "a constant"; },
                         [&] { return describe(v); });
    case PatternKind::Capture:
        if (const auto declared = m_table.find(p.name); declared != m_table.end())
            return pattern(declared->second->pattern, v, previous, next); // a chain
        if (!v.valid())
            return noValue(p);
        return bind(p.name, v, p, next);
    case PatternKind::Bind:
        return pattern(p.args[0], v, previous, [&] { return bind(p.name, v, p, next); });
    case PatternKind::Alternatives:
        for (const PatternTree& option : p.args)
            if (pattern(option, v, previous, next))
                return true;
        return false;
    case PatternKind::Sequence:
        return sequence(p, p.args.size(), v, previous, next);
    case PatternKind::Optional:
    case PatternKind::Repeat:
        return refuse( // only inside a sequence, which handles it
            Missed::Other, p, [] { return "a step behind >>"; }, [&] { return patternText(p); });
    case PatternKind::Call:
        return call(p, v, previous, next);
    }
    return false;
}

bool Matcher::previousValue(ValueRef v, const Previous* previous, const Next& next) {
    if (previous == nullptr)
        return v.valid() && next(); // the first step of a chain: whatever comes in
    return sequence(*previous->sequence, previous->count, v, previous->outer, next);
}

bool Matcher::sequence(const PatternTree& p, std::size_t count, ValueRef v, const Previous* outer,
                       const Next& next) {
    // A loop, since steps that may be left out are as many as the text likes.
    for (;; --count) {
        if (++m_steps > m_options.budget)
            return false;
        if (count == 0)
            return previousValue(v, outer, next);
        const PatternTree& step = p.args[count - 1];
        const Previous before{&p, count - 1, outer};
        if (step.kind == PatternKind::Optional) {
            if (pattern(step.args[0], v, &before, next))
                return true;
        } else if (step.kind == PatternKind::Repeat) {
            if (step.high > 0 && onceMore(p, count, v, outer, next))
                return true;
            if (step.low > 0)
                return false;
        } else {
            return pattern(step, v, &before, next);
        }
    }
}

// What comes before the last of these steps is this step again.
bool Matcher::onceMore(const PatternTree& p, std::size_t count, ValueRef v, const Previous* outer,
                       const Next& next) {
    PatternTree again;
    again.kind = PatternKind::Sequence;
    again.args.assign(p.args.begin(), p.args.begin() + static_cast<std::ptrdiff_t>(count));
    PatternTree& step = again.args.back();
    step.low = std::max<std::int64_t>(0, step.low - 1);
    --step.high;
    nameNextRepetition(step.args[0], m_repeated.values);
    const Previous more{&again, count, outer};
    return pattern(p.args[count - 1].args[0], v, &more, next);
}

// With defaults, so that an attribute that is written equals one that is not.
bool Matcher::bindAll(const PatternTree& p, const PatternAttrTree& attr, const Node& node) {
    const auto [known, isNew] = m_bindings.attrs.emplace(attr.name, node.attrs);
    if (isNew || m_repeated.attributes.contains(attr.name))
        return true;
    const Operator* op = m_graph.operators().find(node.op);
    const auto valueIn = [&](const Attrs& attrs, const std::string& name) {
        const AttrValue* written = attrs.find(name);
        return written != nullptr ? std::optional(*written)
               : op != nullptr    ? op->attrDefault(name)
                                  : std::nullopt;
    };
    for (const Attrs& attrs : {known->second, node.attrs})
        for (const auto& [name, value] : attrs)
            if (valueIn(known->second, name) != valueIn(node.attrs, name))
                return refuse(
                    Missed::Attribute, p,
                    [&] { return fmt::format("{} as in *{} before", name, attr.name); },
                    [&] {
                        const auto found = valueIn(node.attrs, name);
                        return found ? attrText(*found) : std::string("none");
                    },
                    &attr);
    return true;
}

bool Matcher::bindAttribute(const PatternTree& p, const PatternAttrTree& attr,
                            const AttrValue& value) {
    const auto [known, isNew] = m_bindings.attrValues.emplace(attr.name, value);
    return isNew || known->second == value || m_repeated.attributes.contains(attr.name) ||
           refuse(
               Missed::Attribute, p,
               [&] { return fmt::format("{} = {} again", attr.name, attrText(known->second)); },
               [&] { return attrText(value); }, &attr);
}

bool Matcher::attributes(const PatternTree& p, const Node& node) {
    for (const PatternAttrTree& attr : p.attrs) {
        if (attr.kind == PatternAttrTree::Kind::All) {
            if (!bindAll(p, attr, node))
                return false;
            continue;
        }
        const AttrValue* value = node.attrs.find(attr.name);
        const Operator* op = m_graph.operators().find(node.op);
        const std::optional<AttrValue> unwritten =
            value == nullptr && op != nullptr ? op->attrDefault(attr.name) : std::nullopt;
        if (unwritten)
            value = &*unwritten;
        if (value == nullptr)
            return refuse(
                Missed::Attribute, p, [&] { return "attribute " + attr.name; },
                [] { return "none"; }, &attr);
        if (attr.kind == PatternAttrTree::Kind::Capture) {
            if (!bindAttribute(p, attr, *value))
                return false;
        } else if (attr.kind == PatternAttrTree::Kind::Range) {
            const auto* integer = std::get_if<std::int64_t>(value);
            if (integer == nullptr || *integer < attr.low || *integer > attr.high)
                return refuse(
                    Missed::Attribute, p,
                    [&] { return fmt::format("{} in {}..{}", attr.name, attr.low, attr.high); },
                    [&] { return attrText(*value); }, &attr);
        } else if (!holds(*value, attr.value)) {
            return refuse(
                Missed::Attribute, p, [&] { return attr.name + " = " + termText(attr.value); },
                [&] { return attrText(*value); }, &attr);
        }
    }
    return true;
}

bool Matcher::call(const PatternTree& p, ValueRef v, const Previous* previous, const Next& next) {
    if (const auto declared = m_table.find(p.name); !p.ofKind && declared != m_table.end())
        return pattern(withArguments(*declared->second, p), v, previous, next);
    const auto other = [&] { return describe(v); };
    if (!v.valid())
        return refuse(
            Missed::Other, p, [&] { return p.name; }, other);
    const Node& node = m_graph.node(v.node);
    if (p.ofKind) {
        const std::optional<FusionKind> wanted = parseKind(p.name);
        if (!wanted || node.isInput() || node.isConstant() || !countsAs(kindOf(node), *wanted))
            return refuse(
                Missed::Operator, p, [&] { return "kind " + p.name; }, other);
    } else if (node.op != p.name) {
        return refuse(
            Missed::Operator, p, [&] { return p.name; }, other);
    }
    if (v.output != 0)
        return refuse(
            Missed::Other, p, [&] { return "the first output of " + p.name; },
            [&] { return fmt::format("output {}", v.output); });
    if (std::find(m_nodes.begin(), m_nodes.end(), node.id) != m_nodes.end())
        return refuse(
            Missed::Other, p, [&] { return "another " + p.name; }, [] { return "the same one"; });
    std::vector<ValueRef> values = node.inputs;
    while (!values.empty() && !values.back().valid())
        values.pop_back();
    if (p.anyArgs ? values.size() < p.args.size() : values.size() != p.args.size())
        return refuse(
            Missed::Operands, p, [&] { return fmt::format("{} operands", p.args.size()); },
            [&] { return fmt::format("{}", values.size()); });
    const MatchBindings before = m_bindings;
    if (!attributes(p, node)) {
        m_bindings = before;
        return false;
    }
    m_nodes.push_back(node.id);
    m_places.push_back(p.span);
    if (operands(p, values, 0, previous, next))
        return true;
    const Operator* op = m_graph.operators().find(node.op);
    if (op != nullptr && op->commutative() && values.size() == 2) {
        std::swap(values[0], values[1]);
        if (operands(p, values, 0, previous, next))
            return true;
    }
    m_nodes.pop_back();
    m_places.pop_back();
    m_bindings = before;
    return false;
}

std::optional<FusionKind> parseKind(std::string_view text) {
    for (int i = 0; i <= static_cast<int>(FusionKind::Opaque); ++i)
        if (kindText(static_cast<FusionKind>(i)) == text)
            return static_cast<FusionKind>(i);
    return std::nullopt;
}

const std::vector<std::string>& kindNames() {
    static const std::vector<std::string> names = [] {
        std::vector<std::string> out;
        for (int i = 0; i <= static_cast<int>(FusionKind::Opaque); ++i)
            out.emplace_back(kindText(static_cast<FusionKind>(i)));
        return out;
    }();
    return names;
}

bool countsAs(FusionKind found, FusionKind wanted) {
    return wanted <= FusionKind::Injective ? found <= wanted : found == wanted;
}

FusionKind Matcher::kindOf(const Node& node) {
    const auto [place, isNew] = m_kinds.emplace(node.id, FusionKind::Opaque);
    if (isNew)
        if (const Operator* op = m_graph.operators().find(node.op))
            if (const Result<Facts> facts = op->facts(callOf(m_graph, node)))
                place->second = facts->kind;
    return place->second;
}

// `r: same(^)`: ^ is the operand beside it, `r: same(x)`: x was bound before.
bool Matcher::sameType(const PatternTree& call, const std::vector<ValueRef>& values,
                       std::size_t at) {
    const PatternTree& p = call.args[at];
    const auto known = m_bindings.values.find(p.sameAs);
    std::optional<ValueRef> other;
    if (known != m_bindings.values.end())
        other = known->second;
    for (std::size_t i = 0; i < call.args.size() && p.sameAs == "^"; ++i)
        if (call.args[i].kind == PatternKind::Previous)
            other = values[i];
    if (!other || !other->valid() || !values[at].valid())
        return refuse(
            Missed::SameType, p, [&] { return "a value of the type of " + p.sameAs; },
            [] { return "nothing to compare with"; });
    const TensorType &wanted = m_graph.type(*other), &found = m_graph.type(values[at]);
    return wanted == found ||
           refuse(
               Missed::SameType, p, [&] { return wanted.text(); }, [&] { return found.text(); });
}

bool Matcher::operands(const PatternTree& p, const std::vector<ValueRef>& values, std::size_t at,
                       const Previous* previous, const Next& next) {
    if (at == p.args.size())
        return next();
    if (!p.args[at].sameAs.empty() && !sameType(p, values, at))
        return false;
    return pattern(p.args[at], values[at], previous,
                   [&] { return operands(p, values, at + 1, previous, next); });
}

} // namespace fw
