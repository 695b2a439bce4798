#include "rewrite_report.h"

#include "base/files.h"
#include "picture/graph_diagram.h"
#include "picture/picture.h"
#include "picture/writers.h"
#include "snapshot/provenance.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>

namespace fw::cli {

using namespace snapshot;

namespace {

// One way to write the parts that a report has.
class Writer {
public:
    virtual ~Writer() = default;
    virtual void title(int level, const std::string& text) = 0;
    virtual void line(const std::string& text) = 0;
    virtual void table(const std::vector<std::string>& heads,
                       const std::vector<std::vector<std::string>>& rows) = 0;
    virtual bool hasPictures() const = 0;
    virtual void picture(const std::string& caption, const std::string& svg) = 0;
    virtual std::string take() = 0;
};

class Markdown : public Writer {
public:
    void title(int level, const std::string& text) override {
        m_out += fmt::format("{}{} {}\n\n", m_out.empty() ? "" : "\n",
                             std::string(static_cast<std::size_t>(level), '#'), escaped(text));
    }
    void line(const std::string& text) override { m_out += escaped(text) + "\n\n"; }
    void table(const std::vector<std::string>& heads,
               const std::vector<std::vector<std::string>>& rows) override {
        row(heads);
        row(std::vector<std::string>(heads.size(), "---"));
        for (const std::vector<std::string>& cells : rows) {
            std::vector<std::string> out;
            for (const std::string& cell : cells)
                out.push_back(escaped(cell));
            row(out);
        }
        m_out += "\n";
    }
    bool hasPictures() const override { return false; }
    void picture(const std::string&, const std::string&) override {}
    std::string take() override { return std::move(m_out); }

private:
    void row(const std::vector<std::string>& cells) {
        m_out += fmt::format("| {} |\n", fmt::join(cells, " | "));
    }
    static std::string escaped(const std::string& text) {
        std::string out;
        for (const char c : text) {
            if (std::string_view("\\`*_{}[]<>#|!&~").find(c) != std::string_view::npos)
                out += '\\';
            out += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
        }
        return out;
    }
    std::string m_out;
};

class Html : public Writer {
public:
    explicit Html(const std::string& title) {
        m_out = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>" +
                picture::escapedXml(title) +
                "</title>\n<style>\n"
                "body { font: 14px/1.5 sans-serif; color: #202124; background: #fafafa; "
                "max-width: 76em; margin: 2em auto; padding: 0 1em }\n"
                "table { border-collapse: collapse; margin: 0.5em 0 1.5em }\n"
                "th, td { text-align: left; vertical-align: top; padding: 0.2em 1em 0.2em 0; "
                "border-bottom: 1px solid #dadce0; overflow-wrap: anywhere }\n"
                "figure { display: inline-block; vertical-align: top; margin: 0 1.5em 1em 0; "
                "max-width: 100%; overflow: auto }\n"
                "figcaption { color: #5f6368 }\n"
                "</style>\n</head>\n<body>\n";
    }
    void title(int level, const std::string& text) override {
        m_out += fmt::format("<h{0}>{1}</h{0}>\n", level, picture::escapedXml(text));
    }
    void line(const std::string& text) override {
        m_out += "<p>" + picture::escapedXml(text) + "</p>\n";
    }
    void table(const std::vector<std::string>& heads,
               const std::vector<std::vector<std::string>>& rows) override {
        m_out += "<table>\n";
        row(heads, "th");
        for (const std::vector<std::string>& cells : rows)
            row(cells, "td");
        m_out += "</table>\n";
    }
    bool hasPictures() const override { return true; }
    void picture(const std::string& caption, const std::string& svg) override {
        m_out += "<figure>\n<figcaption>" + picture::escapedXml(caption) + "</figcaption>\n" +
                 svg.substr(svg.find("<svg")) + "</figure>\n";
    }
    std::string take() override { return std::move(m_out) + "</body>\n</html>\n"; }

private:
    void row(const std::vector<std::string>& cells, const char* kind) {
        m_out += "<tr>";
        for (const std::string& cell : cells)
            m_out += fmt::format("<{0}>{1}</{0}>", kind, picture::escapedXml(cell));
        m_out += "</tr>\n";
    }
    std::string m_out;
};

std::string named(const std::vector<RewrittenNode>& nodes) {
    std::string out;
    for (const RewrittenNode& node : nodes)
        out += fmt::format("{}{} {}", out.empty() ? "" : ", ", node.op, node.name);
    return out;
}

std::string placeOf(const std::string& file, std::int64_t line) {
    return file.empty() ? std::string() : fmt::format("{}:{}", file, line);
}

enum class Side { InFront, Behind };

// The graph of a step as it is on one side of the application.
GraphDocument sideOf(const StepDocument& step, Side side) {
    const std::string gone = side == Side::InFront ? "created" : "erased";
    GraphDocument out = step.graph;
    out.nodes.clear();
    NodeSet shown;
    for (std::size_t i = 0; i < step.nodes.size(); ++i) {
        if (step.nodes[i].mark == gone)
            continue;
        NodeRecord node = step.graph.nodes[i];
        std::vector<std::int64_t> others =
            side == Side::InFront ? step.nodes[i].behind : step.nodes[i].before;
        std::sort(others.rbegin(), others.rend());
        for (const std::int64_t operand : others)
            if (operand >= 0 && operand < static_cast<std::int64_t>(node.inputs.size()))
                node.inputs.erase(node.inputs.begin() + operand);
        shown.insert(node.id);
        out.nodes.push_back(std::move(node));
    }
    std::erase_if(out.results, [&](const InputRef& one) { return !shown.contains(one.node); });
    return out;
}

Status drawFirst(Client& client, Arguments arguments, std::int64_t number, Writer& writer) {
    arguments.application = number;
    FW_TRY(const std::string answer, client.ask("step", arguments, {}));
    FW_TRY(const StepDocument step, fromJson<StepDocument>(answer));
    for (const auto& [side, caption] :
         {std::pair(Side::InFront, "in front of application {}"), {Side::Behind, "behind it"}}) {
        FW_TRY(const picture::Picture drawn, picture::draw(picture::diagramOf(sideOf(step, side))));
        writer.picture(fmt::format(fmt::runtime(caption), number), picture::svgText(drawn));
    }
    return {};
}

std::vector<std::pair<std::string, std::vector<const ApplicationRecord*>>>
byRule(const RewriteDocument& document) {
    std::vector<std::pair<std::string, std::vector<const ApplicationRecord*>>> out;
    for (const ApplicationRecord& one : document.applications) {
        auto found = std::find_if(out.begin(), out.end(),
                                  [&](const auto& rule) { return rule.first == one.rule; });
        if (found == out.end())
            found = out.insert(out.end(), {one.rule, {}});
        found->second.push_back(&one);
    }
    return out;
}

void sayWhatWasAsked(const Arguments& arguments, Writer& writer) {
    const auto list = [&](const char* what, const std::vector<std::string>& values) {
        if (!values.empty())
            writer.line(fmt::format("{}: {}", what, fmt::join(values, ", ")));
    };
    if (!arguments.target.empty())
        writer.line("Target: " + arguments.target);
    list("Books", arguments.rules);
    list("Shipped books that say nothing", arguments.without);
    list("Left out", arguments.leftOut);
}

} // namespace

Result<RewriteDocument> reportRewriting(Client& client, const Arguments& arguments,
                                        const std::string& file, const Client::ShowProgress& show) {
    const std::string title = "Rewriting of " + arguments.model;
    std::unique_ptr<Writer> writer;
    if (file.ends_with(".html"))
        writer = std::make_unique<Html>(title);
    else if (file.ends_with(".md"))
        writer = std::make_unique<Markdown>();
    else
        return makeDiag(DiagCode::Usage, "a report is written as .html or .md, not as " + file, {},
                        "--report FILE.html has pictures, --report FILE.md is text");
    FW_TRY(const std::string answer, client.ask("rewrite", arguments, show));
    FW_TRY(RewriteDocument document, fromJson<RewriteDocument>(answer));
    const auto rules = byRule(document);
    std::int64_t total = 0;
    for (const AppliedRecord& one : document.applied)
        total += one.count;

    writer->title(1, title);
    sayWhatWasAsked(arguments, *writer);
    writer->line(fmt::format("{} operators became {}: {} applications of {} rules, stopped at: {}.",
                             document.nodesBefore, document.nodesAfter, total, rules.size(),
                             document.stopReason));
    std::vector<std::vector<std::string>> rows;
    for (const auto& [name, applications] : rules) {
        double before = 0, after = 0;
        for (const ApplicationRecord* one : applications) {
            before += one->flopsBefore;
            after += one->flopsAfter;
        }
        rows.push_back({name, placeOf(applications.front()->file, applications.front()->line),
                        std::to_string(applications.size()),
                        fmt::format("{:g} → {:g}", before, after)});
    }
    writer->table({"rule", "in", "applications", "flops"}, rows);
    for (const auto& [name, applications] : rules) {
        writer->title(2, name);
        if (writer->hasPictures())
            FW_CHECK(drawFirst(client, arguments, applications.front()->number, *writer));
        rows.clear();
        for (const ApplicationRecord* one : applications) {
            std::string results;
            for (const RewrittenResult& result : one->results)
                results += fmt::format("{}{}: {} → {}: {}", results.empty() ? "" : ", ",
                                       result.name, result.before, result.became, result.after);
            rows.push_back({std::to_string(one->number),
                            one->body.empty() ? one->at : one->at + " in " + one->body,
                            named(one->erased), named(one->created), results});
        }
        writer->table({"no.", "at", "erased", "created", "result"}, rows);
    }
    if (static_cast<std::int64_t>(document.applications.size()) < total)
        writer->line(fmt::format("The first {} applications are listed, of {}.",
                                 document.applications.size(), total));
    for (const std::string& notice : document.notices)
        writer->line(notice);
    FW_CHECK(writeFile(file, writer->take()));
    document.notices.push_back("wrote " + file);
    return document;
}

} // namespace fw::cli
