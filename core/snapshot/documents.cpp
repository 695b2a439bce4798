#include "snapshot/documents.h"

#include "snapshot/json.h"

namespace fw::snapshot {

template <class Document>
std::string toJson(const Document& document, JsonStyle style) {
    return Writer::text(document, style);
}

template <class Document>
void writeJson(const Document& document, const JsonSink& sink) {
    Writer::pieces(document, sink);
}

template <class Document>
Result<Document> fromJson(std::string_view text) {
    Document document;
    if (auto diag = Reader(text).readAll(document))
        return std::move(*diag);
    return document;
}

template <class Document>
Result<Document> fromJson(Pieces text) {
    Document document;
    if (auto diag = Reader(std::move(text)).readAll(document))
        return std::move(*diag);
    return document;
}

#define FW_DOCUMENT(Document)                                                                      \
    template std::string toJson(const Document&, JsonStyle);                                       \
    template void writeJson(const Document&, const JsonSink&);                                     \
    template Result<Document> fromJson(std::string_view);                                          \
    template Result<Document> fromJson(Pieces);
#define FW_COMMAND(name, worker, Document, ...) FW_DOCUMENT(Document)
#define FW_INNER(worker, Document, about) FW_DOCUMENT(Document)
#define FW_OUTER(name, Document, ...) FW_DOCUMENT(Document)
#include "snapshot/commands.def"
FW_DOCUMENT(Request)
FW_DOCUMENT(Progress)
#undef FW_DOCUMENT

// Result<Diag> would be ambiguous, so the error document is a Diag in a record of its own.
template <>
std::string toJson(const Diag& diag, JsonStyle style) {
    return Writer::text(diag, style);
}

} // namespace fw::snapshot
