#include "analyzer/live_blocks.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace ftprof {

bool is_mapping(trace::Api api) {
  return api == trace::Api::mmap || api == trace::Api::mremap || api == trace::Api::brk;
}

namespace {
uint8_t layer_of(trace::Api api) {
  if (is_mapping(api)) return 0;
  return api == trace::Api::pool ? 2 : 1;
}
}  // namespace

LiveBlocks::Found LiveBlocks::find(uint64_t addr) {
  Found found{kNoBlock, std::numeric_limits<uint64_t>::max()};
  for (int layer = kLayers - 1; layer >= 0; --layer) {
    auto& map = layers_[layer];
    if (map.empty()) continue;
    auto* entry = map.floor(addr);
    if (entry && addr < blocks_[entry->value].end()) {
      found.block = entry->value;
      found.upto = std::min(found.upto, blocks_[entry->value].end());
      return found;
    }
    if (auto* next = map.above(addr)) found.upto = std::min(found.upto, next->key);
  }
  return found;
}

uint32_t LiveBlocks::at(uint64_t addr) {
  for (int layer = kLayers - 1; layer >= 0; --layer)
    if (auto* entry = layers_[layer].find(addr)) return entry->value;
  return kNoBlock;
}

uint32_t LiveBlocks::beginning_in(uint64_t addr, uint64_t limit) {
  for (int layer = kLayers - 1; layer >= 0; --layer)
    if (auto* entry = layers_[layer].above(addr); entry && entry->key < limit) return entry->value;
  return kNoBlock;
}

std::vector<uint32_t> LiveBlocks::overlapping(uint64_t begin, uint64_t end) {
  std::vector<uint32_t> found;
  for (auto& layer : layers_) {
    auto* entry = layer.floor(begin);
    if (!entry || blocks_[entry->value].end() <= begin) entry = layer.above(begin);
    while (entry && entry->key < end) {
      found.push_back(entry->value);
      entry = layer.above(entry->key);
    }
  }
  return found;
}

std::vector<uint32_t> LiveBlocks::displaced_by(const LiveBlock& block) {
  uint8_t layer = layer_of(block.api);
  std::vector<uint32_t> found;
  for (uint32_t each : overlapping(block.addr, block.end()))
    if (blocks_[each].layer == layer) found.push_back(each);
  return found;
}

uint32_t LiveBlocks::add(LiveBlock block) {
  block.layer = layer_of(block.api);
  block.serial = ++serial_;
  block.pages.serial = block.serial;
  uint32_t at;
  if (free_.empty()) {
    at = static_cast<uint32_t>(blocks_.size());
    blocks_.push_back(std::move(block));
  } else {
    at = free_.back();
    free_.pop_back();
    blocks_[at] = std::move(block);
  }
  put_back(at);
  return at;
}

void LiveBlocks::put_back(uint32_t block) {
  layers_[blocks_[block].layer].set(blocks_[block].addr, block);
  ++generation_;
}

void LiveBlocks::take_out(uint32_t block) {
  layers_[blocks_[block].layer].erase(blocks_[block].addr);
  ++generation_;
}

void LiveBlocks::discard(uint32_t block) {
  free_.push_back(block);
}

}  // namespace ftprof
