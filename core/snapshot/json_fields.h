// The fields of records that are no list of FW_RECORD: those of other folders, and those that have
// an order. Included by the .cpp files of this folder only.
#pragma once

#include "snapshot/authoring_records.h"
#include "snapshot/drawing_records.h"
#include "snapshot/protocol.h"
#include "snapshot/schedule_records.h"

namespace fw {

constexpr auto wordsOf(Severity) {
    return std::to_array<std::string_view>({"note", "warning", "error"});
}

} // namespace fw

namespace fw::snapshot {

#define FW_FIELDS(Record, ...)                                                                     \
    constexpr std::string_view recordName(const Record*) {                                         \
        return #Record;                                                                            \
    }                                                                                              \
    template <class Visitor, class R>                                                              \
    requires std::is_same_v<std::remove_const_t<R>, Record>                                        \
    void fields(Visitor& v, R& r) {                                                                \
        __VA_ARGS__                                                                                \
    }

// clang-format off
FW_FIELDS(Where, v("file", r.file); v("node", r.node); v("line", r.line); v("column", r.column);)
FW_FIELDS(Diag, v("code", r.code); v("message", r.message); v("severity", r.severity); v("where", r.where);
          v("hint", r.hint);)
FW_FIELDS(BookSource, v("file", r.file); v("text", r.text);)
FW_FIELDS(SizeRange, v("least", r.least); v("most", r.most);)
// clang-format on

#undef FW_FIELDS

} // namespace fw::snapshot
