// What the canned worker says of texts: of every line `rule NAME`, of the word `rellu`, and of the
// operators of the canned network.
#pragma once

#include "snapshot/protocol.h"

#include <string>

namespace fw::fake {

// The text that stands for the file, or what it holds.
std::string textOf(const snapshot::Arguments& arguments, const std::string& file);
// Every rule is fine, every `rellu` is an unknown operator with a fix.
snapshot::CheckDocument check(const std::string& file, const std::string& text);
// A rule matches the relus of the imported graph (ids 5 and 9) if its text says `relu(`, and nearly
// matches the softmax (10); `x` is bound to what they read.
snapshot::MatchDocument match(const std::string& stage, const std::string& file,
                              const std::string& text);
// my_rule of every book, then fold_batch_norm, which is never asked if there is a book.
snapshot::OrderDocument order(const snapshot::Arguments& arguments);
// Operators complete a word, hover tells the word, every name is defined on line 1 of simplify.fw.
snapshot::AssistDocument assist(const std::string& text, const snapshot::TextPlace& place);
// Two shipped books.
// One blank for several; without a brace it is wrong.
snapshot::FormatDocument format(const std::string& file, const std::string& text);
snapshot::BookDocument book(const std::string& name);

} // namespace fw::fake
