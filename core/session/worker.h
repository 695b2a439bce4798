// `fw --worker`: requests in, progress and answers out, one JSON line each (snapshot/protocol.h).
#pragma once

namespace fw {

// Serves standard input until it ends. Returns the exit code.
int runWorker();

// Milliseconds from the start of this program until its worker took requests: loading it and its
// libraries (processor time, there is no clock before main) and what came after.
double processStartMs();

} // namespace fw
