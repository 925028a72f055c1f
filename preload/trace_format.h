// The trace: what the library writes and the analyzer reads. CTF 1.8, little endian, byte packed.
//
// This header is the only one of preload/ that analyzer/ may include. Each event stands in one
// table below; the table yields the packed struct, the writer's id and the TSDL text, so the three
// cannot disagree.
//
// Changing the format: a new event or a new value of an enumeration keeps kTraceVersion (readers
// skip ids they do not know, by the packet's end if need be); any change to an existing event, to
// the packet header or to the meaning of a field raises it. A reader refuses a newer version with a
// sentence that names both.
//
// A stream file is a whole number of packets, each kPacketBytes long:
//
//   | PacketHeader | event | event | … | unused up to packet_size |
//   event = | u8 id | u64 timestamp | fixed fields | tail |
//
// The writer begins a packet with timestamp_begin = timestamp_end = now and content_size = the
// header's. After each event it stores timestamp_end, then content_size (release order), so a
// process killed at any instruction leaves whole events only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace ftprof::trace {

inline constexpr uint32_t kTraceVersion = 1;
inline constexpr uint32_t kCtfMagic = 0xC1FC1FC1;
inline constexpr size_t kPacketBytes = 64 * 1024;

// Stream classes. blocks_N files hold kBlockStream, faults_N files kFaultStream.
enum StreamClass : uint32_t { kBlockStream = 0, kFaultStream = 1 };

using u8 = uint8_t;
using u16 = uint16_t;
using u32 = uint32_t;
using u64 = uint64_t;
using f64 = double;

inline constexpr u32 kUnknownPages = 0xFFFFFFFF;  // not looked up
inline constexpr u16 kNotTimed = 0xFFFF;          // in a run: this fault has no kernel time
inline constexpr u32 kNotTimed32 = 0xFFFFFFFF;
inline constexpr u32 kNoStack = 0;  // stack ids begin at 1

// How a block was asked for, or given back. The names are what reports print.
#define FTPROF_APIS(API)                                                                     \
  API(unknown)                                                                               \
  API(malloc) API(calloc) API(realloc) API(reallocarray) API(free) API(posix_memalign)       \
      API(aligned_alloc) API(memalign) API(valloc) API(pvalloc) API(cfree) API(operator_new) \
          API(operator_new_array) API(operator_delete) API(operator_delete_array) API(mmap)  \
              API(munmap) API(mremap) API(madvise) API(brk) API(pool) API(allocator_private) \
                  API(inherited)
enum class Api : u8 {
#define FTPROF_API(name) name,
  FTPROF_APIS(FTPROF_API)
#undef FTPROF_API
};

// Block.flags
enum BlockFlags : u8 {
  kMovedFromOld = 1,   // realloc or mremap: the pages of moved_from came along
  kReinstated = 2,     // the call that was to release this block failed: it never ended
  kSharedMapping = 4,  // MAP_SHARED
  kFileMapping = 8,    // backed by a file
  kHugeTlb = 16,       // MAP_HUGETLB
  kPopulated = 32,     // MAP_POPULATE or MAP_LOCKED
  kBeforeReady = 64,   // made before the library could unwind: the stack is one frame
};

// RangeOp.kind: what happened to a range of addresses that is not a whole block's life.
enum class RangeKind : u8 {
  map,      // mmap of what is no tracked block (the allocator's, or small); detail is BlockFlags
  unmap,    // munmap, or the part of mremap that unmaps; blocks in the range end or shrink
  advise,   // madvise; detail is the advice
  protect,  // mprotect; detail is the protection
  replace,  // MAP_FIXED over what was there
};

// RangeOp.by: who asked.
enum class Caller : u8 { program, allocator, profiler };

// FaultSource, in the attribute "faults.source": perf or pagemap.

// ---------------------------------------------------------------------------------------------
// Events. FIELD(type, name). Units are in the names; "pages" are base pages.
// Tails: NO_TAIL; LIST(type, name, length_field); TEXT(name) and TEXT2(a, b), each ending in NUL.

