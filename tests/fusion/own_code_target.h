#pragma once

#include "target/target.h"

namespace fw::test {

inline Target ownCodeTarget() {
    return parseTarget("x86-64 -mcpu=x86-64-v3 -libs= -threads=2").value();
}

} // namespace fw::test
