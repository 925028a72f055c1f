// Code addresses of one image, fixed at first sight to the module that is loaded there: after a
// dlclose the same address may be other code.
#pragma once

#include <cstdint>

#include "analyzer/chunk_map.h"
#include "analyzer/flat_map.h"
#include "analyzer/image_tally.h"

namespace ftprof {

class CodeTable {
 public:
  explicit CodeTable(ImageTally& tally) : tally_(tally) {}

  void load(const trace::Module& module, std::string_view path);
  void unload(uint64_t begin, uint64_t end);
  // Indices into ImageTally::code.
  uint32_t instruction(uint64_t address) { return place(address, false); }
  uint32_t return_address(uint64_t address) { return place(address, true); }
  // The module that is loaded at `address` now, or kNone.
  uint32_t module_at(uint64_t address);

  static constexpr uint32_t kNone = 0xFFFFFFFF;

 private:
  uint32_t place(uint64_t address, bool return_address);
  void new_epoch();

  ImageTally& tally_;
  ChunkMap<uint32_t> loaded_;  // by begin
  FlatMap<uint64_t, uint32_t> places_;
  uint64_t epoch_ = 0;     // of unloads: what was met before one is met anew after it
  bool nameless_ = false;  // some place of this epoch has no module
  uint64_t last_address_ = 0;
  uint32_t last_place_ = kNone;
};

}  // namespace ftprof
