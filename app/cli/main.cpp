// fw: the engine from a terminal. Commands are rows of a table; each asks the worker and shows its
// document.
#include "draw.h"
#include "each_file.h"
#include "given.h"
#include "pieces.h"
#include "rewrite_report.h"
#include "short_targets.h"
#include "usage.h"

#include "base/beginning.h"
#include "base/leftovers.h"
#include "base/numbers.h"
#include "base/system_limit.h"
#include "session/connection.h"
#include "session/document.h"
#include "session/graph_file.h"
#include "session/remote.h"
#include "session/worker.h"
#include "snapshot/export_words.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <limits>

namespace fw::cli {

namespace {

using namespace snapshot;

// What is wrong with the books of the user, where the answer itself does not say it: what is right
// in them is used.
void tellBooksOf(const Arguments& given) {
    const Result<Arguments> arguments = withDocument(given);
    if (!arguments)
        return; // the answer says why
    const auto tell = [](const Diags& diags) {
        for (const Diag& diag : diags)
            if (diag.severity == Severity::Error)
                write(standardError, diag.text() + "\n");
    };
    for (const auto* files : {&arguments->rules, &arguments->versus}) {
        const Result<Books> books = files->empty() ? Books() : loadBooks(*files);
        if (!books)
            continue;
        for (const ReadBook& book : books->read) {
            // Without its operators and its graph there is no model, and the answer says why.
            const bool ofModel = book.file == arguments->model;
            if (!ofModel)
                tell(book.errors);
            for (const CheckedItem& item : book.items)
                if (!ofModel || (item.kind != "graph" && item.kind != "operator"))
                    tell(item.diagnostics);
        }
        tell(books->ofWholeBooks);
    }
}

void tellBooks(const Arguments& given) {
    Arguments one = given;
    tellBooksOf(one);
    for (const std::string& model : given.models)
        if (one.model = model; isBookOfItsOwn(model))
            tellBooksOf(one);
}

struct Options {
    Arguments arguments;
    GivenTexts given;
    std::vector<std::string> levels; // sketch
    std::string libs;
    std::string book, place;  // assist
    std::optional<int> depth; // draw
    std::string report;       // rewrite
    std::string machine;      // a file of `fw doctor --save`
    std::string worker;       // a command that reaches one
    bool json = false;
    bool eachOperator = false;                  // fuse
    bool writeFiles = false, checkOnly = false; // format

    Form form() const { return json ? Form::Json : Form::Text; }
};

Status finish(Options& options) {
    FW_CHECK(takeGiven(options.given, options.arguments));
    for (const std::string& text : options.levels) {
        FW_TRY(auto pair, splitPair(text, "--set"));
        options.arguments.levels.insert(std::move(pair));
    }
    if (!options.machine.empty()) {
        FW_TRY(options.arguments.target, onMachine(options.arguments.target, options.machine));
    }
    if (!options.worker.empty())
        if (const auto words = wordsOf(options.worker); !words)
            return words.diag();
    options.arguments.agreed = librariesNamed(options.arguments);
    if (!options.place.empty()) {
        const std::size_t colon = options.place.find(':');
        const auto line = parseInteger(options.place.substr(0, colon));
        const auto column =
            parseInteger(colon == std::string::npos ? "" : options.place.substr(colon + 1));
        constexpr std::int64_t most = std::numeric_limits<int>::max();
        if (!line || !column || *line < 1 || *column < 1 || *line > most || *column > most)
            return makeDiag(DiagCode::Usage, "a place is LINE:COLUMN, not " + options.place);
        options.arguments.position =
            TextPlace{options.book, static_cast<int>(*line), static_cast<int>(*column)};
    }
    return {};
}

using Run = std::function<int(Client&, const Options&)>;

template <class Document>
Run ask(const std::string& command) {
    return [command](Client& client, const Options& o) {
        return show<Document>(client, command, o.arguments, o.form());
    };
}

class Program {
public:
    Program()
        : m_app(
              "Fusewright: see what fuses and why, compile, time and export deep-learning graphs") {
        m_app.require_subcommand(1);
        m_app.set_version_flag("--version", "fw 0.1.0");
        m_app.failure_message(CLI::FailureMessage::simple);
    }

