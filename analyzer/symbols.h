// Names for addresses: function, file and line, inlined frames included, from DWARF and symbol
// tables by libdw.
//
// Addresses are ELF addresses (run-time address minus the module's bias), so a module that was
// unloaded and replaced is the caller's choice of handle, and one Symbols serves all processes of a
// run. Nothing is guessed: a file whose build id is not the trace's names nothing (one warning).
// Nothing is fetched from the network unless asked for. Not safe for concurrent use.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analyzer/result.h"

namespace ftprof {

class SymbolFile;

struct SymbolOptions {
  bool debuginfod = false;  // ask the servers of DEBUGINFOD_URLS for debug files
  std::vector<std::string> debug_folders = {"/usr/lib/debug"};
};

// What an address stands for.
enum class AddressKind {
  instruction,     // the faulting instruction itself
  return_address,  // the call is the instruction before it
};

class Symbols {
 public:
  explicit Symbols(SymbolOptions options = {});
  ~Symbols();

  // A handle for the file at `path` with the build id `build_id` (hex; empty: not known). Equal
  // arguments give equal handles. The file is opened at the first look-up.
  uint32_t module(const std::string& path, const std::string& build_id);

  // Innermost first, never empty: an unknown address gives one frame "??". The reference stays
  // valid as long as this object.
  const std::vector<Frame>& frames(uint32_t module, uint64_t address, AddressKind kind);

  // What the reader of the report must know, each once: files gone or changed since the run.
  std::vector<std::string> warnings() const;

 private:
  struct Module;
  std::vector<Frame> look_up(Module& module, uint64_t address);

  SymbolOptions options_;
  std::map<std::pair<std::string, std::string>, uint32_t> handles_;
  std::vector<std::unique_ptr<Module>> modules_;
};

}  // namespace ftprof
