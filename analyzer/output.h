// Where a result goes: a file, or standard output for "-" and "". The file appears under its name
// only when it is complete, so that a reader never sees half a report.
#pragma once

#include <fstream>
#include <ostream>
#include <string>

namespace ftprof {

class Output {
 public:
  // Throws BadInput when the file cannot be made.
  explicit Output(std::string path);
  ~Output();  // what was not committed is removed
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  std::ostream& stream();
  // Everything has been written. Throws BadInput when it could not be (a full disk, a closed pipe).
  void commit();

 private:
  bool to_file() const { return !path_.empty() && path_ != "-"; }

  std::string path_, unfinished_;
  std::ofstream file_;
};

}  // namespace ftprof