// Facts about the image, first in blocks_0. start_monotonic_ns is the trace's zero; exec of a new
// program begins a new image with the same pid and a higher `generation`.
#define FTPROF_FIELDS_Process(FIELD)                                                               \
  FIELD(u32, pid)                                                                                  \
  FIELD(u32, ppid) FIELD(u64, start_unix_ns) FIELD(u64, start_monotonic_ns) FIELD(u32, page_bytes) \
      FIELD(u32, huge_page_bytes) FIELD(u32, cpus) FIELD(u32, numa_nodes)
// key: "arg" (repeated, argv in order), "exe", "kernel", "thp.enabled", "thp.defrag",
// "allocator.name", "allocator.version", "allocator.library", "faults.source" (perf|pagemap),
// "setting.<key>", "rank", "host", "note" (a sentence for the reader), "buddyinfo", "thp.disabled".
#define FTPROF_FIELDS_Attribute(FIELD)
// A loaded object. bias + ELF address = run-time address. build_id may be empty.
#define FTPROF_FIELDS_Module(FIELD)                                                   \
  FIELD(u64, begin)                                                                   \
  FIELD(u64, end) FIELD(u64, bias) FIELD(u64, build_id_high) FIELD(u64, build_id_mid) \
      FIELD(u32, build_id_low) FIELD(u8, build_id_bytes)
#define FTPROF_FIELDS_ModuleGone(FIELD) FIELD(u64, begin) FIELD(u64, end)
// A thread's name as of now; tid may be one that an ended thread had before (`fresh` is 1 then).
#define FTPROF_FIELDS_Thread(FIELD) FIELD(u32, tid) FIELD(u8, fresh)
// Return addresses, innermost first. Written once, before the first use of its id in any stream
// by timestamp. generation tells apart equal addresses before and after an unload.
#define FTPROF_FIELDS_Stack(FIELD) FIELD(u32, id) FIELD(u32, depth)
// A tracked block came to life. The timestamp is after the call; it began call_ns before.
// resident_pages of probed_pages whole pages were resident at hand-out (kUnknownPages: not looked
// up). in_call_minor: this thread's minor faults inside the call. weight: this block stands for so
// many (1 = every block is recorded).
#define FTPROF_FIELDS_Block(FIELD)                                                      \
  FIELD(u32, tid)                                                                       \
  FIELD(u32, stack) FIELD(Api, api) FIELD(u8, flags) FIELD(u64, addr) FIELD(u64, size)  \
      FIELD(u64, moved_from) FIELD(u32, call_ns) FIELD(u32, in_call_minor)              \
          FIELD(u32, in_call_major) FIELD(u32, probed_pages) FIELD(u32, resident_pages) \
              FIELD(f64, weight)
// A tracked block is about to be given back; written before the address can be handed out again.
// Page counts are over probed_pages of its whole pages, before the call.
#define FTPROF_FIELDS_Release(FIELD)                                                   \
  FIELD(u32, tid)                                                                      \
  FIELD(Api, api) FIELD(u64, addr) FIELD(u32, probed_pages) FIELD(u32, resident_pages) \
      FIELD(u32, zero_pages) FIELD(u32, huge_pages)
// What became of the range after the release returned. still_mapped 0: the kernel has it back.
#define FTPROF_FIELDS_Released(FIELD)                                           \
  FIELD(u32, tid)                                                               \
  FIELD(u64, addr) FIELD(u64, size) FIELD(u32, call_ns) FIELD(u8, still_mapped) \
      FIELD(u32, probed_pages) FIELD(u32, resident_pages)
// Something happened to a range. Page counts are before the call, as in Release; minor is this
// thread's faults inside the call (MADV_POPULATE_*).
#define FTPROF_FIELDS_RangeOp(FIELD)                                                            \
  FIELD(u32, tid)                                                                               \
  FIELD(RangeKind, kind) FIELD(Caller, by) FIELD(u32, detail) FIELD(u64, addr) FIELD(u64, size) \
      FIELD(u32, call_ns) FIELD(u32, minor) FIELD(u32, probed_pages) FIELD(u32, resident_pages) \
          FIELD(u32, zero_pages) FIELD(u32, huge_pages)