    // Nothing ends it by an exception.
    int run(std::vector<std::string> words) {
        const Form form = wantsJson(words) ? Form::Json : Form::Text;
        const int code = [&] {
            try {
                return answer(std::move(words), form);
            } catch (const std::exception& error) {
                if (const auto limit = systemLimitOf(error))
                    return report(*limit, form);
                return report(makeDiag(DiagCode::Internal, error.what(), {},
                                       "this is a mistake of the program, please report it"),
                              form);
            }
        }();
        if (outputError() == 0)
            return code;
        return report(
            makeDiag(DiagCode::FileUnwritable, fmt::format("standard output cannot be written: {}",
                                                           std::strerror(outputError()))),
            Form::Text);
    }

private:
    int answer(std::vector<std::string> words, Form form) {
        commands();
        checkNumbers(m_app);
        if (const Status text = areText(words); !text)
            return report(text.diag(), form);
        Result<std::vector<std::string>> whole = withShortTargets(std::move(words));
        if (!whole)
            return report(whole.diag(), form);
        std::vector<char*> pointers;
        for (std::string& word : *whole)
            pointers.push_back(word.data());
        try {
            m_app.parse(static_cast<int>(pointers.size()), pointers.data());
        } catch (const CLI::CallForHelp&) {
            return tell("help", m_app.help(), form);
        } catch (const CLI::CallForVersion& version) {
            return tell("version", version.what(), form);
        } catch (const CLI::ParseError& error) {
            return report(notUnderstood(m_app, error), form);
        }
        if (const Status status = finish(m_options); !status)
            return report(status.diag(), m_options.form());
        if (const auto& files = m_options.arguments.inputs;
            !files.empty() && std::none_of(m_readsFiles.begin(), m_readsFiles.end(),
                                           [](const CLI::App* app) { return app->parsed(); }))
            return report(
                makeDiag(DiagCode::Usage,
                         fmt::format("{} is no value for input {}",
                                     beginningOf(files.begin()->second), files.begin()->first),
                         {}, "a number, true, false or a list; files are for what runs a model"),
                m_options.form());
        if (std::none_of(m_ofBooks.begin(), m_ofBooks.end(),
                         [](const CLI::App* app) { return app->parsed(); }))
            if (const Status given = checkGiven(m_options.arguments, m_tune->parsed()); !given)
                return report(given.diag(), m_options.form());
        if (std::none_of(m_listBooks.begin(), m_listBooks.end(),
                         [](const CLI::App* app) { return app->parsed(); }))
            tellBooks(m_options.arguments);
        if (const std::string usual = takeWorkerCommand(); m_options.worker.empty())
            m_options.worker = usual;
        Client client(
            [this](const Diag& warning) {
                m_libraryDied = true;
                clearProgress();
                write(standardError, warning.text() + "\n");
            },
            m_options.worker);
        return m_chosen(client, m_options);
    }

    static int tell(const char* what, const std::string& text, Form form) {
        nlohmann::json document;
        document[what] = text;
        write(standardOutput, form == Form::Json     ? document.dump() + "\n"
                              : text.ends_with('\n') ? text
                                                     : text + "\n");
        return 0;
    }

    CLI::App* command(const std::string& name, const std::string& what, Run run) {
        CLI::App* app = m_app.add_subcommand(name, what);
        app->add_option("--worker", m_options.worker,
                        "\"ssh HOST fw --worker\": the work is done there");
        app->add_flag("--json", m_options.json, "print one JSON document");
        app->callback([this, run] { m_chosen = run; });
        return app;
    }
    CLI::App* onModel(const std::string& name, const std::string& what, Run run) {
        CLI::App* app = command(name, what, std::move(run));
        app->add_option("model", m_options.arguments.model,
                        "an .onnx file or a backend-test folder")
            ->required();
        return target(app);
    }
    void types(CLI::App* app) {
        app->add_option("--type", m_options.given.types,
                        "'NAME=f32[N, 4]' is the type of a value that nothing infers; may repeat")
            ->allow_extra_args(false);
    }
    // Its document lists the books with what is wrong in them.
    void listsBooks(CLI::App* app) { m_listBooks.push_back(app); }
    CLI::App* target(CLI::App* app) {
        app->add_option("--target", m_options.arguments.target,
                        "\"x86-64 -mcpu=native -libs= -threads=2\", each part optional");
        app->add_option("--rules", m_options.arguments.rules, "a rule book; may repeat")
            ->allow_extra_args(false);
        app->add_option("--without", m_options.arguments.without,
                        "a shipped book that says nothing: scales.fw; may repeat")
            ->allow_extra_args(false);
        app->add_option("--leave-out", m_options.arguments.leftOut,
                        "an application that is not wanted: \"RULE at OPERATOR\"; may repeat")
            ->allow_extra_args(false);
        app->add_option("--log", m_options.arguments.log,
                        "a file of measurements, which decide before priorities");
        app->add_option("--dim", m_options.given.dims,
                        "NAME=N binds a free dimension, NAME=N..M says where it lies; may repeat");
        types(app);
        app->add_option("--input", m_options.given.inputs,
                        "NAME=VALUE (16000, true, [1, 2]) makes an input a constant; where the "
                        "model runs also NAME=FILE (.pb or .npy); may repeat")
            ->allow_extra_args(false);
        app->add_option("--threads", m_options.arguments.threads,
                        "short for -threads=N in the target");
        app->add_option("--machine", m_options.machine,
                        "a file of `fw doctor --save`: the machine that is planned for");
        return app;
    }

