// The books that others include.
//
// A path is relative to the folder of the book in which it stands and may lead upwards. An included
// book is read before the one that names it, and once, however often it is named; its file is the
// path from where the including book was given, so that messages lead to it.
#pragma once

#include "book/book.h"

#include <functional>

namespace fw {

constexpr std::size_t mostIncluded = 1000; // books, all together

// The text of a file; the one place where a book that is included is opened.
using BookOpener = std::function<Result<std::string>(const std::string& file)>;

// The given books with those that they include before them. What is wrong with an `include` (no
// such file, a circle) stands in BookText::problems of the book that has it.
std::vector<BookText> withIncluded(std::vector<BookText> given, const BookOpener& open);

// Whether two paths lead to one file.
bool isSameBook(const std::string& a, const std::string& b);

// The file that an `include` of a book names.
std::string includedFile(const std::string& book, const std::string& path);

} // namespace fw
