// What a library with the C interface of BLAS computes: single-precision matrix products. It
// absorbs nothing.
#pragma once

#include "extern/adapter.h"

namespace fw {

// `call`: the name and the priority of its only implementation.
std::shared_ptr<const Library> makeProducts(runtime::LibraryId library, std::string call,
                                            int priority, std::span<const Efficiency> reached);

} // namespace fw
