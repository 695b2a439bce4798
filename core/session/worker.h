// `fw --worker`: requests in, progress and answers out, one JSON line each (snapshot/protocol.h).
#pragma once

namespace fw {

// Serves standard input until it ends. Returns the exit code.
int runWorker();

} // namespace fw
