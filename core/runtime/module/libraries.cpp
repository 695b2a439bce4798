// The one door to the library calls: nothing else in a module refers to them.
#include "runtime/module/contents.h"
#include "runtime/user_library.h"

extern "C" {
const fw::runtime::PrepareCall fw_prepare_call = fw::runtime::prepareCallInModule;
}