    void commands() {
        Arguments& a = m_options.arguments;
        onModel("info", "inputs, outputs, operators, parameters, problems",
                ask<InfoDocument>("info"));
        CLI::App* ops = command("ops", "the operators: the library and those of books",
                                ask<OpsDocument>("ops"));
        ops->add_option("name", a.name, "one operator");
        ops->add_option("--rules", a.rules, "a rule book; may repeat")->allow_extra_args(false);
        CLI::App* check = command("check", "parse and check rule books, run their tests",
                                  [](Client& client, const Options& o) {
                                      return checkBooks(client, o.arguments, o.form());
                                  });
        listsBooks(check);
        m_ofBooks = {check};
        check
            ->add_option("book", a.rules,
                         ".fw files, read together: what one declares the others know")
            ->required();
        check->add_option("-o,--output", a.output,
                          "folder for the graphs at which refuted rules compute something else");
        CLI::App* format = command("format", "lay out the text of rule books",
                                   [](Client& client, const Options& o) {
                                       return formatBooks(client, o.arguments,
                                                          o.writeFiles  ? FormatInto::Files
                                                          : o.checkOnly ? FormatInto::Check
                                                                        : FormatInto::Output,
                                                          o.form());
                                   });
        listsBooks(format);
        m_ofBooks.push_back(format);
        format->add_option("book", a.rules, ".fw files")->required();
        CLI::Option* files = format->add_flag("-w,--write", m_options.writeFiles,
                                              "change the files, and name those that changed");
        format
            ->add_flag("--check", m_options.checkOnly,
                       "name the files that would change; exit code 1 if there is one")
            ->excludes(files);
        CLI::App* assist =
            target(command("assist", "what stands at a place of a book, and what may stand there",
                           [](Client& client, const Options& o) {
                               if (const std::string& model = o.arguments.model; !model.empty())
                                   if (const Status there = isThere(model); !there)
                                       return report(there.diag(), o.form());
                               Arguments asked = o.arguments;
                               asked.rules.insert(asked.rules.begin(), o.book);
                               return show<AssistDocument>(client, "assist", asked, o.form());
                           }));
        assist->add_option("book", m_options.book, "a .fw file")->required();
        assist->add_option("place", m_options.place, "LINE:COLUMN, from 1")->required();
        assist->add_option("--model", a.model, "whose operators come first");
        listsBooks(assist);
        command("book", "the text of a shipped book, or which there are", ask<BookDocument>("book"))
            ->add_option("name", a.name, "fusion.fw");
        CLI::App* rewrite = onModel(
            "rewrite", "apply rules and write the graph", [](Client& client, const Options& o) {
                return o.report.empty()
                           ? show<RewriteDocument>(client, "rewrite", o.arguments, o.form())
                           : print(reportRewriting(client, o.arguments, o.report, progressLine()),
                                   o.form());
            });
        rewrite->add_option("-o,--output", a.output, "OUT.onnx, OUT.fw or -");
        rewrite->add_option("--trace", a.trace, "file for one line per application");
        rewrite->add_option("--report", m_options.report,
                            "FILE.html or FILE.md: what every rule did, to hand on");
        CLI::App* step =
            onModel("step", "the applications of rules one by one", ask<StepDocument>("step"));
        step->add_option("--number", a.application, "this application, from 1")->check(atLeast(1));
        step->add_option("--until", a.until,
                         "the first behind it that is \"rule R\", \"creates OP\", \"erases OP\", "
                         "\"at OPERATOR\" or \"another rule\"; may repeat")
            ->allow_extra_args(false);
        step->add_option("--choice", a.choice,
                         "this one of what competes for its operators, as if it were done instead")
            ->check(atLeast(1));
        step->add_option("--around", a.around, "how far around the match is shown, 2");
        CLI::App* bisect =
            onModel("bisect", "which application of a rule first broke the outputs",
                    [](Client& client, const Options& o) {
                        return show<BisectDocument>(
                            client, "bisect", o.arguments, o.form(),
                            [](const BisectDocument& document) { return document.first ? 1 : 0; });
                    });
        bisect->add_option("-o,--output", a.output, "folder for what it matched, as a model");
        bisect->add_flag("--each", a.each, "compute behind every application: all errors");
        m_readsFiles.push_back(bisect);
        bisect->add_option("--rtol", a.rtol, "relative tolerance, 1e-3");
        bisect->add_option("--atol", a.atol, "absolute tolerance, 1e-5");
        CLI::App* rules =
            onModel("rules", "what the books declare, in the order in which it is asked",
                    ask<OrderDocument>("order"));
        rules->add_flag("--won", a.each, "plan without each book of rules: what it won");
        listsBooks(rules);
        CLI::App* fuse = onModel(
            "fuse", "groups, implementations and decisions", [](Client& client, const Options& o) {
                return show<FuseDocument>(
                    client, "fuse", o.arguments, o.form(), [&o](const FuseDocument& document) {
                        if (o.eachOperator && !o.json)
                            write(standardOutput, "\n" + renderOperators(document));
                        return 0;
                    });
            });
        listsBooks(fuse);
        fuse->add_flag("-v,--verbose", m_options.eachOperator,
                       "behind the rest a line for each operator: who computes it, and why there");
        fuse->add_flag("--measure", m_measure,
                       "time every group alone, and split into its operators")
            ->each([&a](const std::string&) { a.measure = true; });
        fuse->add_option("--seconds", a.seconds, "how long to measure, 0.5");
        CLI::App* match = onModel("match", "what the rules and patterns of a book find in a model",
                                  ask<MatchDocument>("match"));
        listsBooks(match);
        match->add_option("--rule", a.name, "only this rule, pattern or chain");
        match->add_option("--stage", a.stage, "imported (the default) or rewritten");
        match->add_option("--limit", a.limit, "how many matches of each, 10000");
        match->add_option("--seconds", a.seconds, "how long to look, 2");
        onModel("explain", "why operators are (not) fused", ask<ExplainDocument>("explain"))
            ->add_option("nodes", a.nodes, "one operator or two, by name")
            ->required()
            ->expected(1, 2);
        CLI::App* probe =
            onModel("probe", "how one operator fits a rule or pattern, clause by clause",
                    ask<ProbeDocument>("probe"));
        probe->add_option("node", a.nodes, "the operator, by name")->required()->expected(1);
        probe->add_option("--rule", a.name, "rule, pattern, chain, fuse or composite")->required();
        CLI::App* uses = onModel("uses", "who uses a declaration: text, rules, groups, calls",
                                 ask<UsesDocument>("uses"));
        uses->add_option("name", a.name, "what is declared")->required();
        CLI::App* sketch = onModel("sketch", "a pattern, rule, operator or test made of operators",
                                   ask<SketchDocument>("sketch"));
        sketch->add_option("nodes", a.nodes, "operators, by name")->required();
        sketch->add_option("--as", a.kind, "pattern (the default), rule, op, fuse or test");
        sketch->add_option("--name", a.name, "what is declared, block");
        sketch->add_option("--stage", a.stage, "imported (the default) or rewritten");
        sketch
            ->add_option("--set", m_options.levels,
                         "FACT=exact, range, captured or any; may repeat")
            ->allow_extra_args(false);
        CLI::App* diff = command(
            "diff", "what differs: two models, or one under two targets or two sets of books",
            [](Client& client, const Options& o) {
                return print(askDiff(client, o.arguments, progressLine()), o.form());
            });
        diff->add_option("models", a.models, "one model or two")->required()->expected(1, 2);
        diff->add_option("--target", a.targets, "one for both sides, or one for each")
            ->allow_extra_args(false);
        diff->add_option("--rules", a.rules, "a rule book; may repeat")->allow_extra_args(false);
        diff->add_option("--versus,--vs", a.versus, "a rule book of the other side; may repeat")
            ->allow_extra_args(false);
        diff->add_option("--stage", a.stage,
                         "of two models: imported (the default), rewritten or fused");
        diff->add_option("--dim", m_options.given.dims,
                         "NAME=N binds a free dimension, NAME=N..M says where it lies; may repeat");
        types(diff);
        diff->add_option("--threads", a.threads, "short for -threads=N in the targets");
        CLI::App* run =
            onModel("run", "run once and compare with the folder's data",
                    [](Client& client, const Options& o) {
                        return show<RunDocument>(
                            client, "run", o.arguments, o.form(), [](const RunDocument& document) {
                                for (const ComparisonRecord& set : document.sets)
                                    if (!set.pass)
                                        return 1;
                                return 0;
                            });
                    });
        m_readsFiles.push_back(run);
        run->add_option("--output", a.output, "folder for the outputs, as .npy (.pb of bf16)");
        run->add_option("--value", a.values,
                        "an inner value, or the operator that makes it; may repeat")
            ->allow_extra_args(false);
        run->add_option("--rtol", a.rtol, "relative tolerance, 1e-3");
        run->add_option("--atol", a.atol, "absolute tolerance, 1e-5");
        run->add_flag("--strict", m_strict, "the bound of every element alone decides")
            ->each([&a](const std::string&) { a.strict = true; });
        run->add_flag("--expect,!--no-expect", m_expect,
                      "compare with the folder's data (the default)")
            ->each([&a](const std::string& value) { a.expect = value != "false"; });
        run->add_option("--seed", a.seed, "of made-up inputs")->check(anyInteger());
        CLI::App* bench = target(
            command("bench", "latency of models, end to end", [](Client& client, const Options& o) {
                return print(askBench(client, o.arguments, progressLine()), o.form());
            }));
        m_readsFiles.push_back(bench);
        bench->add_option("models", a.models, "models")->required();
        bench->add_option("--seconds", a.seconds, "how long to measure each, 2");
        bench->add_option("--beside", a.beside, "measure again beside so many busy processes")
            ->check(CLI::Range(0, 1024));
        CLI::App* profile =
            onModel("profile", "time per group and operator", ask<ProfileDocument>("profile"));
        m_readsFiles.push_back(profile);
        profile->add_option("--seconds", a.seconds, "how long to measure, 1");
        profile->add_flag("--each", a.each, "every group alone, too, and each of its operators");
        profile->add_option("--trace", a.trace, "file for a Chrome trace of one run");
        CLI::App* tune =
            onModel("tune", "time the implementations of a model into the file of --log",
                    ask<TuneDocument>("tune"));
        m_tune = tune;
        tune->add_option("--seconds", a.seconds, "how long to measure each workload, 0.5");
        tune->get_option("--log")->required();
        tune->add_option("--shard", a.shard,
                         "I/N: the I-th of N parts of the workloads, the rest is for others");
        CLI::App* verify = target(command(
            "verify", "hold every implementation that could be chosen against the reference",
            [this](Client& client, const Options& o) {
                return runVerify(client, o.arguments, m_libraryDied, o.form());
            }));
        m_readsFiles.push_back(verify);
        verify->add_option("models", a.models, "models")->required();
        verify->add_option("-o,--output", a.output,
                           "folder for the smallest graphs that differ, out");
        verify->add_option("--seed", a.seed, "of the values, 1")->check(anyInteger());
        CLI::App* stages = onModel("stages", "the text of a stage", ask<StagesDocument>("stages"));
        stages->add_option("--stage", a.stage,
                           "graph, rewritten, fused, partitioned, tensor, schedule, loops, llvm or "
                           "asm");
        stages->add_option("--group", a.group, "only this group");
        CLI::App* schedule =
            onModel("schedule", "how a group is computed: steps, nested loops, and the other ways",
                    ask<ScheduleDocument>("schedule"));
        schedule->add_option("--group", a.group, "the group, by its number")->required();
        schedule->add_option("--by", a.name,
                             "a candidate of the group; what the plan chose unless written");
        CLI::App* exported = onModel("export", "a compiled module that runs on its own",
                                     ask<ExportDocument>("export"));
        exported->add_option("-o,--output", a.output, "folder")->required();
        exported->add_flag("--embed", a.embed, embedWords);
        exported->add_flag("--static", a.isStatic, staticWords);
        CLI::App* test = target(
            command("test", "run backend-test folders", [](Client& client, const Options& o) {
                return runTests(client, o.arguments, o.form());
            }));
        test->add_option("folders", a.folders, "folders with model.onnx and test_data_set_K")
            ->required();
        test->add_option("--rtol", a.rtol, "relative tolerance, 1e-3");
        test->add_option("--atol", a.atol, "absolute tolerance, 1e-5");
        test->add_flag("--strict", m_strict, "the bound of every element alone decides")
            ->each([&a](const std::string&) { a.strict = true; });
        CLI::App* draw = onModel(
            "draw", "the picture the workbench shows", [](Client& client, const Options& o) {
                const Result<DrawDocument> document = drawModel(client, o.arguments, o.depth);
                if (!document)
                    return report(document.diag(), o.form());
                write(standardOutput,
                      o.form() == Form::Json ? drawJson(*document) + "\n" : drawText(*document));
                return 0;
            });
        draw->add_option("-o,--output", a.output, "FILE.svg or FILE.dot")->required();
        draw->add_option("--stage", a.stage,
                         "imported, rewritten, fused (the default if it can be planned) or "
                         "partitioned");
        draw->add_option("--body", a.body,
                         "the graph inside a node instead: a path that `fw info` lists");
        draw->add_option("--depth", m_options.depth,
                         "blocks are closed from this level on; 0 is the top level");
        CLI::App* doctor =
            command("doctor", "what this machine offers and lacks", ask<DoctorDocument>("doctor"));
        doctor->add_option("--target", a.target, "whose ceilings; this machine's unless written");
        doctor->add_option("--rules", a.rules, "a rule book whose libraries are told; may repeat")
            ->allow_extra_args(false);
        doctor->add_option("--threads", a.threads, "short for -threads=N in the target");
        CLI::Option* machine =
            doctor
                ->add_option("--machine", m_options.machine,
                             "measure what it does at best, again; with a file of --save: what "
                             "that says")
                ->expected(0, 1);
        machine->each([&a](const std::string& file) { a.measure = file.empty(); });
        doctor->add_option("--save", a.output, "FILE for this machine, to plan for it elsewhere")
            ->excludes(machine);
        command("help", "this list", [this](Client&, const Options& o) {
            // help() of the program is that of the command which was found.
            write(standardOutput, o.form() == Form::Json
                                      ? commandsJson(m_app) + "\n"
                                      : m_app.get_formatter()->make_help(
                                            &m_app, m_app.get_name(), CLI::AppFormatMode::Normal));
            return 0;
        });
    }

