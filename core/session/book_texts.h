// The books that a request names: files, or the text that stands for them.
#pragma once

#include "book/book.h"
#include "snapshot/protocol.h"

namespace fw {

// Of `texts`, those that say something: for a file of `rules`, or for a shipped book. Two for one
// file: the later one.
std::vector<snapshot::BookSource> textsFor(const std::vector<std::string>& rules,
                                           const std::vector<snapshot::BookSource>& texts);

// The text of one book: what stands for it, what is shipped under this name, or the file.
// FileMissing, FileTooLarge (also of a text).
Result<BookText> bookText(const std::string& file, const std::vector<snapshot::BookSource>& texts);

// The books of `rules` in their order, each behind those that it includes, then texts of shipped
// books that `rules` does not name.
Result<std::vector<BookText>> bookTexts(const std::vector<std::string>& rules,
                                        const std::vector<snapshot::BookSource>& texts);

// `format`: the text of arguments.book, laid out. A book that is shipped only is FileMissing.
Result<snapshot::FormatDocument> formatBook(const snapshot::Arguments& arguments);

// `book`: the text of a shipped book (arguments.name), or the list of them.
Result<snapshot::BookDocument> shippedBook(const snapshot::Arguments& arguments);

} // namespace fw
