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
FW_DOCUMENT(InfoDocument)
FW_DOCUMENT(GraphDocument)
FW_DOCUMENT(FuseDocument)
FW_DOCUMENT(ExplainDocument)
FW_DOCUMENT(MatchDocument)
FW_DOCUMENT(DiffDocument)
FW_DOCUMENT(DiffSideDocument)
FW_DOCUMENT(RunDocument)
FW_DOCUMENT(BenchDocument)
FW_DOCUMENT(ProfileDocument)
FW_DOCUMENT(TuneDocument)
FW_DOCUMENT(VerifyDocument)
FW_DOCUMENT(ValueDocument)
FW_DOCUMENT(StagesDocument)
FW_DOCUMENT(ExportDocument)
FW_DOCUMENT(BisectDocument)
FW_DOCUMENT(RewriteDocument)
FW_DOCUMENT(StepDocument)
FW_DOCUMENT(ScheduleDocument)
FW_DOCUMENT(SketchDocument)
FW_DOCUMENT(DrawingDocument)
FW_DOCUMENT(ProbeDocument)
FW_DOCUMENT(UsesDocument)
FW_DOCUMENT(OrderDocument)
FW_DOCUMENT(CheckDocument)
FW_DOCUMENT(AssistDocument)
FW_DOCUMENT(BookDocument)
FW_DOCUMENT(FormatDocument)
FW_DOCUMENT(OpsDocument)
FW_DOCUMENT(TestDocument)
FW_DOCUMENT(DoctorDocument)
FW_DOCUMENT(DrawDocument)
FW_DOCUMENT(Request)
FW_DOCUMENT(Progress)
#undef FW_DOCUMENT

// Result<Diag> would be ambiguous, so the error document is a Diag in a record of its own.
template <>
std::string toJson(const Diag& diag, JsonStyle style) {
    return Writer::text(diag, style);
}

} // namespace fw::snapshot
