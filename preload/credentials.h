// The collector's credentials follow the program's: when the program drops its privileges, libc
// changes every thread that it knows, and the collector is not one of them.
#pragma once

namespace ftprof {

// Takes on the ids of the thread `main_tid` where they differ from the calling thread's. Does
// nothing without /proc.
void follow_credentials(int main_tid);

}  // namespace ftprof
