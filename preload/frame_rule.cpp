#include "preload/frame_rule.h"

#include <string.h>

#include <atomic>

namespace ftprof {
namespace {

// DWARF numbers of x86-64.
constexpr uint64_t kFp = 6, kSp = 7, kReturnAddress = 16;

// Reads the encodings of .eh_frame, one after another.
struct Reader {
  const uint8_t* at;

  template <class T>
  T fixed() {
    T value;
    memcpy(&value, at, sizeof value);
    at += sizeof value;
    return value;
  }
  uint64_t uleb() {
    uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      uint8_t byte = *at++;
      if (shift < 64) value |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if (!(byte & 0x80)) return value;
    }
  }
  int64_t sleb() {
    uint64_t value = 0;
    unsigned shift = 0;
    uint8_t byte;
    do {
      byte = *at++;
      if (shift < 64) value |= static_cast<uint64_t>(byte & 0x7f) << shift;
      shift += 7;
    } while (byte & 0x80);
    if (shift < 64 && (byte & 0x40)) value |= ~0ull << shift;
    return static_cast<int64_t>(value);
  }
  // DW_EH_PE_*: the format in the low bits, pc-relative in the high ones. Others are not met in
  // linked objects.
  uintptr_t encoded(uint8_t encoding) {
    auto base = (encoding & 0x70) == 0x10 ? reinterpret_cast<uintptr_t>(at) : 0;
    switch (encoding & 0x0f) {
      case 0x00:
      case 0x04:
      case 0x0c:
        return base + fixed<uint64_t>();
      case 0x02:
        return base + fixed<uint16_t>();
      case 0x03:
        return base + fixed<uint32_t>();
      case 0x0a:
        return base + static_cast<uintptr_t>(int64_t{fixed<int16_t>()});
      case 0x0b:
        return base + static_cast<uintptr_t>(int64_t{fixed<int32_t>()});
      case 0x01:
        return base + uleb();
      case 0x09:
        return base + static_cast<uintptr_t>(sleb());
      default:
        return 0;
    }
  }
};

struct Cie {
  uint64_t code_align = 1;
  int64_t data_align = 1;
  uint8_t pointer_encoding = 0;
  bool signal = false;
  bool sized = false;  // has augmentation data, here and in its FDEs
  const uint8_t* begin = nullptr;
  const uint8_t* end = nullptr;
};

struct Fde {
  Cie cie;
  uintptr_t first = 0, bytes = 0;
  const uint8_t* begin = nullptr;
  const uint8_t* end = nullptr;
};

void read_augmentation(Reader* reader, const char* letters, Cie* cie) {
  if (*letters != 'z') return;
  cie->sized = true;
  reader->uleb();
  for (++letters; *letters != 0; ++letters) {
    if (*letters == 'R') cie->pointer_encoding = reader->fixed<uint8_t>();
    if (*letters == 'L') reader->fixed<uint8_t>();
    if (*letters == 'S') cie->signal = true;
    if (*letters == 'P') {
      uint8_t encoding = reader->fixed<uint8_t>();
      reader->encoded(encoding);
    }
  }
}

bool read_cie(const uint8_t* record, Cie* cie) {
  Reader reader{record};
  auto length = reader.fixed<uint32_t>();
  if (length == 0 || length == 0xffffffff) return false;
  cie->end = reader.at + length;
  reader.fixed<uint32_t>();  // 0: this is a CIE
  auto version = reader.fixed<uint8_t>();
  auto letters = reinterpret_cast<const char*>(reader.at);
  reader.at += strlen(letters) + 1;
  cie->code_align = reader.uleb();
  cie->data_align = reader.sleb();
  if (version == 1)
    reader.fixed<uint8_t>();
  else
    reader.uleb();
  const uint8_t* data = reader.at;
  read_augmentation(&reader, letters, cie);
  cie->begin = cie->sized ? Reader{data}.at : reader.at;
  if (cie->sized) {
    Reader size{data};
    uint64_t bytes = size.uleb();
    cie->begin = size.at + bytes;
  }
  return true;
}

bool read_fde(const uint8_t* record, Fde* fde) {
  Reader reader{record};
  auto length = reader.fixed<uint32_t>();
  if (length == 0 || length == 0xffffffff) return false;
  fde->end = reader.at + length;
  const uint8_t* pointer = reader.at;
  auto back = reader.fixed<uint32_t>();
  if (back == 0 || !read_cie(pointer - back, &fde->cie)) return false;
  fde->first = reader.encoded(fde->cie.pointer_encoding);
  fde->bytes = reader.encoded(fde->cie.pointer_encoding & 0x0f);
  if (fde->cie.sized) {
    uint64_t bytes = reader.uleb();
    reader.at += bytes;
  }
  fde->begin = reader.at;
  return true;
}

// The binary search table behind .eh_frame_hdr: pairs of (first address, record), both 32 bits
// relative to the header. Every linker of today writes this form.
const uint8_t* find_record(const uint8_t* header, uintptr_t pc) {
  if (header == nullptr || header[0] != 1 || header[3] != 0x3b) return nullptr;
  uint8_t frame_encoding = header[1], count_encoding = header[2];
  if (count_encoding == 0xff) return nullptr;
  Reader reader{header + 4};
  reader.encoded(frame_encoding);
  uint64_t count = reader.encoded(count_encoding);
  struct Entry {
    int32_t first, record;
  };
  auto entry = [&](uint64_t i) {
    Entry e;
    memcpy(&e, reader.at + i * sizeof e, sizeof e);
    return e;
  };
  auto base = reinterpret_cast<uintptr_t>(header);
  uint64_t low = 0, high = count;
  while (low < high) {
    uint64_t middle = low + (high - low) / 2;
    if (base + static_cast<uintptr_t>(int64_t{entry(middle).first}) <= pc)
      low = middle + 1;
    else
      high = middle;
  }
  return low == 0 ? nullptr : header + entry(low - 1).record;
}

// Runs call frame instructions up to one address.
class Machine {
 public:
  explicit Machine(const Fde& fde, uintptr_t pc) : cie_(fde.cie), location_(fde.first), pc_(pc) {}

