// Allocators' private entries (private_api.def), wrapped where one that exports them is loaded.
#pragma once

namespace ftprof {

// Looks for such allocators among the loaded objects and makes the other objects' calls of those
// entries come here first. What the program finds by dlsym, and what it loads later, stays as it
// is. Costs a few hash lookups where there is none.
void wrap_private_entries();

}  // namespace ftprof
