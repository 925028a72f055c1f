// NUMA nodes, asked of the kernel directly; a machine without them is one node, 0.
#pragma once

#include <cstddef>
#include <vector>

namespace ftprof::workload {

std::vector<int> memory_nodes();   // online nodes with CPUs
bool run_on_node(int node);        // the calling thread, from now on
int current_node();                // where the calling thread runs
int node_of(const void* address);  // of a resident page; -1 when unknown

}  // namespace ftprof::workload
