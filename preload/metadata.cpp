#include "preload/metadata.h"

#include <string.h>

#include "preload/trace_format.h"

namespace ftprof {
namespace {

// TSDL's words for the table's types. An enumeration is spelled out where it is used.
void add_enum(MetadataText* text, const char* const* names, size_t count) {
  text->add("enum : u8 { ");
  for (size_t i = 0; i < count; ++i) {
    if (i > 0) text->add(", ");
    text->add('"').add(names[i]).add("\" = ").add_number(i);
  }
  text->add(" }");
}

template <class T>
struct Of {};

void add_type(MetadataText* text, Of<trace::u8>) {
  text->add("u8");
}
void add_type(MetadataText* text, Of<trace::u16>) {
  text->add("u16");
}
void add_type(MetadataText* text, Of<trace::u32>) {
  text->add("u32");
}
void add_type(MetadataText* text, Of<trace::u64>) {
  text->add("u64");
}
void add_type(MetadataText* text, Of<trace::f64>) {
  text->add("f64");
}
void add_type(MetadataText* text, Of<trace::Api>) {
  static constexpr const char* kNames[] = {
#define FTPROF_NAME(name) #name,
      FTPROF_APIS(FTPROF_NAME)
#undef FTPROF_NAME
  };
  add_enum(text, kNames, sizeof kNames / sizeof *kNames);
}
void add_type(MetadataText* text, Of<trace::RangeKind>) {
  static constexpr const char* kNames[] = {"map", "unmap", "advise", "protect", "replace"};
  add_enum(text, kNames, 5);
}
void add_type(MetadataText* text, Of<trace::Caller>) {
  static constexpr const char* kNames[] = {"program", "allocator", "profiler"};
  add_enum(text, kNames, 3);
}

void begin_event(MetadataText* text, unsigned stream, unsigned id, const char* name) {
  text->add("event {\n  name = \"").add(name).add("\"; id = ").add_number(id);
  text->add("; stream_id = ").add_number(stream).add(";\n  fields := struct {\n");
}

void add_name(MetadataText* text, const char* name) {
  // The underscore is CTF's own escape for names that are words of TSDL; readers drop it.
  text->add(" _").add(name);
}

template <class Type>
void add_field(MetadataText* text, const char* name) {
  text->add("    ");
  add_type(text, Of<Type>());
  add_name(text, name);
  text->add(";\n");
}

void add_text(MetadataText* text, const char* name) {
  text->add("    string { encoding = UTF8; }");
  add_name(text, name);
  text->add(";\n");
}

template <class Type>
void add_list(MetadataText* text, const char* name, const char* length) {
  text->add("    ");
  add_type(text, Of<Type>());
  add_name(text, name);
  text->add("[_").add(length).add("];\n");
}

void end_event(MetadataText* text) {
  text->add("  };\n};\n\n");
}

// The tables' words, bound to the functions above.
using namespace trace;
#define NO_TAIL
#define TEXT(name) add_text(text, #name);
#define TEXT2(first, second) TEXT(first) TEXT(second)
#define LIST(type, name, length) add_list<type>(text, #name, #length);
#define FTPROF_TSDL_FIELD(type, name) add_field<type>(text, #name);
#define FTPROF_TSDL_EVENT(number, Name, tail) \
  begin_event(text, stream, number, #Name);   \
  FTPROF_FIELDS_##Name(FTPROF_TSDL_FIELD) tail end_event(text);

void add_block_events(MetadataText* text, unsigned stream) {
  FTPROF_BLOCK_EVENTS(FTPROF_TSDL_EVENT)
}
void add_fault_events(MetadataText* text, unsigned stream) {
  FTPROF_FAULT_EVENTS(FTPROF_TSDL_EVENT)
}

constexpr const char* kTypes =
    "typealias integer { size = 8; align = 8; signed = false; } := u8;\n"
    "typealias integer { size = 16; align = 8; signed = false; } := u16;\n"
    "typealias integer { size = 32; align = 8; signed = false; } := u32;\n"
    "typealias integer { size = 64; align = 8; signed = false; } := u64;\n"
    "typealias integer { size = 64; align = 8; signed = false; base = 16; } := address;\n"
    "typealias floating_point { exp_dig = 11; mant_dig = 53; align = 8; } := f64;\n"
    "typealias integer { size = 64; align = 8; signed = false; map = clock.monotonic.value; } := "
    "time;\n\n";

constexpr const char* kPacket =
    "  packet.header := struct {\n    integer { size = 32; align = 8; signed = false; base = 16; } "
    "magic;\n    u8 uuid[16];\n    u32 stream_id;\n  };\n};\n\n";

void add_uuid(MetadataText* text, const uint8_t (&uuid)[16]) {
  for (unsigned i = 0; i < 16; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text->add('-');
    text->add_number(uuid[i], 16, 2);
  }
}

void add_clock(MetadataText* text, int64_t offset) {
  text->add("clock {\n  name = \"monotonic\";\n  description = \"CLOCK_MONOTONIC\";\n");
  text->add("  freq = 1000000000;\n  offset_s = ")
      .add_number(static_cast<uint64_t>(offset) / 1000000000);
  text->add(";\n  offset = ")
      .add_number(static_cast<uint64_t>(offset) % 1000000000)
      .add(";\n};\n\n");
}

void add_stream(MetadataText* text, unsigned id) {
  text->add("stream {\n  id = ").add_number(id).add(";\n  packet.context := struct {\n");
  text->add("    time timestamp_begin;\n    time timestamp_end;\n    u64 content_size;\n");
  text->add("    u64 packet_size;\n    u64 events_discarded;\n    u32 cpu_id;\n  };\n");
  text->add("  event.header := struct { u8 id; time timestamp; };\n};\n\n");
}

}  // namespace

void describe_trace(const MetadataFacts& facts, MetadataText* text) {
  text->add("/* CTF 1.8 */\n\n").add(kTypes);
  text->add("trace {\n  major = 1; minor = 8;\n  byte_order = le;\n  uuid = \"");
  add_uuid(text, facts.uuid);
  text->add("\";\n").add(kPacket);
  text->add("env {\n  tracer_name = \"ftprof\";\n  ftprof_trace_version = ")
      .add_number(kTraceVersion);
  text->add(";\n};\n\n");
  add_clock(text, facts.clock_offset_ns);
  add_stream(text, kBlockStream);
  add_stream(text, kFaultStream);
  add_block_events(text, kBlockStream);
  add_fault_events(text, kFaultStream);
}

}  // namespace ftprof
