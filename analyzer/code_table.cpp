#include "analyzer/code_table.h"

#include <algorithm>
#include <cstring>

namespace ftprof {
namespace {

// The three fields hold the id's bytes in their order, as they lie in memory.
std::vector<uint8_t> build_id_of(const trace::Module& module) {
  uint8_t bytes[20];
  std::memcpy(bytes, &module.build_id_high, 8);
  std::memcpy(bytes + 8, &module.build_id_mid, 8);
  std::memcpy(bytes + 16, &module.build_id_low, 4);
  return {bytes, bytes + std::min<size_t>(module.build_id_bytes, sizeof bytes)};
}

}  // namespace

void CodeTable::load(const trace::Module& module, std::string_view path) {
  auto* known = loaded_.find(module.begin);
  if (known && tally_.modules[known->value].path == path) return;
  tally_.modules.push_back(
      {std::string(path), module.begin, module.end, module.bias, build_id_of(module)});
  loaded_.set(module.begin, static_cast<uint32_t>(tally_.modules.size() - 1));
  // What was met here without a module can be named from now on.
  if (nameless_) new_epoch();
}

void CodeTable::new_epoch() {
  ++epoch_;
  nameless_ = false;
  last_place_ = kNone;
}

void CodeTable::unload(uint64_t begin, uint64_t) {
  loaded_.erase(begin);
  new_epoch();
}

uint32_t CodeTable::module_at(uint64_t address) {
  auto* entry = loaded_.floor(address);
  return entry && address < tally_.modules[entry->value].end ? entry->value : kNone;
}

uint32_t CodeTable::place(uint64_t address, bool return_address) {
  uint64_t key = mix(address * 2 + return_address) ^ mix(epoch_);
  if (key == last_address_ && last_place_ != kNone) return last_place_;
  uint32_t& number = places_[key];  // 0: not met yet
  if (number == 0) {
    uint32_t module = module_at(address - return_address);
    nameless_ |= module == kNone;
    tally_.code.push_back({address, module, return_address});
    number = static_cast<uint32_t>(tally_.code.size());
  }
  last_address_ = key;
  return last_place_ = number - 1;
}

}  // namespace ftprof
