// A worker on another machine, in front of which this process is one here: it answers the protocol
// (snapshot/protocol.h) on standard input and output by asking a worker that a command reaches,
// `ssh HOST fw --worker`.
//
// Before a request it sends the files that the request names and the other side has not, by their
// content (session/sent_files.h); behind it it fetches what was written. Paths in answers are those
// of this machine, and records of `tune` reach the log here as they are measured. A connection that
// is lost costs the request its answer (WorkerDied): the next one connects again.
#pragma once

#include <string>

namespace fw {

// Returns at the end of input. `command`: words as wordsOf() reads them.
int runRemoteWorker(const std::string& command);

// For workers that are reached so; empty: those of this machine are. What the environment variable
// FUSEWRIGHT_WORKER says, which ends with the call: what is started has it no more.
std::string takeWorkerCommand();

} // namespace fw
