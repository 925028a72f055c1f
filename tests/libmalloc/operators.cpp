// The C++ operators of libstdc++, in every form, above and below the threshold.
#include <cstdio>
#include <cstring>
#include <new>
#include <string>
#include <vector>

namespace {

struct alignas(4096) Aligned {
  char bytes[200000];
};

bool throws_when_too_large() {
  try {
    volatile size_t huge = ~size_t{0} / 2;
    return ::operator new(huge) == nullptr;
  } catch (const std::bad_alloc&) {
    return true;
  }
}

void every_form(size_t n) {
  ::operator delete(::operator new(n));
  ::operator delete[](::operator new[](n), n);
  ::operator delete(::operator new(n, std::nothrow), std::nothrow);
  ::operator delete (::operator new (n, std::align_val_t{65536}), std::align_val_t{65536});
  ::operator delete[](::operator new[](n, std::align_val_t{64}), n, std::align_val_t{64});
}

}  // namespace

int main() {
  for (size_t n : {size_t{1}, size_t{5000}, size_t{130048}, size_t{130049}, size_t{9000000}}) {
    every_form(n);
  }
  std::vector<std::string> strings;
  for (int i = 0; i < 20; ++i) strings.emplace_back(size_t{50000} * i, static_cast<char>('a' + i));
  for (int i = 0; i < 20; ++i) {
    if (strings[i].find_first_not_of(static_cast<char>('a' + i)) != std::string::npos) return 1;
  }
  Aligned* aligned = new Aligned[3];
  bool good = reinterpret_cast<uintptr_t>(aligned) % 4096 == 0;
  delete[] aligned;
  if (!good || !throws_when_too_large()) return 1;
  std::puts("ok operators");
}
