#include "analyzer/advice_env.h"

namespace ftprof {

Environment keep_environment(const std::string& allocator, uint64_t bytes) {
  // No mapping per block, and a heap that is trimmed only above a tebibyte.
  if (allocator == "glibc")
    return {
        {"GLIBC_TUNABLES", "glibc.malloc.mmap_max=0:glibc.malloc.trim_threshold=1099511627776"}};
  // Without oversize_threshold:0, blocks of 8 MiB and more have an arena that purges at once.
  if (allocator == "jemalloc")
    return {
        {"MALLOC_CONF", "oversize_threshold:0,dirty_decay_ms:-1,muzzy_decay_ms:-1,retain:true"}};
  // A larger block has a segment of its own, which is unmapped with it.
  constexpr uint64_t kMimallocShares = 16u << 20;
  if (allocator == "mimalloc" && bytes <= kMimallocShares)
    return {{"MIMALLOC_ALLOW_DECOMMIT", "0"}, {"MIMALLOC_PAGE_RESET", "0"}};
  if (allocator == "tcmalloc")
    return {{"TCMALLOC_RELEASE_RATE", "0"}, {"TCMALLOC_AGGRESSIVE_DECOMMIT", "0"}};
  return {};
}

Environment huge_environment(const std::string& allocator, const std::string& thp_enabled) {
  if (thp_enabled != "madvise") return {};  // always: they come without asking; never: not at all
  if (allocator == "glibc") return {{"GLIBC_TUNABLES", "glibc.malloc.hugetlb=1"}};
  if (allocator == "jemalloc") return {{"MALLOC_CONF", "thp:always"}};
  if (allocator == "mimalloc") return {{"MIMALLOC_LARGE_OS_PAGES", "1"}};
  return {};
}

}  // namespace ftprof
