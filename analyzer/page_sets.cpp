#include "analyzer/page_sets.h"

#include <algorithm>
#include <utility>

namespace ftprof {
namespace {

// Bits [begin, end) of word `word` in a bitmap whose bits are numbered from 0.
uint64_t word_mask(size_t word, uint64_t begin, uint64_t end) {
  uint64_t low = std::max<uint64_t>(begin, word * 64) - word * 64;
  uint64_t high = std::min<uint64_t>(end, word * 64 + 64) - word * 64;
  uint64_t upto = high == 64 ? ~uint64_t{0} : (uint64_t{1} << high) - 1;
  return upto & ~((uint64_t{1} << low) - 1);
}

template <class Visit>
void for_words(uint64_t begin, uint64_t end, Visit visit) {
  if (begin >= end) return;
  for (size_t word = begin / 64; word <= (end - 1) / 64; ++word)
    visit(word, word_mask(word, begin, end));
}

}  // namespace

uint32_t PageSets::find(const PageList& list, uint64_t region) const {
  if (list.last != kNoChunk && chunks_[list.last].region == region) return list.last;
  if (list.chunks > kSearched) {
    auto at = index_.find({list.serial, region});
    return at == index_.end() ? kNoChunk : at->second;
  }
  for (uint32_t at = list.head; at != kNoChunk; at = chunks_[at].next)
    if (chunks_[at].region == region) return at;
  return kNoChunk;
}

uint32_t PageSets::take_chunk() {
  if (free_.empty()) {
    chunks_.emplace_back();
    return static_cast<uint32_t>(chunks_.size() - 1);
  }
  uint32_t at = free_.back();
  free_.pop_back();
  return at;
}

uint32_t PageSets::add(PageList& list, uint64_t region) {
  uint32_t at = take_chunk();
  chunks_[at] = Chunk{region, {}, {}, {}, list.head};
  list.head = at;
  if (++list.chunks == kSearched + 1) {
    for (uint32_t each = at; each != kNoChunk; each = chunks_[each].next)
      index_[{list.serial, chunks_[each].region}] = each;
  } else if (list.chunks > kSearched) {
    index_[{list.serial, region}] = at;
  }
  return at;
}

PageSets::Chunk& PageSets::find_or_add(PageList& list, uint64_t region) {
  uint32_t at = find(list, region);
  if (at == kNoChunk) at = add(list, region);
  list.last = at;
  return chunks_[at];
}

Touched PageSets::touch(PageList& list, uint64_t first, uint64_t pages) {
  Touched result;
  for (uint64_t page = first, end = first + pages; page < end;) {
    uint64_t region = page / kChunkPages, base = region * kChunkPages;
    uint64_t upto = std::min(end, base + kChunkPages);
    Chunk& chunk = find_or_add(list, region);
    for_words(page - base, upto - base, [&](size_t word, uint64_t mask) {
      uint64_t twice = chunk.touched[word] & mask, thrice = chunk.again[word] & twice;
      result.first += std::popcount(mask & ~twice);
      result.again += std::popcount(twice & ~thrice);
      result.more += std::popcount(thrice);
      chunk.touched[word] |= mask;
      chunk.ever[word] |= mask;
      chunk.again[word] |= twice;
    });
    page = upto;
  }
  return result;
}

bool PageSets::twice(const PageList& list, uint64_t page) const {
  uint32_t at = find(list, page / kChunkPages);
  uint64_t bit = page % kChunkPages;
  return at != kNoChunk && (chunks_[at].again[bit / 64] >> (bit % 64) & 1) != 0;
}

void PageSets::count_chunk(const Chunk& chunk, uint64_t begin, uint64_t end, PageCounts& counts) {
  uint64_t base = chunk.region * kChunkPages;
  uint64_t low = std::max(begin, base), high = std::min(end, base + kChunkPages);
  if (low >= high) return;
  uint64_t touched = 0, ever = 0;
  for_words(low - base, high - base, [&](size_t word, uint64_t mask) {
    touched += std::popcount(chunk.touched[word] & mask);
    ever += std::popcount(chunk.ever[word] & mask);
    counts.once += std::popcount(chunk.touched[word] & ~chunk.again[word] & mask);
  });
  counts.touched += touched;
  counts.ever += ever;
  if (high - low != kChunkPages) return;
  counts.lone_chunks += touched == 1;
  counts.full_chunks += ever == kChunkPages;
}

PageCounts PageSets::count(const PageList& list, uint64_t first, uint64_t pages) const {
  PageCounts counts;
  uint64_t end = first + pages;
  if (pages / kChunkPages + 2 < list.chunks) {
    for (uint64_t region = first / kChunkPages; region * kChunkPages < end; ++region)
      if (uint32_t at = find(list, region); at != kNoChunk)
        count_chunk(chunks_[at], first, end, counts);
    return counts;
  }
  for (uint32_t at = list.head; at != kNoChunk; at = chunks_[at].next)
    count_chunk(chunks_[at], first, end, counts);
  return counts;
}

void PageSets::purge_chunk(Chunk& chunk, uint64_t begin, uint64_t end) {
  uint64_t base = chunk.region * kChunkPages;
  uint64_t low = std::max(begin, base), high = std::min(end, base + kChunkPages);
  if (low >= high) return;
  for_words(low - base, high - base, [&](size_t word, uint64_t mask) {
    chunk.touched[word] &= ~mask;
    chunk.again[word] &= ~mask;
  });
}

void PageSets::purge(PageList& list, uint64_t first, uint64_t pages) {
  uint64_t end = first + pages;
  if (pages / kChunkPages + 2 < list.chunks) {
    for (uint64_t region = first / kChunkPages; region * kChunkPages < end; ++region)
      if (uint32_t at = find(list, region); at != kNoChunk) purge_chunk(chunks_[at], first, end);
    return;
  }
  for (uint32_t at = list.head; at != kNoChunk; at = chunks_[at].next)
    purge_chunk(chunks_[at], first, end);
}

// In place, which is how a growing block mostly moves, nothing is copied.
void PageSets::move(PageList& from, PageList& to, uint64_t offset) {
  if (offset == 0) {
    release(to);
    to = std::exchange(from, {});
    return;
  }
  move_bits(from, to, offset);
  release(from);
}

void PageSets::move_bits(const PageList& from, PageList& to, uint64_t offset) {
  for (uint32_t at = from.head; at != kNoChunk; at = chunks_[at].next) {
    Chunk old = chunks_[at];  // a copy: adding chunks moves them
    for (uint64_t bit = 0; bit < kChunkPages; ++bit) {
      uint64_t mask = uint64_t{1} << (bit % 64), page = old.region * kChunkPages + bit + offset;
      if (!(old.ever[bit / 64] & mask)) continue;
      Chunk& chunk = find_or_add(to, page / kChunkPages);
      size_t word = page % kChunkPages / 64;
      uint64_t target = uint64_t{1} << (page % 64);
      chunk.ever[word] |= target;
      if (old.touched[bit / 64] & mask) chunk.touched[word] |= target;
      if (old.again[bit / 64] & mask) chunk.again[word] |= target;
    }
  }
}

void PageSets::release(PageList& list) {
  for (uint32_t at = list.head; at != kNoChunk; at = chunks_[at].next) {
    if (list.chunks > kSearched) index_.erase({list.serial, chunks_[at].region});
    free_.push_back(at);
  }
  list.head = list.last = kNoChunk;
  list.chunks = 0;
}

}  // namespace ftprof
