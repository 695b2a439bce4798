// The operator library: the texts of resources/library and the native operators, behind one
// interface.
#pragma once

#include "ir/operator.h"

#include <memory>

namespace fw {

// Made once; a mistake in the shipped texts is an InternalError.
std::shared_ptr<const OperatorSet> standardOperators();

// A file of the library as it is shipped.
struct LibraryText {
    std::string file; // "window.fw"
    std::string_view text;
};
std::vector<LibraryText> libraryTexts();

// Operators of a text, added to those of `base`. All errors of the text are in `errors`; the valid
// ones stay.
std::shared_ptr<const OperatorSet> withOperators(const OperatorSet& base, std::string_view text,
                                                 const std::string& file, Diags& errors);

// Operators that a model carries: those whose names `base` does not have, at most this many.
constexpr std::size_t mostOfModel = 64;
std::shared_ptr<const OperatorSet> withModelOperators(const OperatorSet& base,
                                                      std::string_view text,
                                                      const std::string& file, Diags& errors);

} // namespace fw