  // False when an instruction is met whose effect is not followed.
  bool run(const uint8_t* begin, const uint8_t* end) {
    Reader reader{begin};
    while (reader.at < end && location_ <= pc_)
      if (!step(&reader)) return false;
    return true;
  }
  void keep_initial() { initial_ = rule_; }
  FrameRule rule() const { return outermost_ ? FrameRule{CfaRule::end} : rule_; }

 private:
  static constexpr int kRemembered = 8;

  void set_cfa(uint64_t base, int64_t offset) {
    rule_.cfa = base == kSp ? CfaRule::from_sp : base == kFp ? CfaRule::from_fp : CfaRule::unknown;
    cfa_base_ = base;
    rule_.cfa_offset = static_cast<int32_t>(offset);
  }
  void set_at_cfa(uint64_t number, int64_t factored) {
    if (number != kFp) return;
    rule_.fp = FpRule::at_cfa;
    rule_.fp_offset = static_cast<int32_t>(factored * cie_.data_align);
  }
  void restore(uint64_t number) {
    if (number != kFp) return;
    rule_.fp = initial_.fp;
    rule_.fp_offset = initial_.fp_offset;
  }
  // The two forms that compilers emit for functions that align their stack.
  void cfa_expression(Reader* reader) {
    uint64_t bytes = reader->uleb();
    Reader body = *reader;
    reader->at += bytes;
    rule_.cfa = CfaRule::unknown;
    if (bytes < 2 || *body.at++ != 0x70 + kFp) return;
    rule_.cfa_offset = static_cast<int32_t>(body.sleb());
    if (body.at + 1 == reader->at && *body.at == 0x06) rule_.cfa = CfaRule::from_fp_deref;
  }
  bool expression(Reader* reader) {
    uint64_t number = reader->uleb(), bytes = reader->uleb();
    Reader body = *reader;
    reader->at += bytes;
    if (number != kFp) return true;
    if (bytes < 2 || *body.at++ != 0x70 + kFp) return false;
    rule_.fp = FpRule::at_fp;
    rule_.fp_offset = static_cast<int32_t>(body.sleb());
    return body.at == reader->at;
  }
  void advance(uint64_t factored) { location_ += factored * cie_.code_align; }
  bool remember() {
    if (depth_ == kRemembered) return false;
    remembered_[depth_] = rule_;
    bases_[depth_++] = cfa_base_;
    return true;
  }
  bool recall() {
    if (depth_ == 0) return false;
    rule_ = remembered_[--depth_];
    cfa_base_ = bases_[depth_];
    return true;
  }

