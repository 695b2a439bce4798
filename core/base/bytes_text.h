// Bytes for people.
#pragma once

#include <string>

namespace fw {

std::string textOfBytes(double bytes); // "3.6 MB"

} // namespace fw
