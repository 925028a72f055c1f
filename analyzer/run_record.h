// run.json: what only the parent of a run knows, beside the traces. docs/commands.md lists its
// keys.
#pragma once

#include "analyzer/profiled_run.h"

namespace ftprof {

// Written as run.json, or run.PID.json where another run (a rank, an earlier one) has that name.
// Readable by the owner only, never through a symbolic link; a failure is said and changes nothing.
void write_run_record(const RunPlan& plan, const RunDone& done);

}  // namespace ftprof