// A live (or, with idle 1, a given back and still mapped) block looked at by a snapshot.
#define FTPROF_FIELDS_Residency(FIELD)                                                 \
  FIELD(u64, addr)                                                                     \
  FIELD(u64, size) FIELD(u8, idle) FIELD(u32, probed_pages) FIELD(u32, resident_pages) \
      FIELD(u32, zero_pages) FIELD(u32, huge_pages) FIELD(u32, swapped_pages)
// One line of /proc/self/maps. All lines of one reading share `pass`; a new pass replaces the last.
// prot is PROT_*; shared 1 for MAP_SHARED.
#define FTPROF_FIELDS_Mapping(FIELD)                                                     \
  FIELD(u32, pass)                                                                       \
  FIELD(u64, begin) FIELD(u64, end) FIELD(u64, offset) FIELD(u64, inode) FIELD(u8, prot) \
      FIELD(u8, shared)
// The faults that the process had paid before faults could be observed, split by what is resident.
// stack, heap and other_anonymous count their resident pages; file is the rest of minor.
#define FTPROF_FIELDS_Opening(FIELD)                                               \
  FIELD(u64, minor)                                                                \
  FIELD(u64, major) FIELD(u64, stack) FIELD(u64, heap) FIELD(u64, other_anonymous) \
      FIELD(u64, file)
// getrusage(RUSAGE_SELF) and the profiler's own account, now. final 1: the process ends in order.
// resident_bytes is from statm (0 unknown); thp counts are /proc/vmstat's, machine wide.
#define FTPROF_FIELDS_Usage(FIELD)                                                           \
  FIELD(u8, final)                                                                           \
  FIELD(u64, minor) FIELD(u64, major) FIELD(u64, user_ns) FIELD(u64, system_ns)              \
      FIELD(u64, peak_resident_bytes) FIELD(u64, resident_bytes) FIELD(u64, self_ns)         \
          FIELD(u64, self_faults) FIELD(u64, thp_fault_alloc) FIELD(u64, thp_fault_fallback) \
              FIELD(u64, lost_block_records)
#define FTPROF_FIELDS_Mark(FIELD) FIELD(u32, tid)
// calls.count: calls of one function so far, in all threads.
#define FTPROF_FIELDS_Calls(FIELD) FIELD(Api, api) FIELD(u64, calls)
// Resident pages of a block by NUMA node, from a sample that found sampled_pages; counts[i] is node
// i's. at_release is a PlacementMoment: at hand-out just after Block, at give-back just after
// Release, or of a live block by a snapshot. cpu_node is the asking thread's (a snapshot: 0).
#define FTPROF_FIELDS_Placement(FIELD)                                         \
  FIELD(u32, tid)                                                              \
  FIELD(u32, cpu_node) FIELD(u64, addr) FIELD(u64, size) FIELD(u8, at_release) \
      FIELD(u32, sampled_pages) FIELD(u32, nodes)
enum class PlacementMoment : u8 { hand_out, give_back, snapshot };
// Prices found by calibration: what one fault of this kind costs the bare program, trap included;
// raw_excess_ns is what a recorded pair overstates it by (to be taken off each raw cost).
#define FTPROF_FIELDS_Price(FIELD) \
  FIELD(u8, kind) FIELD(f64, price_ns) FIELD(f64, error_ns) FIELD(f64, raw_excess_ns)
enum class PriceKind : u8 { write, zero_read, write_after_zero_read, huge, populate };

#define FTPROF_BLOCK_EVENTS(EVENT)               \
  EVENT(0, Process, NO_TAIL)                     \
  EVENT(1, Attribute, TEXT2(key, value))         \
  EVENT(2, Module, TEXT(path))                   \
  EVENT(3, ModuleGone, NO_TAIL)                  \
  EVENT(4, Thread, TEXT(name))                   \
  EVENT(5, Stack, LIST(u64, frames, depth))      \
  EVENT(6, Block, NO_TAIL)                       \
  EVENT(7, Release, NO_TAIL)                     \
  EVENT(8, Released, NO_TAIL)                    \
  EVENT(9, RangeOp, NO_TAIL)                     \
  EVENT(10, Residency, NO_TAIL)                  \
  EVENT(11, Mapping, TEXT(name))                 \
  EVENT(12, Opening, NO_TAIL)                    \
  EVENT(13, Usage, NO_TAIL)                      \
  EVENT(14, Mark, TEXT(name))                    \
  EVENT(15, Calls, NO_TAIL)                      \
  EVENT(16, Placement, LIST(u32, counts, nodes)) \
  EVENT(17, Price, NO_TAIL)

