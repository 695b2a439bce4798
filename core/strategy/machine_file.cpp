#include "strategy/machine_file.h"

#include "base/numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace fw {

namespace {

constexpr std::int64_t usedFor = 600; // seconds
constexpr std::string_view mark = " disturbed ";

double* ceilingIn(MachineProfile& profile, std::string_view name) {
    for (const CeilingRow& row : ceilings())
        if (row.name == name)
            return &(profile.*row.value);
    return nullptr;
}

struct Line {
    std::string name;
    double value = 0;
    std::optional<std::int64_t> disturbed;
    std::string mistake; // empty if it is right
};

Line lineOf(std::string_view row) {
    Line out;
    if (const std::size_t at = row.find(mark); at != std::string_view::npos) {
        out.disturbed = parseInteger(row.substr(at + mark.size()));
        if (!out.disturbed) {
            out.mistake = "behind `disturbed` stands when that was, in seconds since 1970";
            return out;
        }
        row = row.substr(0, at);
    }
    const std::size_t blank = std::min(row.find(' '), row.size());
    out.name = row.substr(0, blank);
    const auto value = blank == row.size() ? std::nullopt : parseNumber(row.substr(blank + 1));
    MachineProfile known;
    if (!value || (ceilingIn(known, out.name) == nullptr && !isRate(out.name)))
        out.mistake = "a line of a machine profile is a name and a number";
    else if (!isFigure(*value))
        out.mistake =
            fmt::format("{} is {}, and no machine does that: a figure lies between {} and {}",
                        out.name, numberText(*value), leastFigure, mostFigure);
    else
        out.value = *value;
    return out;
}

void put(MachineProfile& profile, const std::string& name, double value) {
    if (double* ceiling = ceilingIn(profile, name))
        *ceiling = value;
    else if (value > 0)
        profile.rates[name] = value;
    else
        profile.rates.erase(name);
}

// Takes each line that is not empty, with its number.
template <typename Take>
void eachLine(std::string_view text, const Take& take) {
    for (int line = 1; !text.empty(); ++line) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        if (end > 0 && !take(lineOf(text.substr(0, end)), line))
            return;
        text.remove_prefix(std::min(end + 1, text.size()));
    }
}

Diag diagOf(const Line& wrong, const std::string& file, int line) {
    return makeDiag(DiagCode::Syntax, wrong.mistake, {file, {}, line, 1}, "gflops 50");
}

// Times are better when they are less.
double better(std::string_view name, double a, double b) {
    return name.ends_with("_us") ? std::min(a, b) : std::max(a, b);
}

} // namespace

bool isFigure(double value) {
    return value >= leastFigure && value <= mostFigure; // false of what is no number
}

bool isRate(std::string_view name) {
    const std::size_t dot = name.find('.');
    if (dot == 0 || dot == std::string_view::npos)
        return false;
    const std::string_view maker = name.substr(0, dot);
    return name == callName(maker) ||
           std::any_of(std::begin(workClasses), std::end(workClasses),
                       [&](WorkClass work) { return name == rateName(maker, work); });
}

Result<MachineProfile> parseMachine(std::string_view text, const std::string& file,
                                    MachineProfile out) {
    std::optional<Diag> refusal;
    eachLine(text, [&](const Line& one, int line) {
        if (one.mistake.empty())
            put(out, one.name, one.value);
        else
            refusal = diagOf(one, file, line);
        return !refusal;
    });
    if (refusal)
        return std::move(*refusal);
    return out;
}

KeptFigures readFigures(std::string_view text, const std::string& file, Diags& warnings) {
    KeptFigures out;
    std::optional<Diag> first;
    int further = 0;
    eachLine(text, [&](const Line& one, int line) {
        if (!one.mistake.empty() && first) {
            ++further;
        } else if (!one.mistake.empty()) {
            first = diagOf(one, file, line);
        } else {
            put(out.profile, one.name, one.value);
            if (one.disturbed)
                out.disturbed[one.name] = *one.disturbed;
        }
        return true;
    });
    if (!first)
        return out;
    std::erase_if(out.disturbed, [](const auto& one) { return isRate(one.first); });
    out.profile.rates.clear(); // they are measured together
    first->severity = Severity::Warning;
    first->message = fmt::format(
        "the figures of this machine are damaged: {}{}", first->message,
        further > 0 ? fmt::format(" (and {} more line{})", further, further > 1 ? "s" : "") : "");
    first->hint = "they are measured anew, as plans ask for them";
    warnings.push_back(std::move(*first));
    return out;
}

double KeptFigures::find(std::string_view name) const {
    for (const CeilingRow& row : ceilings())
        if (row.name == name)
            return profile.*row.value;
    const auto found = profile.rates.find(name);
    return found == profile.rates.end() ? 0 : found->second;
}

void KeptFigures::set(const std::string& name, double value, bool isDisturbed, std::int64_t now) {
    if (!isFigure(value))
        return;
    if (isDisturbed) {
        if (const auto old = before.find(name); old != before.end())
            value = better(name, value, old->second);
        if (disturbed.contains(name))
            value = better(name, value, find(name));
        disturbed[name] = now;
    } else {
        disturbed.erase(name);
    }
    before.erase(name);
    put(profile, name, value);
}

void KeptFigures::forgetOld(std::int64_t now) {
    const auto isOld = [&](const auto& one) {
        return one.second > now || one.second + usedFor <= now;
    };
    const bool rates = std::any_of(disturbed.begin(), disturbed.end(), [&](const auto& one) {
        return isRate(one.first) && isOld(one);
    });
    for (auto one = disturbed.begin(); one != disturbed.end();) {
        if (!isOld(*one) && !(rates && isRate(one->first))) {
            ++one;
            continue;
        }
        before[one->first] = find(one->first);
        put(profile, one->first, 0);
        one = disturbed.erase(one);
    }
    if (rates)
        profile.rates.clear();
}

std::string KeptFigures::text() const {
    std::string out;
    const auto line = [&](const std::string& name, double value) {
        out += fmt::format("{} {:.4g}", name, value);
        if (const auto when = disturbed.find(name); when != disturbed.end())
            out += fmt::format("{}{}", mark, when->second);
        out += "\n";
    };
    for (const CeilingRow& row : ceilings())
        if (profile.*row.value > 0)
            line(std::string(row.name), profile.*row.value);
    for (const auto& [name, rate] : profile.rates)
        line(name, rate);
    return out;
}

std::string MachineProfile::text() const {
    KeptFigures all;
    all.profile = *this;
    return all.text();
}

} // namespace fw
