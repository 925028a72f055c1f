#include "analyzer/address_history.h"

#include <algorithm>

namespace ftprof {
namespace {

Past cut(const Past& past, uint64_t begin, uint64_t from, uint64_t to) {
  Past part = past;
  double share = static_cast<double>(to - from) / static_cast<double>(past.end - begin);
  part.end = to;
  part.idle_pages *= share;
  part.purged_pages *= share;
  part.offered_pages *= share;
  return part;
}

}  // namespace

void AddressHistory::put(uint64_t begin, const Past& past) {
  idle_pages_ += past.idle_pages;
  map_.set(begin, past);
}

void AddressHistory::drop(uint64_t begin, const Past& past) {
  idle_pages_ -= past.idle_pages;
  map_.erase(begin);
}

void AddressHistory::add(uint64_t begin, const Past& past) {
  if (begin >= past.end) return;
  take(begin, past.end);
  put(begin, past);
}

std::vector<PastPart> AddressHistory::take(uint64_t begin, uint64_t end) {
  std::vector<PastPart> parts;
  if (begin >= end) return parts;
  auto* entry = map_.floor(begin);
  if (!entry || entry->value.end <= begin) entry = map_.above(begin);
  while (entry && entry->key < end) {
    uint64_t key = entry->key;
    Past past = entry->value;
    uint64_t from = std::max(key, begin), to = std::min(past.end, end);
    drop(key, past);
    if (key < from) put(key, cut(past, key, key, from));
    if (to < past.end) put(to, cut(past, key, to, past.end));
    parts.push_back({from, cut(past, key, from, to)});
    entry = map_.above(to - 1);
  }
  return parts;
}

Past* AddressHistory::find(uint64_t addr) {
  auto* entry = map_.floor(addr);
  return entry && addr < entry->value.end ? &entry->value : nullptr;
}

}  // namespace ftprof
