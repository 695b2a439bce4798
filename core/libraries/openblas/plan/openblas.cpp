#include "libraries/cblas/plan/products.h"

namespace fw {

// Measured on an EPYC 9004 by tests/bench/calls.cpp.
static constexpr Efficiency reached[] = {
    {WorkClass::Product, 0.8, 0.4},
    {WorkClass::FewRows, 0.3, 0.2},
};

std::shared_ptr<const Library> makeOpenBlas() {
    return makeProducts(runtime::LibraryId::OpenBlas, "openblas.sgemm", 12, reached);
}

} // namespace fw
