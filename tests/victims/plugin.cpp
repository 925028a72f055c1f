// A plug-in for the victims that load one. plug(host): frees and makes blocks across the border.
// FLAVOUR tells apart the builds, of the same layout, that replace each other at one address.
#include <cstdlib>
#include <cstring>

#ifndef FLAVOUR
#define FLAVOUR first
#endif
#define JOIN2(a, b) a##b
#define JOIN(a, b) JOIN2(a, b)

// The initial-exec TLS that plug-ins bring: it comes out of a small surplus.
__attribute__((tls_model("initial-exec"))) static thread_local char surplus[1024];

extern "C" __attribute__((noinline)) void* JOIN(FLAVOUR, _plugin_block)(size_t size) {
  void* block = std::malloc(size);
  std::memset(block, 1, size);
  return block;
}

extern "C" void* plug(void* host) {
  surplus[0]++;
  std::free(std::realloc(host, 700000));
  return JOIN(FLAVOUR, _plugin_block)(400000);
}
