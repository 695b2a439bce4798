#include "runs.h"

#include "completion.h"
#include "draw.h"
#include "each_file.h"
#include "pieces.h"
#include "rewrite_report.h"
#include "usage.h"

#include "app/lsp/server.h"
#include "app/mcp/server.h"
#include "session/version.h"
#include "snapshot/document_file.h"
#include "snapshot/time_changes.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdlib>
#include <map>

namespace fw::cli {

using namespace snapshot;

namespace {

Form formOf(const Asked& asked) {
    return asked.json ? Form::Json : Form::Text;
}

template <class Document>
Run ask(std::string_view command, const std::function<int(const Document&)>& verdict = {}) {
    return [command = std::string(command), verdict](Client& client, const Asked& asked) {
        if constexpr (requires(const Document& document) { render(document); })
            return show<Document>(client, command, asked, formOf(asked), verdict);
        else
            return 0;
    };
}

int runAssist(Client& client, const Asked& asked) {
    if (!asked.model.empty())
        if (const Status there = isThere(asked.model); !there)
            return report(there.diag(), formOf(asked));
    Arguments question = static_cast<const Arguments&>(asked);
    question.rules.insert(question.rules.begin(), asked.ofBook);
    return show<AssistDocument>(client, "assist", question, formOf(asked));
}

int runFormat(Client& client, const Asked& asked) {
    return formatBooks(client, asked,
                       asked.writeFiles  ? FormatInto::Files
                       : asked.checkOnly ? FormatInto::Check
                                         : FormatInto::Output,
                       formOf(asked));
}

// It ends with the other side, and what is wrong then nobody reads but on standard error.
template <class Question>
Run speak(Result<int> (*serve)(const Question&)) {
    return [serve](Client&, const Asked& asked) {
        if (!asked.model.empty())
            if (const Status there = isThere(asked.model); !there)
                return report(there.diag(), Form::Text);
        if (!asked.worker.empty()) // for the processes that do the work
            ::setenv("FUSEWRIGHT_WORKER", asked.worker.c_str(), 1);
        const Result<int> ended = serve(asked);
        return ended ? *ended : report(ended.diag(), Form::Text);
    };
}

int runRewrite(Client& client, const Asked& asked) {
    return asked.report.empty()
               ? show<RewriteDocument>(client, "rewrite", asked, formOf(asked))
               : print(reportRewriting(client, asked, asked.report, progressLine()), formOf(asked));
}

// The file is read first: what is wrong with it is said before anything is measured.
int runProfile(Client& client, const Asked& asked) {
    std::optional<ProfileDocument> baseline;
    if (!asked.baseline.empty()) {
        Result<ProfileDocument> read = loadBaseline(asked.baseline);
        if (!read)
            return report(read.diag(), formOf(asked));
        baseline = read.take();
    } else if (isDocumentFile(asked.model)) {
        if (const auto pinned = loadTimes(asked.model).baseline)
            baseline = *pinned;
    }
    const Result<std::string> answer = client.ask("profile", asked, progressLine());
    Result<ProfileDocument> times =
        answer ? fromJson<ProfileDocument>(*answer) : Result<ProfileDocument>(answer.diag());
    if (times && baseline)
        times->against = compareTimes(*baseline, *times);
    return print(times, formOf(asked));
}

int runFuse(Client& client, const Asked& asked) {
    return show<FuseDocument>(client, "fuse", asked, formOf(asked),
                              [&](const FuseDocument& document) {
                                  if (asked.eachOperator && !asked.json)
                                      write(standardOutput, "\n" + renderOperators(document));
                                  return 0;
                              });
}

int allPass(const RunDocument& document) {
    return std::all_of(document.sets.begin(), document.sets.end(),
                       [](const ComparisonRecord& set) { return set.pass; })
               ? 0
               : 1;
}

// Those that do more than ask once and show the answer.
const std::map<std::string_view, Run>& ownRuns() {
    static const std::map<std::string_view, Run> runs = {
        {"assist", runAssist},
        {"bench",
         [](Client& client, const Asked& asked) {
             return print(askBench(client, asked, progressLine()), formOf(asked));
         }},
        {"bisect",
         ask<BisectDocument>(
             "bisect", [](const BisectDocument& document) { return document.first ? 1 : 0; })},
        {"check", [](Client& client,
                     const Asked& asked) { return checkBooks(client, asked, formOf(asked)); }},
        {"diff",
         [](Client& client, const Asked& asked) {
             return print(askDiff(client, asked, progressLine()), formOf(asked));
         }},
        {"draw", [](Client& client,
                    const Asked& asked) { return print(drawModel(client, asked), formOf(asked)); }},
        {"format", runFormat},
        {"fuse", runFuse},
        {"lsp", speak(lsp::serve)},
        {"mcp", speak(mcp::serve)},
        {"profile", runProfile},
        {"rewrite", runRewrite},
        {"run", ask<RunDocument>("run", allPass)},
        {"test",
         [](Client& client, const Asked& asked) { return runTests(client, asked, formOf(asked)); }},
        {"verify", [](Client& client,
                      const Asked& asked) { return runVerify(client, asked, formOf(asked)); }},
    };
    return runs;
}

} // namespace

Run runOf(const CommandRow& row) {
    if (const auto own = ownRuns().find(row.name); own != ownRuns().end())
        return own->second;
#define FW_COMMAND(word, worker, Document, ...)                                                    \
    if (row.name == #word)                                                                         \
        return ask<Document>(#worker);
#include "snapshot/commands.def"
    return {};
}

int runHelp(const Asked& asked, const std::function<std::string()>& list) {
    HelpDocument program = describeProgram(programVersion);
    if (!asked.name.empty())
        std::erase_if(program.commands,
                      [&](const CommandHelp& command) { return command.name != asked.name; });
    if (program.commands.empty())
        return report(makeDiag(DiagCode::UnknownName, "there is no command " + asked.name, {},
                               "fw help lists them"),
                      formOf(asked));
    if (asked.as.empty() && asked.json) {
        write(standardOutput, toJson(program) + "\n");
        return 0;
    }
    static const std::map<std::string_view, std::string (*)(const HelpDocument&)> forms = {
        {"bash", bashCompletion},
        {"fish", fishCompletion},
        {"man", manualPage},
        {"zsh", zshCompletion}};
    const auto form = forms.find(asked.as);
    if (form == forms.end() && !asked.as.empty())
        return report(makeDiag(DiagCode::Usage, "there is no help as " + asked.as, {},
                               "bash, fish, zsh or man"),
                      formOf(asked));
    const std::string text = form == forms.end() ? list() : form->second(program);
    write(standardOutput, asked.json ? nlohmann::json{{"help", text}}.dump() + "\n" : text);
    return 0;
}

} // namespace fw::cli
