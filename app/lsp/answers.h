// The records of the engine as the Language Server Protocol writes them.
#pragma once

#include "app/lsp/checks.h"
#include "app/lsp/documents.h"
#include "app/rpc/message.h"

namespace fw::lsp {

using rpc::Json;

// What the editor understands, of its capabilities.
struct Client {
    Encoding encoding = Encoding::Utf16;
    bool takesInsertOrReplace = false; // of a completion
    bool takesVersions = false;        // of a text that is edited
    bool takesTrees = false;           // of symbols
    bool takesRelated = false;         // places of a diagnostic
    bool takesSnippets = false;        // of a completion

    explicit Client(const Json& capabilities);
    Client() = default;
};

Json jsonOf(const Range& range);
// Throws what Json throws.
Position positionIn(const Json& params);
Range rangeOf(const Json& range);

Json completionsOf(const snapshot::AssistDocument& found, const Document& document,
                   Position position, const Client& client);
Json hoverOf(const snapshot::AssistDocument& found, const Document& document);
Json symbolsOf(const Document& document, const Client& client);
Json editsOf(const snapshot::FormatDocument& laidOut, const Document& document);
Json diagnosticsOf(const Checked& checked, const Documents& all, const Client& client);
// Fixes of what is marked in the range.
Json actionsOf(const Checked& checked, const Range& range, const Client& client);

// Places of other books, each of which is read once.
class Locations {
public:
    Locations(const Documents& all, Encoding encoding) : m_all(all), m_encoding(encoding) {}

    // null: the text cannot be had.
    Json of(const snapshot::LocationRecord& location);

private:
    struct Known {
        std::string uri;
        std::shared_ptr<const Text> text;
    };
    Known read(const std::string& file, bool isShipped) const;

    const Documents& m_all;
    Encoding m_encoding;
    std::map<std::pair<std::string, bool>, Known> m_known;
};

} // namespace fw::lsp
