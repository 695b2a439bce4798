#include "base/decision.h"

namespace fw {

namespace {

struct ReasonRow {
    std::string_view text;
    std::string_view sentence;
};

constexpr ReasonRow reasonRows[] = {
#define FW_X(name, text, sentence) {text, sentence},
    FW_REASON_CODES(FW_X)
#undef FW_X
};

} // namespace

std::string_view codeText(ReasonCode code) {
    return reasonRows[static_cast<std::size_t>(code)].text;
}

std::string_view codeSentence(ReasonCode code) {
    return reasonRows[static_cast<std::size_t>(code)].sentence;
}

std::string_view verdictText(Verdict verdict) {
    switch (verdict) {
    case Verdict::No:
        return "no";
    case Verdict::Yes:
        return "yes";
    case Verdict::Note:
        return "note";
    }
    return "note";
}

std::string Decision::sentence() const {
    std::string out(codeSentence(code));
    if (auto place = out.find("{}"); place != std::string::npos)
        out.replace(place, 2, evidence);
    return out;
}

} // namespace fw
