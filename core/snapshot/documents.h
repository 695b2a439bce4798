// The JSON documents of resources/docs/command-line.md, read and written in one place for `fw
// --json`, the worker and the window.
//
//     std::string text = toJson(info);
//     FW_TRY(auto again, fromJson<InfoDocument>(text));
//
// Reading is total: unknown fields are skipped, missing ones keep their defaults, a wrong type or
// text that is not JSON gives a Diag that names the field ("groups[3].name"). Nothing throws. An
// optional without a value and a number that is not finite are written as null. Error documents are
// fw::Diag, written as {code, message, severity, where{file,node,line,column}, hint}.
#pragma once

#include "base/result.h"
#include "snapshot/authoring_records.h"
#include "snapshot/drawing_records.h"
#include "snapshot/help_records.h"
#include "snapshot/records.h"
#include "snapshot/schedule_records.h"
#include "snapshot/step_records.h"

#include <deque>
#include <functional>
#include <string>
#include <string_view>

namespace fw::snapshot {

enum class JsonStyle : std::uint8_t { Line, Indented };

// They exist for every document of commands.def, for Diag, Request and Progress (protocol.h).
template <class Document>
std::string toJson(const Document& document, JsonStyle style = JsonStyle::Line);
// The same on one line, piece by piece: the text of a large document never is there as a whole.
using JsonSink = std::function<void(std::string_view piece)>;
template <class Document>
void writeJson(const Document& document, const JsonSink& sink);
template <class Document>
Result<Document> fromJson(std::string_view text);
// Of a text in pieces, cut anywhere; a piece goes as soon as it is read.
using Pieces = std::deque<std::string>;
template <class Document>
Result<Document> fromJson(Pieces text);

} // namespace fw::snapshot
