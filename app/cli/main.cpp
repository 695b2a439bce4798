// fw: the engine from a terminal. Commands are rows of snapshot/commands.def; each asks the worker
// and shows its document.
#include "given.h"
#include "options.h"
#include "output.h"
#include "runs.h"
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
#include "session/version.h"
#include "session/worker.h"

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

enum class Telling : std::uint8_t { Tell, Leave };

// Whether something is wrong with the books of the user; it is told where the answer itself does
// not say it. What is right in them is used.
bool tellBooksOf(const Arguments& given, Telling telling) {
    const Result<Arguments> arguments = withDocument(given);
    if (!arguments)
        return false; // the answer says why
    bool wrong = false;
    const auto tell = [&](const Diags& diags) {
        for (const Diag& diag : diags)
            if (diag.severity == Severity::Error) {
                wrong = true;
                if (telling == Telling::Tell)
                    write(standardError, diag.text() + "\n");
            }
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
                if (!ofModel || !kindOf(item.kind).isOfModel)
                    tell(item.diagnostics);
        }
        tell(books->ofWholeBooks);
    }
    return wrong;
}

bool tellBooks(const Arguments& given, Telling telling) {
    Arguments one = given;
    bool wrong = tellBooksOf(one, telling);
    for (const std::string& model : given.models)
        if (one.model = model; isBookOfItsOwn(model))
            wrong = tellBooksOf(one, telling) || wrong;
    return wrong;
}

Status finish(Asked& asked) {
    FW_CHECK(takeGiven(asked));
    if (!asked.machine.empty()) {
        FW_TRY(asked.target, onMachine(asked.target, asked.machine));
    }
    if (!asked.worker.empty())
        if (const auto words = wordsOf(asked.worker); !words)
            return words.diag();
    asked.agreed = librariesNamed(asked);
    if (!asked.place.empty()) {
        const std::size_t colon = asked.place.find(':');
        const auto line = parseInteger(asked.place.substr(0, colon));
        const auto column =
            parseInteger(colon == std::string::npos ? "" : asked.place.substr(colon + 1));
        constexpr std::int64_t most = std::numeric_limits<int>::max();
        if (!line || !column || *line < 1 || *column < 1 || *line > most || *column > most)
            return makeDiag(DiagCode::Usage, "a place is LINE:COLUMN, not " + asked.place);
        asked.position =
            TextPlace{asked.ofBook, static_cast<int>(*line), static_cast<int>(*column)};
    }
    return {};
}

class CommandLine {
public:
    CommandLine()
        : m_app(
              "Fusewright: see what fuses and why, compile, time and export deep-learning graphs") {
        m_app.require_subcommand(1);
        m_app.set_version_flag("--version", fmt::format("fw {}", programVersion));
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
        if (words.size() == 1)
            words.push_back("--help");
        for (const CommandRow& row : commandRows())
            if (!row.name.empty())
                addCommand(m_app, row, m_asked)->callback([this, &row] { m_row = &row; });
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
            return report(notUnderstood(m_app, error, *whole), form);
        }
        if (const Status given = understand(); !given)
            return report(given.diag(), form);
        return carryOut(*m_row);
    }

    // What is typed as a question, or what is wrong with it whatever the model is.
    Status understand() {
        FW_CHECK(finish(m_asked));
        if (const auto& files = m_asked.inputs; !files.empty() && !m_row->has(ReadsFiles))
            return makeDiag(DiagCode::Usage,
                            fmt::format("{} is no value for input {}",
                                        beginningOf(files.begin()->second), files.begin()->first),
                            {}, "a number, true, false or a list; files are for what runs a model");
        return m_row->has(ChecksBooks) ? Status() : checkGiven(m_asked, m_row->has(WritesLog));
    }

    int carryOut(const CommandRow& row) {
        if (row.name == "help")
            return runHelp(m_asked, [&] { return list(); });
        const bool wrong = !row.has(ChecksBooks) &&
                           tellBooks(m_asked, row.has(ListsBooks) ? Telling::Leave : Telling::Tell);
        if (const std::string usual = takeWorkerCommand(); m_asked.worker.empty())
            m_asked.worker = usual;
        Client client(
            [](const Diag& warning) {
                clearProgress();
                write(standardError, warning.text() + "\n");
            },
            m_asked.worker);
        const int code = runOf(row)(client, m_asked);
        return code == 0 && wrong ? exitCode(DiagCode::Syntax) : code;
    }

    // Of one command, or of all: help() of the program is that of the command which was found.
    std::string list() const {
        const CLI::App* of = m_asked.name.empty() ? &m_app : m_app.get_subcommand(m_asked.name);
        return of->get_formatter()->make_help(of, of->get_name(), CLI::AppFormatMode::Normal);
    }

    static int tell(const char* what, const std::string& text, Form form) {
        nlohmann::json document;
        document[what] = text;
        write(standardOutput, form == Form::Json     ? document.dump() + "\n"
                              : text.ends_with('\n') ? text
                                                     : text + "\n");
        return 0;
    }

    CLI::App m_app;
    Asked m_asked;
    const CommandRow* m_row = nullptr; // the command that was typed
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
    return fw::cli::CommandLine().run({arguments, arguments + count});
}
