// What models say in our name.
#pragma once

namespace fw {

// The domain of operators of the library that no public one has.
inline constexpr const char* ownDomain = "fusewright";
// The metadata of a model under this key is the `.fw` text of operators that its nodes are: the
// writer puts it there for operators of books, so that the model opens without the book.
inline constexpr const char* operatorsKey = "fusewright.operators";

} // namespace fw
