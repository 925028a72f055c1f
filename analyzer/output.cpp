#include "analyzer/output.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iostream>

#include "analyzer/bad_input.h"

namespace ftprof {

namespace {

// /dev/stdout, a pipe, a terminal: written to, never replaced.
bool is_special(const std::string& path) {
  struct stat info;
  return stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode);
}

}  // namespace

Output::Output(std::string path) : path_(std::move(path)) {
  if (!to_file()) return;
  unfinished_ = is_special(path_) ? path_ : path_ + ".part" + std::to_string(getpid());
  file_.open(unfinished_, std::ios::binary);
  if (!file_)
    throw BadInput(path_ + ": cannot be written: " + std::strerror(errno) +
                   "; give another file, or - for standard output");
}

Output::~Output() {
  if (!unfinished_.empty() && unfinished_ != path_) std::remove(unfinished_.c_str());
}

std::ostream& Output::stream() {
  return to_file() ? file_ : std::cout;
}

void Output::commit() {
  stream().flush();
  bool failed = !stream();
  if (to_file()) file_.close();
  if (failed || (to_file() && !file_))
    throw BadInput((to_file() ? path_ : "standard output") + ": not everything could be written");
  if (!to_file()) return;
  if (unfinished_ != path_ && std::rename(unfinished_.c_str(), path_.c_str()) != 0)
    throw BadInput(path_ + ": cannot be replaced: " + std::strerror(errno));
  unfinished_.clear();
}

}  // namespace ftprof
