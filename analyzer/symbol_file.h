// One object file with what is known about its code: the file itself when its build id is the
// trace's, and its separate debug file wherever that lies.
//
// Looked for, in this order: DWARF in the file; FOLDER/.build-id/xx/yyyy.debug; .gnu_debuglink
// beside the file, in .debug/, and below FOLDER; debuginfod when asked. A dwz file is followed by
// libdw. A file that changed since the run is not used, but a debug file with the trace's build id
// still is.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "analyzer/dwarf_index.h"
#include "analyzer/symbol_table.h"
#include "analyzer/symbols.h"

namespace ftprof {

class SymbolFile {
 public:
  SymbolFile(const std::string& path, const std::string& build_id, const SymbolOptions& options);
  ~SymbolFile();

  // Innermost first; empty when nothing is known about the address.
  std::vector<Frame> find(uint64_t address);
  // Why nothing is known; empty when all is well.
  const std::string& warning() const { return warning_; }

 private:
  bool open(const std::string& path, const std::string& build_id);
  void warn_unusable(bool changed);
  bool open_debug_file(const std::string& build_id);
  void index();
  void add_symbol(std::vector<Frame>& frames, bool plain, uint64_t address) const;
  std::vector<Frame> frames_of(const std::vector<SourceFrame>& source) const;

  std::string path_;
  std::string warning_;
  const SymbolOptions& options_;
  struct Session;  // libdwfl's, with the callbacks' data
  std::unique_ptr<Session> session_;
  Dwfl_Module* module_ = nullptr;
  Dwarf_Addr dwarf_bias_ = 0;
  std::unique_ptr<DwarfIndex> dwarf_;
  std::unique_ptr<SymbolTable> symbols_;
};

}  // namespace ftprof
