/* Marks for programs that want them. Header only, C and C++: nothing to link, and nothing happens
 * when the program does not run under libftprof.so.
 *
 *   FTPROF_MARK("ready");                   a phase begins here
 *   FTPROF_POOL_HANDOUT(pointer, bytes);    a pool of the program's own hands a block out
 *   FTPROF_POOL_GIVEBACK(pointer, bytes);   and takes it back
 *
 * A pool's blocks are recorded from blocks.min_size on, like those of malloc.
 */
#ifndef FTPROF_ANNOTATE_H
#define FTPROF_ANNOTATE_H

#include <dlfcn.h>
#include <stddef.h>

#ifdef __cplusplus
#define FTPROF_CAST_(type, value) reinterpret_cast<type>(value)
#else
#define FTPROF_CAST_(type, value) ((type)(value))
#endif

/* Null is RTLD_DEFAULT: every object of the process. Looked up once per place of use; not weak
 * symbols, which linkers of position-independent programs may resolve to nothing at link time. */
#define FTPROF_CALL_(type, name, arguments)                         \
  do {                                                              \
    static void* ftprof_found_;                                     \
    static int ftprof_looked_;                                      \
    if (!ftprof_looked_) {                                          \
      ftprof_found_ = dlsym(NULL, name);                            \
      ftprof_looked_ = 1;                                           \
    }                                                               \
    if (ftprof_found_) FTPROF_CAST_(type, ftprof_found_) arguments; \
  } while (0)

#define FTPROF_MARK(mark) FTPROF_CALL_(void (*)(const char*), "ftprof_mark", (mark))
#define FTPROF_POOL_HANDOUT(block, bytes) \
  FTPROF_CALL_(void (*)(const void*, size_t), "ftprof_pool_handout", ((block), (bytes)))
#define FTPROF_POOL_GIVEBACK(block, bytes) \
  FTPROF_CALL_(void (*)(const void*, size_t), "ftprof_pool_giveback", ((block), (bytes)))

#endif
