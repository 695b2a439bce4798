// The one door to the library calls: nothing else in a module refers to them.
#include "runtime/module/contents.h"

extern "C" {
const fw::runtime::PrepareCall fw_prepare_call = fw::runtime::prepareCall;
}
