// Facts about the machine and the process, as the Process and Attribute events that begin a trace.
#pragma once

namespace ftprof {

// CPUs and page size: needed before anything else. The constructor's part.
void find_machine();

void write_facts();

}  // namespace ftprof
