#include "analyzer/mapping_table.h"

#include <sys/mman.h>

#include <algorithm>
#include <utility>

namespace ftprof {
namespace {

constexpr uint64_t kMostGuard = 1 << 20, kMostStack = 8 << 20, kArena = 64 << 20;
constexpr uint64_t kMostTrimmed = uint64_t{1} << 40;
const std::string kAnonymous = "anonymous", kStack = "[stack]", kHeap = "[heap]";
const std::string kThreadStacks = "thread stacks", kArenas = "arenas", kAllocator = "allocator";
const std::string kProfiler = "ftprof", kSmall = "small mappings";

bool is_anonymous(const trace::Mapping& mapping, const std::string& name) {
  return mapping.inode == 0 && (name.empty() || name.starts_with("[anon"));
}

// The rings that the collector reads, and the trace's own files, wherever the folder lies.
bool is_profilers(const std::string& name) {
  if (name.find("[perf_event]") != std::string::npos) return true;
  if (name.find("ftprof") == std::string::npos) return false;
  std::string_view file = std::string_view(name).substr(name.rfind('/') + 1);
  return file.starts_with("blocks_") || file.starts_with("faults_");
}

template <class Span>
void cut_out(ChunkMap<Span>& map, uint64_t begin, uint64_t end) {
  auto* entry = map.floor(begin);
  if (!entry || entry->value.end <= begin) entry = map.above(begin);
  while (entry && entry->key < end) {
    uint64_t key = entry->key;
    Span span = entry->value;
    map.erase(key);
    if (end < span.end) map.set(end, span);
    if (key < begin) {
      span.end = begin;
      map.set(key, span);
    }
    entry = map.above(std::max(key, begin));
    if (entry && entry->key >= end) break;
  }
}

}  // namespace

uint32_t MappingTable::name_index(const std::string& name) {
  auto at = std::find(names_.begin(), names_.end(), name);
  if (at == names_.end()) at = names_.insert(at, name);
  return static_cast<uint32_t>(at - names_.begin());
}

void MappingTable::line(const trace::Mapping& mapping, std::string_view name) {
  if (!lines_.empty() && mapping.pass != pass_) finish_pass();
  pass_ = mapping.pass;
  if (mapping.begin < mapping.end) lines_.push_back({mapping, std::string(name)});
}

bool MappingTable::finish_pass() {
  if (lines_.empty()) return false;
  std::sort(lines_.begin(), lines_.end(),
            [](const Line& a, const Line& b) { return a.mapping.begin < b.mapping.begin; });
  spans_ = {};
  for (size_t i = 0; i < lines_.size(); ++i) add_line(i);
  lines_.clear();
  ++passes_;
  return true;
}

void MappingTable::set(uint64_t begin, uint64_t end, Owner owner, const std::string& name) {
  if (begin < end) spans_.set(begin, {end, {owner, name_index(name)}});
}

void MappingTable::add_line(size_t i) {
  const auto& [mapping, name] = lines_[i];
  auto take = [&, &mapping = mapping](Owner owner, const std::string& as) {
    set(mapping.begin, mapping.end, owner, as);
  };
  if (name == "[heap]") return take(Owner::small_heap, kHeap);
  if (name.starts_with("[stack")) return take(Owner::stack, kStack);
  if (is_profilers(name)) return take(Owner::profiler, kProfiler);
  if (!is_anonymous(mapping, name)) return take(Owner::file, name);
  if (is_arena(i)) return take(Owner::small_heap, kArenas);
  if (!above_guard(i)) return take(Owner::other_anonymous, kAnonymous);
  uint64_t stack_end = std::min<uint64_t>(+mapping.end, mapping.begin + kMostStack);
  set(mapping.begin, stack_end, Owner::stack, kThreadStacks);
  set(stack_end, mapping.end, Owner::other_anonymous, kAnonymous);
}

bool MappingTable::above_guard(size_t i) const {
  if (i == 0 || !(lines_[i].mapping.prot & PROT_WRITE) || lines_[i].mapping.shared) return false;
  const auto& below = lines_[i - 1];
  return below.mapping.end == lines_[i].mapping.begin && below.mapping.prot == PROT_NONE &&
         is_anonymous(below.mapping, below.name) &&
         below.mapping.end - below.mapping.begin <= kMostGuard;
}

bool MappingTable::is_arena(size_t i) const {
  const trace::Mapping& mapping = lines_[i].mapping;
  if (mapping.begin % kArena != 0 || !(mapping.prot & PROT_WRITE)) return false;
  uint64_t end = mapping.begin + kArena;
  if (mapping.end == end) return true;
  if (i + 1 == lines_.size()) return false;
  const trace::Mapping& above = lines_[i + 1].mapping;
  return above.begin == mapping.end && above.prot == PROT_NONE && above.end >= end;
}

void MappingTable::claim(uint64_t begin, uint64_t end, Owner owner) {
  if (begin >= end) return;
  cut_out(claims_, begin, end);
  const std::string& name = owner == Owner::profiler ? kProfiler : kAllocator;
  claims_.set(begin, {end, {owner, name_index(name)}});
}

void MappingTable::claim_small(uint64_t begin, uint64_t end, Owner owner) {
  if (begin >= end) return;
  cut_out(small_, begin, end);
  small_.set(begin, {end, {owner, name_index(kSmall)}});
}

void MappingTable::unclaim(uint64_t begin, uint64_t end) {
  cut_out(claims_, begin, end);
  cut_out(small_, begin, end);
}

std::optional<MappingOwner> MappingTable::find(uint64_t addr) {
  for (auto* map : {&claims_, &spans_, &small_}) {
    auto* entry = map->floor(addr);
    if (entry && addr < entry->value.end) return entry->value.owner;
  }
  return above_heap(addr);
}

// The heap ended further up before free trimmed it; nothing else is ever mapped closely above it.
std::optional<MappingOwner> MappingTable::above_heap(uint64_t addr) {
  auto* below = spans_.floor(addr);
  if (!below || below->value.owner.owner != Owner::small_heap ||
      addr - below->value.end > kMostTrimmed)
    return std::nullopt;
  if (names_[below->value.owner.name] != kHeap) return std::nullopt;
  return below->value.owner;
}

}  // namespace ftprof
