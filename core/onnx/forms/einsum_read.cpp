// Einsum as products of matrices: each operand is brought into the order (shared, own, summed), two
// at a time; letters that nobody needs any more are summed away before.
#include "expr/simplify.h"
#include "onnx/read/importers.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <map>

namespace fw {

namespace {

// A value whose axes have names: letters, or one of the axes that "..." stands for (from 256 on).
using Labels = std::vector<int>;
struct Term {
    ValueRef value;
    Labels labels;
};

bool has(const Labels& labels, int label) {
    return std::find(labels.begin(), labels.end(), label) != labels.end();
}

constexpr int firstOpen = 256;

// "a...b" against a rank: the axes of "..." count from the right, so that they broadcast.
Result<Labels> labelsOf(NodeImport& n, const std::string& text, std::optional<std::size_t> rank) {
    Labels before, behind;
    bool open = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text.compare(i, 3, "...") == 0 && !open) {
            open = true;
            i += 2;
        } else if (std::isalpha(static_cast<unsigned char>(text[i])) != 0) {
            (open ? behind : before).push_back(text[i]);
        } else {
            return n.malformed(fmt::format("'{}' is no list of letters", text));
        }
    }
    const std::size_t named = before.size() + behind.size();
    if (rank && (*rank < named || (!open && *rank != named)))
        return makeDiag(DiagCode::ShapeMismatch,
                        fmt::format("Einsum: '{}' does not fit a tensor of rank {}", text, *rank));
    if (open) // without a rank the whole is not known yet: one mark for all of them
        for (std::size_t i = rank ? *rank - named : 1; i-- > 0;)
            before.push_back(rank ? firstOpen + static_cast<int>(i) : -1);
    before.insert(before.end(), behind.begin(), behind.end());
    return before;
}

Result<ValueRef> ordered(NodeImport& n, const Term& term, const Labels& wanted) {
    if (term.labels == wanted)
        return term.value;
    Integers perm;
    for (const int label : wanted)
        perm.push_back(std::find(term.labels.begin(), term.labels.end(), label) -
                       term.labels.begin());
    Attrs attrs;
    attrs.set("perm", std::move(perm));
    return n.step("transpose", {term.value}, std::move(attrs));
}

// A letter that stands twice picks a diagonal.
Status takeDiagonals(NodeImport& n, Term& term) {
    for (std::size_t i = 0; i < term.labels.size(); ++i) {
        const auto again = std::find(term.labels.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                                     term.labels.end(), term.labels[i]);
        if (again == term.labels.end())
            continue;
        const auto other = static_cast<std::size_t>(again - term.labels.begin());
        Integers perm;
        Labels left;
        for (std::size_t k = 0; k < term.labels.size(); ++k)
            if (k != i && k != other) {
                perm.push_back(static_cast<std::int64_t>(k));
                left.push_back(term.labels[k]);
            }
        left.push_back(term.labels[i]);
        perm.push_back(static_cast<std::int64_t>(i));
        perm.push_back(static_cast<std::int64_t>(other));
        if (!std::is_sorted(perm.begin(), perm.end())) {
            Attrs attrs;
            attrs.set("perm", std::move(perm));
            FW_TRY(term.value, n.step("transpose", {term.value}, std::move(attrs)));
        }
        FW_TRY(term.value, n.step("diagonal", {term.value}));
        term.labels = std::move(left);
        i = static_cast<std::size_t>(-1);
    }
    return {};
}

Status sumAway(NodeImport& n, Term& term, const std::function<bool(int)>& needed) {
    Integers axes;
    Labels left;
    for (std::size_t i = 0; i < term.labels.size(); ++i)
        if (needed(term.labels[i]))
            left.push_back(term.labels[i]);
        else
            axes.push_back(static_cast<std::int64_t>(i));
    if (axes.empty())
        return {};
    Attrs attrs;
    attrs.set("axes", std::move(axes));
    attrs.set("keepdims", std::int64_t{0});
    FW_TRY(term.value, n.step("reduce_sum", {term.value}, std::move(attrs)));
    term.labels = std::move(left);
    return {};
}

Dim product(const Shape& shape, std::size_t from, std::size_t count) {
    Dim out = intExpr(1);
    for (std::size_t i = from; i < from + count; ++i)
        out = out * shape[i];
    return simplify(out);
}

