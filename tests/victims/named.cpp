// Code whose names and lines are known: prints, for each of its calls, the ELF address that the
// call returns to. tests/unit/symbols_test.cpp compiles it in many ways and looks them up.
#include <link.h>

#include <cstdint>
#include <cstdio>

namespace {

uint64_t bias = 0;

int take_bias(dl_phdr_info* info, size_t, void*) {
  bias = info->dlpi_addr;
  return 1;  // the first one is the program
}

}  // namespace

extern "C" [[gnu::noinline]] void note(const char* what) {
  auto address = reinterpret_cast<uint64_t>(__builtin_return_address(0));
  std::printf("%s %lx\n", what, static_cast<unsigned long>(address - bias));
}

namespace shop {

template <class Value>
struct Cart {
  [[gnu::always_inline]] inline void add(Value value) {
    note("inlined");  // here: inlined
    total += value;
  }
  Value total = 0;
};

[[gnu::noinline]] long fill(int count) {
  Cart<long> cart;
  cart.add(count);  // here: call
  note("outer");    // here: outer
  return cart.total;
}

}  // namespace shop

[[gnu::noinline]] static int hidden(int value) {
  note("hidden");
  asm volatile("");  // else the call above is a jump, and nothing returns here
  return value + 1;
}

// Named as rustc names things: an old and a new mangling.
extern "C" [[gnu::noinline]] void rust_old() asm("_ZN3app4load17h0123456789abcdefE");
void rust_old() {
  note("rust_old");
  asm volatile("");
}
extern "C" [[gnu::noinline]] void rust_new() asm("_RNvNtCs1234_7mycrate3foo3bar");
void rust_new() {
  note("rust_new");
  asm volatile("");
}

int main() {
  dl_iterate_phdr(take_bias, nullptr);
  long sum = shop::fill(2) + hidden(1);
  rust_old();
  rust_new();
  if (sum != 4) return 1;
  std::puts("ok named");
}
