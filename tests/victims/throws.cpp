// Throws through frames that hold large blocks, catches, and ends with status 6.
#include <cstdio>
#include <stdexcept>
#include <vector>

[[gnu::noinline]] static size_t fill_or_throw(int depth) {
  std::vector<char> block(1 << 20, 'x');
  if (depth == 0) throw std::runtime_error("bottom");
  return block.size() + fill_or_throw(depth - 1);
}

int main() {
  int caught = 0;
  for (int i = 0; i < 100; i++) {
    try {
      fill_or_throw(10);
    } catch (const std::runtime_error& error) {
      caught++;
    }
  }
  std::fprintf(stderr, "caught %d\n", caught);
  std::puts("ok throws");
  return 6;
}