// The product of two terms, summed over the letters that both have and nobody needs.
Result<Term> multiplied(NodeImport& n, const Term& a, const Term& b,
                        const std::function<bool(int)>& needed) {
    Labels shared, ownA, ownB, summed;
    for (const int label : a.labels)
        (!has(b.labels, label) ? ownA : needed(label) ? shared : summed).push_back(label);
    for (const int label : b.labels)
        if (!has(a.labels, label))
            ownB.push_back(label);
    const auto joined = [](std::initializer_list<const Labels*> lists) {
        Labels out;
        for (const Labels* list : lists)
            out.insert(out.end(), list->begin(), list->end());
        return out;
    };
    FW_TRY(ValueRef x, ordered(n, a, joined({&shared, &ownA, &summed})));
    FW_TRY(ValueRef y, ordered(n, b, joined({&shared, &summed, &ownB})));
    const Shape xs = n.type(x).shape, ys = n.type(y).shape;
    const std::size_t batch = shared.size();
    Shape left(xs.begin(), xs.begin() + static_cast<std::ptrdiff_t>(batch)), right;
    right.assign(ys.begin(), ys.begin() + static_cast<std::ptrdiff_t>(batch));
    Shape out;
    for (std::size_t i = 0; i < batch; ++i) // an extent of 1 is stretched
        out.push_back(xs[i].isInt(1) ? ys[i] : xs[i]);
    left.push_back(product(xs, batch, ownA.size()));
    left.push_back(product(xs, batch + ownA.size(), summed.size()));
    right.push_back(product(ys, batch, summed.size()));
    right.push_back(product(ys, batch + summed.size(), ownB.size()));
    if (left != xs) {
        FW_TRY(x, n.reshaped(x, left));
    }
    if (right != ys) {
        FW_TRY(y, n.reshaped(y, right));
    }
    Term term;
    FW_TRY(term.value, n.step("batch_matmul", {x, y}));
    term.labels = joined({&shared, &ownA, &ownB});
    out.insert(out.end(), xs.begin() + static_cast<std::ptrdiff_t>(batch),
               xs.begin() + static_cast<std::ptrdiff_t>(batch + ownA.size()));
    out.insert(out.end(), ys.begin() + static_cast<std::ptrdiff_t>(batch + summed.size()),
               ys.end());
    if (n.type(term.value).shape != out) {
        FW_TRY(term.value, n.reshaped(term.value, out));
    }
    return term;
}

// The terms of an equation, and the axes of its result.
struct Equation {
    std::vector<Term> terms;
    Labels result;
};

Result<Equation> readEquation(NodeImport& n, const std::string& equation) {
    const std::size_t arrow = equation.find("->");
    std::vector<std::string> parts{""};
    for (const char c : equation.substr(0, arrow)) {
        if (c == ',')
            parts.emplace_back();
        else
            parts.back() += c;
    }
    if (parts.size() != n.inputCount())
        return n.malformed(fmt::format("equation '{}' for {} operands", equation, n.inputCount()));
    if (parts.size() > 1)
        n.computeWide();
    Equation out;
    std::map<int, int> count;
    int open = 0; // axes of "..."
    for (std::size_t i = 0; i < parts.size(); ++i) {
        Term term;
        FW_TRY(term.value, n.input(i));
        FW_TRY(term.labels, labelsOf(n, parts[i], n.type(term.value).rank()));
        for (const int label : term.labels) {
            ++count[label];
            if (label >= firstOpen)
                open = std::max(open, label - firstOpen + 1);
        }
        out.terms.push_back(std::move(term));
    }
    Labels opened;
    for (int i = open; i-- > 0;)
        opened.push_back(firstOpen + i);
    if (arrow == std::string::npos) { // "..." first, then the letters that stand once
        out.result = opened;
        for (const auto& [label, times] : count)
            if (label < firstOpen && times == 1)
                out.result.push_back(label);
        return out;
    }
    FW_TRY(const Labels written, labelsOf(n, equation.substr(arrow + 2), std::nullopt));
    for (const int label : written) {
        if (label == -1) {
            out.result.insert(out.result.end(), opened.begin(), opened.end());
            continue;
        }
        if (has(out.result, label) || !count.contains(label))
            return n.malformed(
                fmt::format("the result of '{}' does not fit its operands", equation));
        out.result.push_back(label);
    }
    return out;
}

Status einsum(NodeImport& n) {
    FW_CHECK(n.need(1, n.inputCount()));
    FW_TRY(std::string equation, n.text("equation", ""));
    std::erase(equation, ' ');
    FW_TRY(Equation read, readEquation(n, equation));
    std::vector<Term>& terms = read.terms;
    const Labels& result = read.result;
    for (Term& term : terms)
        FW_CHECK(takeDiagonals(n, term));
    const auto neededBehind = [&](std::size_t i) {
        return [&, i](int label) {
            return has(result, label) ||
                   std::any_of(terms.begin() + static_cast<std::ptrdiff_t>(i), terms.end(),
                               [&](const Term& later) { return has(later.labels, label); });
        };
    };
    Term whole = terms[0];
    FW_CHECK(sumAway(n, whole, neededBehind(1)));
    for (std::size_t i = 1; i < terms.size(); ++i) {
        const auto needed = neededBehind(i + 1);
        Term next = terms[i];
        FW_CHECK(
            sumAway(n, next, [&](int label) { return needed(label) || has(whole.labels, label); }));
        FW_CHECK(
            sumAway(n, whole, [&](int label) { return needed(label) || has(next.labels, label); }));
        FW_TRY(whole, multiplied(n, whole, next, needed));
    }
    n.note("an einsum is products of matrices");
    for (const int label : result)
        if (!has(whole.labels, label))
            return n.malformed(fmt::format("'{}' cannot be read", equation));
    if (whole.labels == result && n.emitted().empty())
        return n.result("identity", {whole.value});
    FW_TRY(const ValueRef y, ordered(n, whole, result));
    return n.alias(0, y);
}

} // namespace

std::span<const ImporterRow> einsumImporters() {
    static constexpr ImporterRow rows[] = {{"Einsum", 12, einsum}};
    return rows;
}

} // namespace fw
