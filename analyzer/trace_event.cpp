#include "analyzer/trace_event.h"

#include <array>

namespace ftprof {
namespace {

enum class TailKind : uint8_t { unknown, none, list, text, text2 };

struct Layout {
  TailKind kind = TailKind::unknown;
  uint8_t element_bytes = 0, length_at = 0, length_bytes = 0;  // of a list
  uint16_t fixed_bytes = 0;
};

using Layouts = std::array<Layout, 256>;

#define NO_TAIL    \
  Layout {         \
    TailKind::none \
  }
#define TEXT(name) \
  Layout {         \
    TailKind::text \
  }
#define TEXT2(a, b) \
  Layout {          \
    TailKind::text2 \
  }
#define LIST(type, name, length_field)                                  \
  Layout {                                                              \
    TailKind::list, sizeof(trace::type), offsetof(Event, length_field), \
        sizeof(Event::length_field)                                     \
  }
#define FTPROF_LAYOUT(number, Name, tail)                    \
  {                                                          \
    using Event [[maybe_unused]] = trace::Name;              \
    layouts[number] = tail;                                  \
    layouts[number].fixed_bytes = trace::kFixedBytes<Event>; \
  }

constexpr Layouts block_layouts() {
  Layouts layouts{};
  FTPROF_BLOCK_EVENTS(FTPROF_LAYOUT)
  return layouts;
}

constexpr Layouts fault_layouts() {
  Layouts layouts{};
  FTPROF_FAULT_EVENTS(FTPROF_LAYOUT)
  return layouts;
}

#undef FTPROF_LAYOUT
#undef LIST
#undef TEXT2
#undef TEXT
#undef NO_TAIL

constexpr Layouts kLayouts[] = {block_layouts(), fault_layouts()};

const uint8_t* end_of_text(const uint8_t* at, const uint8_t* end) {
  auto* nul = at < end ? static_cast<const uint8_t*>(std::memchr(at, 0, end - at)) : nullptr;
  return nul ? nul + 1 : nullptr;
}

const uint8_t* end_of_list(const Layout& layout, const RawEvent& event, const uint8_t* end) {
  uint32_t count = 0;
  std::memcpy(&count, event.body + layout.length_at, layout.length_bytes);
  size_t bytes = static_cast<size_t>(count) * layout.element_bytes;
  return bytes <= static_cast<size_t>(end - event.tail) ? event.tail + bytes : nullptr;
}

const uint8_t* end_of_tail(const Layout& layout, const RawEvent& event, const uint8_t* end) {
  switch (layout.kind) {
    case TailKind::list:
      return end_of_list(layout, event, end);
    case TailKind::text:
      return end_of_text(event.tail, end);
    case TailKind::text2: {
      const uint8_t* second = end_of_text(event.tail, end);
      return second ? end_of_text(second, end) : nullptr;
    }
    default:
      return event.tail;
  }
}

}  // namespace

const uint8_t* read_event(trace::StreamClass stream, const uint8_t* at, const uint8_t* end,
                          RawEvent& event, bool& known) {
  known = true;
  if (static_cast<size_t>(end - at) < sizeof(trace::EventHeader)) return nullptr;
  trace::EventHeader header;
  std::memcpy(&header, at, sizeof header);
  const Layout& layout = kLayouts[stream][header.id];
  known = layout.kind != TailKind::unknown;
  event.id = header.id;
  event.timestamp = header.timestamp;
  event.body = at + sizeof header;
  if (!known || static_cast<size_t>(end - event.body) < layout.fixed_bytes) return nullptr;
  event.tail = event.body + layout.fixed_bytes;
  const uint8_t* behind = end_of_tail(layout, event, end);
  if (behind) event.tail_bytes = behind - event.tail;
  return behind;
}

}  // namespace ftprof
