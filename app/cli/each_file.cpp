#include "each_file.h"

#include "base/files.h"
#include "onnx/model/tensor_file.h"
#include "session/book_texts.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace fw::cli {

using namespace snapshot;

int checkBooks(Client& client, const Arguments& arguments, Form form) {
    int worst = 0;
    const bool list = form == Form::Json && arguments.rules.size() > 1;
    // What cannot be read is told once, and declares nothing that the others know.
    std::map<std::string, Diag> unreadable;
    Arguments known = arguments;
    std::erase_if(known.rules, [&](const std::string& book) {
        const Result<BookText> text = bookText(book, arguments.texts);
        if (!text)
            unreadable.emplace(book, text.diag());
        return !text;
    });
    for (const std::string& book : arguments.rules) {
        Arguments one = known;
        one.book = book;
        if (list)
            write(standardOutput, book == arguments.rules.front() ? "[" : ",");
        else if (arguments.rules.size() > 1)
            write(standardOutput,
                  fmt::format("{}{}\n", book == arguments.rules.front() ? "" : "\n", book));
        if (const auto none = unreadable.find(book); none != unreadable.end()) {
            worst = std::max(worst, report(none->second, form));
            continue;
        }
        worst = std::max(
            worst,
            show<CheckDocument>(client, "check", one, form, [](const CheckDocument& document) {
                bool refused = hasErrors(document.diagnostics);
                bool failed = false;
                for (const CheckItem& item : document.items) {
                    refused = refused || item.verdict == "refused";
                    failed = failed || item.verdict == "failed" || item.verdict == "refuted";
                }
                return refused ? 2 : failed ? 1 : 0;
            }));
    }
    if (list)
        write(standardOutput, "]\n");
    return worst;
}

int formatBooks(Client& client, const Arguments& arguments, FormatInto into, Form form) {
    int worst = 0;
    std::string list;
    const auto refused = [&](const Diag& diag) {
        if (form == Form::Json)
            list += (list.empty() ? "" : ",") + toJson(diag);
        worst = std::max(worst, report(diag, Form::Text));
    };
    for (const std::string& book : arguments.rules) {
        Arguments one;
        one.book = book;
        const Result<std::string> answer = client.ask("format", one, progressLine());
        clearProgress();
        const Result<FormatDocument> document =
            answer ? fromJson<FormatDocument>(*answer) : Result<FormatDocument>(answer.diag());
        if (!document) {
            refused(document.diag());
            continue;
        }
        for (const Diag& diag : document->diagnostics)
            write(standardError, diag.text() + "\n");
        if (hasErrors(document->diagnostics)) {
            write(standardError, book + " is left as it is\n");
            worst = std::max(worst, 2);
        } else if (into == FormatInto::Output && form == Form::Text) {
            write(standardOutput, document->text);
        } else if (into != FormatInto::Output && document->changed) {
            Status written;
            if (into == FormatInto::Files)
                written = writeFile(book, document->text);
            if (!written) {
                refused(written.diag());
                continue;
            }
            if (form == Form::Text)
                write(standardOutput, book + "\n");
            worst = std::max(worst, into == FormatInto::Check ? 1 : 0);
        }
        if (form == Form::Json)
            list += (list.empty() ? "" : ",") + toJson(*document);
    }
    if (form == Form::Json)
        write(standardOutput, (arguments.rules.size() > 1 ? "[" + list + "]" : list) + "\n");
    return worst;
}

int runTests(Client& client, const Arguments& arguments, Form form) {
    TestDocument total;
    int wrong = 0; // a folder that is none, options that do not fit
    for (const std::string& folder : arguments.folders) {
        wrong = std::max(wrong, isTestFolder(folder) ? 0 : 2);
        Arguments one = arguments;
        one.folders = {folder};
        const Result<std::string> answer = client.ask("test", one, progressLine());
        clearProgress();
        Result<TestDocument> document =
            answer ? fromJson<TestDocument>(*answer) : Result<TestDocument>(answer.diag());
        CaseRecord row{folder, "crashed", {}};
        if (document && !document->cases.empty())
            row = document->cases.front();
        else if (!document && document.diag().code != DiagCode::WorkerDied) {
            row = {folder, "failed", document.diag().text()};
            wrong = std::max(wrong, exitCode(document.diag().code));
        } else if (!document)
            row.reason = document.diag().text();
        if (form == Form::Text)
            write(standardError, fmt::format("{}  {}\n", row.verdict.text(), row.name));
        ++total.total;
        ++(row.verdict == "passed"        ? total.passed
           : row.verdict == "unsupported" ? total.unsupported
           : row.verdict == "crashed"     ? total.crashed
                                          : total.failed);
        total.cases.push_back(std::move(row));
    }
    write(standardOutput, form == Form::Json ? toJson(total) + "\n" : render(total));
    return total.crashed > 0 ? 4 : wrong > 0 ? wrong : total.passed == total.total ? 0 : 1;
}

int runVerify(Client& client, const Arguments& arguments, Form form) {
    VerifyDocument all;
    int code = 0; // of what could not be verified; what differs comes before it
    std::int64_t differing = 0;
    for (const std::string& model : arguments.models) {
        Arguments one = arguments;
        one.models = {model};
        if (one.output.empty())
            one.output = "out";
        const Result<std::string> answer = client.ask("verify", one, progressLine());
        clearProgress();
        Result<VerifyDocument> document =
            answer ? fromJson<VerifyDocument>(*answer) : Result<VerifyDocument>(answer.diag());
        if (!document) {
            if (arguments.models.size() == 1)
                return report(document.diag(), form);
            code = std::max(code, report(document.diag(), Form::Text));
            all.models.emplace_back().model = model;
            all.models.back().notices = {document.diag().text()};
            continue;
        }
        if (form == Form::Text)
            write(standardOutput, render(*document));
        for (VerifyModel& done : document->models) {
            differing += done.differing;
            all.models.push_back(std::move(done));
        }
        all.target = document->target;
    }
    if (form == Form::Json)
        write(standardOutput, toJson(all) + "\n");
    return differing > 0 || client.lostLibrary() ? 1 : code;
}

} // namespace fw::cli