    CLI::App m_app;
    Options m_options;
    bool m_expect = true;
    bool m_measure = false;
    bool m_strict = false;
    bool m_libraryDied = false;
    CLI::App* m_tune = nullptr; // writes its log
    std::vector<CLI::App*> m_listBooks;
    std::vector<CLI::App*> m_ofBooks;    // answer for each book apart
    std::vector<CLI::App*> m_readsFiles; // of inputs
    Run m_chosen;
};

} // namespace

} // namespace fw::cli

int main(int count, char** arguments) {
    fw::cli::openStandardDescriptors();
    fw::sweepAtSignals();
    // Read by libgomp when the first library brings it along: its threads spin for about 0.1 ms and
    // sleep then. By default they spin for several, and beside other work on cores that they need.
    if (std::getenv("OMP_WAIT_POLICY") == nullptr)
        ::setenv("GOMP_SPINCOUNT", "2000", 0);
    if (count == 2 && std::string_view(arguments[1]) == "--worker") {
        if (const std::string command = fw::takeWorkerCommand(); !command.empty())
            return fw::runRemoteWorker(command);
        else
            return fw::runWorker();
    }
    std::signal(SIGXFSZ, SIG_IGN); // a file that grows too large is an error of the write
    std::signal(SIGPIPE, SIG_IGN); // and a reader that goes away is none
    return fw::cli::Program().run({arguments, arguments + count});
}
