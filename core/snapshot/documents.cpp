#include "snapshot/documents.h"

#include "snapshot/json.h"

namespace fw::snapshot {

Json Writer::write(DiagCode code) {
    return Json(std::string(codeText(code)));
}

Json Writer::write(Severity severity) {
    switch (severity) {
    case Severity::Note:
        return Json("note");
    case Severity::Warning:
        return Json("warning");
    case Severity::Error:
        return Json("error");
    }
    return Json("error");
}

void Reader::read(const Json& in, DiagCode& out, const std::string& path,
                  std::optional<Diag>& diag) {
    if (!in.is_string())
        return wrong(path, "a code", diag);
    const std::string& text = in.get_ref<const std::string&>();
    out = DiagCode::Internal; // a code of a newer version
#define FW_X(name, code, exit, meaning)                                                            \
    if (text == code)                                                                              \
        out = DiagCode::name;
    FW_DIAG_CODES(FW_X)
#undef FW_X
}

void Reader::read(const Json& in, Severity& out, const std::string& path,
                  std::optional<Diag>& diag) {
    if (!in.is_string())
        return wrong(path, "a severity", diag);
    const std::string& text = in.get_ref<const std::string&>();
    out = text == "note" ? Severity::Note : text == "warning" ? Severity::Warning : Severity::Error;
}

template <class Document>
std::string toJson(const Document& document, JsonStyle style) {
    return print(Writer::write(document), style);
}

template <class Document>
Result<Document> fromJson(std::string_view text) {
    const Json value = Json::parse(text, nullptr, false);
    if (value.is_discarded())
        return makeDiag(DiagCode::Syntax, "the document is not JSON");
    if (!value.is_object())
        return makeDiag(DiagCode::Syntax, "the document is not a JSON object");
    Document document;
    std::optional<Diag> diag;
    Reader::read(value, document, {}, diag);
    if (diag)
        return *diag;
    return document;
}

#define FW_DOCUMENT(Document)                                                                      \
    template std::string toJson(const Document&, JsonStyle);                                       \
    template Result<Document> fromJson(std::string_view);
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
FW_DOCUMENT(RewriteDocument)
FW_DOCUMENT(CheckDocument)
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
    return print(Writer::write(diag), style);
}

} // namespace fw::snapshot
