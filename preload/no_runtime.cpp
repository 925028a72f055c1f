// What the compiler may refer to and libstdc++, which is not linked, would provide.

extern "C" __attribute__((visibility("hidden"), noreturn)) void __cxa_pure_virtual() {
  __builtin_trap();
}