// Faults of one thread by one instruction over consecutive pages from `addr` upwards. Pair i:
// samples[2i] is the time since the fault before it in the run entered (0 for the first), in ns;
// samples[2i+1] its raw kernel time in ns or kNotTimed. The timestamp is the first one's entry.
// A gap or cost that does not fit 16 bits ends the run. length = 2 * faults.
#define FTPROF_FIELDS_FaultRun(FIELD) \
  FIELD(u32, tid) FIELD(u64, ip) FIELD(u64, addr) FIELD(u16, length)
// One fault. addr is the byte touched. cost_ns raw, or kNotTimed32.
#define FTPROF_FIELDS_Fault(FIELD) \
  FIELD(u32, tid) FIELD(u64, ip) FIELD(u64, addr) FIELD(u32, cost_ns) FIELD(u8, major)
// From here on, faults of this stream's CPU are recorded one in `period` (0: not at all).
// timed_period likewise for those that carry their time.
#define FTPROF_FIELDS_Window(FIELD) FIELD(u32, period) FIELD(u32, timed_period)
// Of the run or fault that follows in this stream: pages from `addr` on that were found to be the
// zero page just before it was written. Their faults were loads. In order of address. Written where
// the attribute "faults.reads" is "known".
#define FTPROF_FIELDS_ZeroPages(FIELD) FIELD(u64, addr) FIELD(u32, pages)
// The kernel dropped records of this ring.
#define FTPROF_FIELDS_Lost(FIELD) FIELD(u64, records)

#define FTPROF_FAULT_EVENTS(EVENT)               \
  EVENT(0, FaultRun, LIST(u16, samples, length)) \
  EVENT(1, Fault, NO_TAIL)                       \
  EVENT(2, Window, NO_TAIL)                      \
  EVENT(3, Lost, NO_TAIL)                        \
  EVENT(4, ZeroPages, NO_TAIL)

// ---------------------------------------------------------------------------------------------
#pragma pack(push, 1)

struct PacketHeader {
  u32 magic = kCtfMagic;
  u8 uuid[16] = {};
  u32 stream_id = 0;
  u64 timestamp_begin = 0;  // CLOCK_MONOTONIC, ns
  u64 timestamp_end = 0;
  u64 content_size = 0;      // bits, header included
  u64 packet_size = 0;       // bits
  u64 events_discarded = 0;  // so far in this stream
  u32 cpu_id = 0;            // the slot, or the ring's CPU
};

struct EventHeader {
  u8 id;
  u64 timestamp;
};

#define FTPROF_STRUCT_FIELD(type, name) type name;
#define FTPROF_STRUCT(number, Name, tail)     \
  struct Name {                               \
    static constexpr u8 kId = number;         \
    FTPROF_FIELDS_##Name(FTPROF_STRUCT_FIELD) \
  };
FTPROF_BLOCK_EVENTS(FTPROF_STRUCT)
FTPROF_FAULT_EVENTS(FTPROF_STRUCT)
#undef FTPROF_STRUCT
#undef FTPROF_STRUCT_FIELD

#pragma pack(pop)

// Bytes of an event's fixed part; an event without fields takes none.
template <class Event>
inline constexpr size_t kFixedBytes = std::is_empty_v<Event> ? 0 : sizeof(Event);

// "malloc" for Api::malloc; "unknown" for a value that this version does not know.
inline const char* api_name(Api api) {
  static constexpr const char* kNames[] = {
#define FTPROF_API(name) #name,
      FTPROF_APIS(FTPROF_API)
#undef FTPROF_API
  };
  size_t index = static_cast<size_t>(api);
  return index < sizeof kNames / sizeof *kNames ? kNames[index] : kNames[0];
}

}  // namespace ftprof::trace
