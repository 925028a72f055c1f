// Loads and unloads, throws, walks the loaded objects with a callback that allocates, and
// allocates, all at once: the loader's lock and the library's must never be taken in both orders.
#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include <atomic>
#include <stdexcept>
#include <thread>

#include "victim.h"

static std::atomic<int> running{4};
static constexpr int kRounds = 1500;

static int allocate_in_callback(dl_phdr_info*, size_t, void*) {
  free(touched(kBig));
  return 0;
}

template <class Body>
static std::thread loop(Body body) {
  return std::thread([body] {
    for (int i = 0; i < kRounds; i++) body();
    // The others keep this one's pressure until all are done.
    for (running--; running > 0;) body();
  });
}

int main() {
  alarm(90);
  std::thread threads[] = {
      loop([] {
        if (void* library = dlopen("libresolv.so.2", RTLD_NOW)) dlclose(library);
      }),
      loop([] { free(touched(kBig)); }),
      loop([] {
        try {
          throw std::runtime_error(std::string(kBig, 'e'));
        } catch (const std::exception&) {
        }
      }),
      loop([] { dl_iterate_phdr(allocate_in_callback, nullptr); }),
  };
  for (std::thread& thread : threads) thread.join();
  puts("ok loader_race");
}
