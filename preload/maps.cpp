#include "preload/maps.h"

#include <string.h>
#include <sys/mman.h>

#include "preload/blocks.h"
#include "preload/own_ranges.h"
#include "preload/residency.h"
#include "preload/slots.h"
#include "preload/state.h"
#include "preload/sys.h"

namespace ftprof {
namespace {

struct Cursor {
  const char* at;
  const char* end;

  bool take(char c) {
    bool there = at < end && *at == c;
    at += there;
    return there;
  }
  bool number(unsigned base, uint64_t* to) {
    const char* begin = at;
    for (*to = 0; at < end; ++at) {
      unsigned digit = *at >= 'a' && *at <= 'f'   ? static_cast<unsigned>(*at - 'a') + 10
                       : *at >= '0' && *at <= '9' ? static_cast<unsigned>(*at - '0')
                                                  : 99;
      if (digit >= base) break;
      *to = *to * base + digit;
    }
    return at > begin;
  }
};

bool parse_protection(Cursor& in, MapLine* line) {
  if (in.end - in.at < 4) return false;
  line->prot =
      static_cast<uint8_t>((in.at[0] == 'r' ? PROT_READ : 0) | (in.at[1] == 'w' ? PROT_WRITE : 0) |
                           (in.at[2] == 'x' ? PROT_EXEC : 0));
  line->shared = in.at[3] == 's';
  in.at += 4;
  return true;
}

void take_name(Cursor& in, MapLine* line) {
  while (in.take(' ')) {
  }
  auto bytes = static_cast<size_t>(in.end - in.at);
  if (bytes > MapLine::kMostName) bytes = MapLine::kMostName;
  memcpy(line->name, in.at, bytes);
  line->name[bytes] = 0;
}

bool starts_with(const char* text, const char* beginning) {
  return strncmp(text, beginning, strlen(beginning)) == 0;
}

uint64_t mix(uint64_t hash, const void* data, size_t bytes) {
  for (size_t i = 0; i < bytes; ++i)
    hash = (hash ^ static_cast<const unsigned char*>(data)[i]) * 0x100000001B3ULL;
  return hash;
}

void add_to_fingerprint(const MapLine& line, void* context) {
  auto hash = static_cast<uint64_t*>(context);
  *hash = mix(*hash, &line.begin, sizeof line.begin);
  *hash = mix(*hash, &line.end, sizeof line.end);
  *hash = mix(*hash, &line.prot, sizeof line.prot);
  *hash = mix(*hash, &line.inode, sizeof line.inode);
}

void write_mapping(const MapLine& line, void* context) {
  auto pass = static_cast<const uint32_t*>(context);
  emit_block(trace::Mapping{*pass, line.begin, line.end, line.offset, line.inode, line.prot,
                            static_cast<uint8_t>(line.shared)},
             text_span(line.name));
}

struct OpeningCount {
  uint64_t stack = 0, heap = 0, anonymous = 0;
  uint64_t heap_begin = 0, heap_end = 0;
  uint64_t blocks = 0;
};

uint64_t present_pages(uint64_t begin, uint64_t bytes) {
  PageCounts counts = count_pages(begin, bytes, Effort::presence);
  return counts.resident != trace::kUnknownPages ? counts.resident : 0;
}

void add_mapping(const MapLine& line, void* context) {
  auto count = static_cast<OpeningCount*>(context);
  MapKind kind = kind_of(line, g_state.image_dir);
  if (kind == MapKind::file || kind == MapKind::profiler) return;
  uint64_t pages = present_pages(line.begin, line.end - line.begin);
  if (kind == MapKind::stack) count->stack += pages;
  if (kind == MapKind::anonymous) count->anonymous += pages;
  if (kind != MapKind::heap) return;
  count->heap += pages;
  count->heap_begin = line.begin, count->heap_end = line.end;
}

uint64_t less(uint64_t value, uint64_t by) {
  return value > by ? value - by : 0;
}

// The pages of a tracked block are its own: the reader knows them by the block's residency.
void leave_out_block(const LiveBlock& block, void* context) {
  auto count = static_cast<OpeningCount*>(context);
  uint64_t pages = present_pages(block.address, block.bytes);
  bool in_heap = block.address >= count->heap_begin && block.address < count->heap_end;
  uint64_t& from = in_heap ? count->heap : count->anonymous;
  from = less(from, pages);
  count->blocks += pages;
}

}  // namespace

bool parse_map_line(const char* text, size_t bytes, MapLine* line) {
  Cursor in{text, text + bytes};
  uint64_t device;
  bool good = in.number(16, &line->begin) && in.take('-') && in.number(16, &line->end) &&
              in.take(' ') && parse_protection(in, line) && in.take(' ') &&
              in.number(16, &line->offset) && in.take(' ') && in.number(16, &device) &&
              in.take(':') && in.number(16, &device) && in.take(' ') && in.number(10, &line->inode);
  if (good) take_name(in, line);
  return good;
}

bool visit_maps(VisitMap visit, void* context) {
  int fd = sys::open_at(AT_FDCWD, "/proc/self/maps", O_RDONLY);
  if (fd < 0) return false;
  char buffer[4096];
  size_t filled = 0;
  bool skipping = false;  // inside a line longer than the buffer
  for (long got; (got = sys::read(fd, buffer + filled, sizeof buffer - filled)) > 0;) {
    filled += static_cast<size_t>(got);
    char* begin = buffer;
    MapLine line;
    while (char* end = static_cast<char*>(
               memchr(begin, '\n', static_cast<size_t>(buffer + filled - begin)))) {
      if (!skipping && parse_map_line(begin, static_cast<size_t>(end - begin), &line))
        visit(line, context);
      skipping = false;
      begin = end + 1;
    }
    filled -= static_cast<size_t>(begin - buffer);
    memmove(buffer, begin, filled);
    if (filled < sizeof buffer) continue;
    if (!skipping && parse_map_line(buffer, filled, &line)) visit(line, context);
    skipping = true;
    filled = 0;
  }
  sys::close(fd);
  return true;
}

MapKind kind_of(const MapLine& line, const char* trace_dir) {
  if (starts_with(line.name, "[stack")) return MapKind::stack;
  if (starts_with(line.name, "[heap]")) return MapKind::heap;
  if (starts_with(line.name, "anon_inode:[perf_event]")) return MapKind::profiler;
  if (*trace_dir != 0 && starts_with(line.name, trace_dir)) return MapKind::profiler;
  if (line.inode == 0 && !starts_with(line.name, "[v")) return MapKind::anonymous;
  return MapKind::file;
}

void MapReader::write_if_changed() {
  uint64_t fingerprint = 0xCBF29CE484222325ULL;
  if (!visit_maps(add_to_fingerprint, &fingerprint) || fingerprint == fingerprint_) return;
  fingerprint_ = fingerprint;
  ++pass_;
  visit_maps(write_mapping, &pass_);
}

void MapReader::write_opening(uint64_t minor, uint64_t major) {
  OpeningCount count;
  visit_maps(add_mapping, &count);
  visit_live_blocks(leave_out_block, &count);
  count.anonymous = less(count.anonymous, own_resident_pages());
  // What is resident may have been paid for by a parent: the parts never exceed the whole.
  uint64_t left = less(minor, count.blocks);
  auto take = [&left](uint64_t pages) {
    pages = pages < left ? pages : left;
    left -= pages;
    return pages;
  };
  trace::Opening opening = {minor, major, 0, 0, 0, 0};
  opening.stack = take(count.stack);
  opening.heap = take(count.heap);
  opening.other_anonymous = take(count.anonymous);
  opening.file = left;
  emit_block(opening);
}

}  // namespace ftprof
