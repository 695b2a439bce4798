// Commands that ask the worker once for each of several files.
#pragma once

#include "output.h"

namespace fw::cli {

// Each of the books, beside the others; the worst verdict decides. JSON of several is a list.
int checkBooks(Client& client, const snapshot::Arguments& arguments, Form form);

enum class FormatInto : std::uint8_t { Output, Check, Files };
// Each of the books by itself; likewise.
int formatBooks(Client& client, const snapshot::Arguments& arguments, FormatInto into, Form form);

int runTests(Client& client, const snapshot::Arguments& arguments, Form form);

// One model after another, each asked by itself, so that a library that ends the worker costs one.
int runVerify(Client& client, const snapshot::Arguments& arguments, Form form);

} // namespace fw::cli