  bool step(Reader* reader) {
    uint8_t byte = *reader->at++;
    uint8_t low = byte & 0x3f;
    switch (byte & 0xc0) {
      case 0x40:
        advance(low);
        return true;  // advance_loc
      case 0x80:
        set_at_cfa(low, static_cast<int64_t>(reader->uleb()));
        return true;  // offset
      case 0xc0:
        restore(low);
        return true;  // restore
      default:
        return extended(byte, reader);
    }
  }
  bool extended(uint8_t code, Reader* reader) {
    uint64_t number = 0;
    switch (code) {
      case 0x00:
        return true;  // nop
      case 0x01:
        location_ = reader->encoded(cie_.pointer_encoding);
        return true;  // set_loc
      case 0x02:
        advance(reader->fixed<uint8_t>());
        return true;  // advance_loc1
      case 0x03:
        advance(reader->fixed<uint16_t>());
        return true;  // advance_loc2
      case 0x04:
        advance(reader->fixed<uint32_t>());
        return true;  // advance_loc4
      case 0x05:      // offset_extended
        number = reader->uleb();
        set_at_cfa(number, static_cast<int64_t>(reader->uleb()));
        return true;
      case 0x11:  // offset_extended_sf
        number = reader->uleb();
        set_at_cfa(number, reader->sleb());
        return true;
      case 0x06:
        restore(reader->uleb());
        return true;  // restore_extended
      case 0x07:
        return undefined(reader->uleb());  // undefined
      case 0x08:
        return reader->uleb() != kFp || same_fp();  // same_value
      case 0x09:                                    // register
        number = reader->uleb();
        reader->uleb();
        return number != kFp && number != kReturnAddress;
      case 0x0a:
        return remember();  // remember_state
      case 0x0b:
        return recall();  // restore_state
      default:
        return define(code, reader);
    }
  }
  bool define(uint8_t code, Reader* reader) {
    uint64_t base = 0;
    switch (code) {
      case 0x0c:  // def_cfa
        base = reader->uleb();
        set_cfa(base, static_cast<int64_t>(reader->uleb()));
        return true;
      case 0x12:  // def_cfa_sf
        base = reader->uleb();
        set_cfa(base, reader->sleb() * cie_.data_align);
        return true;
      case 0x0d:
        set_cfa(reader->uleb(), rule_.cfa_offset);
        return true;  // def_cfa_register
      case 0x0e:      // def_cfa_offset
        set_cfa(cfa_base_, static_cast<int64_t>(reader->uleb()));
        return true;
      case 0x13:
        set_cfa(cfa_base_, reader->sleb() * cie_.data_align);
        return true;  // ..._sf
      case 0x0f:
        cfa_expression(reader);
        return true;  // def_cfa_expression
      case 0x10:
        return expression(reader);  // expression
      case 0x14:                    // val_offset
        base = reader->uleb();
        reader->uleb();
        return base != kFp;
      case 0x16:  // val_expression
        base = reader->uleb();
        {
          uint64_t bytes = reader->uleb();
          reader->at += bytes;
        }
        return base != kFp && base != kReturnAddress;
      case 0x2e:
        reader->uleb();
        return true;  // GNU_args_size
      default:
        return false;
    }
  }
  bool undefined(uint64_t number) {
    if (number == kReturnAddress) outermost_ = true;
    return true;
  }
  bool same_fp() {
    rule_.fp = FpRule::same;
    return true;
  }

  const Cie& cie_;
  uintptr_t location_;
  uintptr_t pc_;
  uint64_t cfa_base_ = kSp;
  FrameRule rule_, initial_;
  bool outermost_ = false;
  int depth_ = 0;
  FrameRule remembered_[kRemembered];
  uint64_t bases_[kRemembered];
};

// A rule in the 33 bits that an address leaves: kind 3, fp kind 2, offsets in words 16 and 10.
constexpr unsigned kIndexBits = 14;
constexpr unsigned kRuleBits = 31;
constinit std::atomic<uint64_t> g_rules[1 << kIndexBits]{};

bool fits(int32_t offset, int bits) {
  int32_t words = offset / 8, limit = 1 << (bits - 1);
  return offset % 8 == 0 && words >= -limit && words < limit;
}

uint64_t pack(const FrameRule& rule) {
  auto field = [](int32_t offset, int bits) {
    return static_cast<uint64_t>(offset / 8) & ((1ull << bits) - 1);
  };
  return static_cast<uint64_t>(rule.cfa) | static_cast<uint64_t>(rule.fp) << 3 |
         field(rule.cfa_offset, 16) << 5 | field(rule.fp_offset, 10) << 21;
}

FrameRule unpack(uint64_t word) {
  auto field = [word](unsigned shift, unsigned bits) {
    return static_cast<int32_t>(static_cast<int64_t>(word << (64 - shift - bits)) >> (64 - bits)) *
           8;
  };
  return {static_cast<CfaRule>(word & 7), static_cast<FpRule>(word >> 3 & 3), field(5, 16),
          field(21, 10)};
}

}  // namespace

FrameRule read_frame_rule(const Object& object, uintptr_t pc) {
  const uint8_t* record = find_record(object.eh_frame_hdr, pc);
  Fde fde;
  if (record == nullptr || !read_fde(record, &fde) || pc - fde.first >= fde.bytes) return {};
  if (fde.cie.signal) return {CfaRule::signal};
  Machine machine(fde, pc);
  if (!machine.run(fde.cie.begin, fde.cie.end)) return {};
  machine.keep_initial();
  if (!machine.run(fde.begin, fde.end)) return {};
  return machine.rule();
}

FrameRule frame_rule_at(uintptr_t pc) {
  std::atomic<uint64_t>& entry = g_rules[pc & ((1 << kIndexBits) - 1)];
  uint64_t tag = (pc >> kIndexBits) << kRuleBits;
  uint64_t word = entry.load(std::memory_order_relaxed);
  if ((word >> kRuleBits) << kRuleBits == tag) return unpack(word);
  Object object;
  if (!find_object(pc, &object)) return {};
  FrameRule rule = read_frame_rule(object, pc);
  if (fits(rule.cfa_offset, 16) && fits(rule.fp_offset, 10))
    entry.store(tag | pack(rule), std::memory_order_relaxed);
  return rule;
}

void forget_frame_rules() {
  for (std::atomic<uint64_t>& entry : g_rules) entry.store(0, std::memory_order_relaxed);
}

}  // namespace ftprof
