// What `fw` writes: documents as text or JSON, errors, the line of progress.
#pragma once

#include "client.h"
#include "render.h"

#include <functional>

namespace fw::cli {

enum class Form : std::uint8_t { Text, Json };

constexpr int standardOutput = 1, standardError = 2; // descriptors

// Those that are closed are held by what can neither be read nor written, so that no pipe or file
// that is opened later takes their numbers.
void openStandardDescriptors();

void write(int descriptor, const std::string& text);
int outputError(); // of standard output, which may be a file on a full disk; 0: none
int report(const Diag& diag, Form form);
Client::ShowProgress progressLine();
void clearProgress();

// Prints, and lets `verdict` turn a document into an exit code.
template <class Document>
int print(const Result<Document>& document, Form form,
          const std::function<int(const Document&)>& verdict = {}) {
    clearProgress();
    if (!document)
        return report(document.diag(), form);
    write(standardOutput,
          form == Form::Json ? snapshot::toJson(*document) + "\n" : render(*document));
    return verdict ? verdict(*document) : 0;
}

template <class Document>
int show(Client& client, const std::string& command, const snapshot::Arguments& arguments,
         Form form, const std::function<int(const Document&)>& verdict = {}) {
    const Result<std::string> answer = client.ask(command, arguments, progressLine());
    return print(answer ? snapshot::fromJson<Document>(*answer) : Result<Document>(answer.diag()),
                 form, verdict);
}

} // namespace fw::cli
