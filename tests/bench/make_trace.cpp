// make_trace DIR BLOCK_RECORDS FAULT_RECORDS: writes a run's folder of that size with the library's
// own stream writer: 1000 sites, eight threads, blocks of 160 KiB that come and go, their faults in
// runs of ten. Prints the bytes per record.
#include <sys/stat.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "preload/metadata.h"
#include "preload/state.h"
#include "preload/stream.h"

namespace ftprof {
namespace {

constexpr int kSites = 1000, kThreads = 8, kFaultsPerRun = 10, kLiveBlocks = 1000;
constexpr uint64_t kBlockBytes = 160 * 1024, kHeap = 0x7f0000000000;

class TraceMaker {
 public:
  explicit TraceMaker(const std::string& folder) {
    mkdir(folder.c_str(), 0700);
    std::string image = folder + "/made.1000";
    mkdir(image.c_str(), 0700);
    dir_ = sys::open_at(AT_FDCWD, image.c_str(), O_RDONLY | O_DIRECTORY);
    write_metadata();
    if (!blocks_.open(dir_, "blocks_0", trace::kBlockStream, 0) ||
        !faults_.open(dir_, "faults_0", trace::kFaultStream, 0))
      std::exit(2);
  }

  void begin() {
    blocks_.emit(now_, trace::Process{1000, 1, 1, now_, 4096, 2 << 20, 2, 1});
    attribute("exe", "/made"), attribute("faults.source", "perf");
    for (uint32_t tid = 0; tid < kThreads; tid++)
      blocks_.emit(now_, trace::Thread{1000 + tid, 1}, text_span("made"));
    for (uint32_t site = 1; site <= kSites; site++) stack(site);
    faults_.emit(now_, trace::Window{1, 1});
  }

  // One block's life: hand-out, `runs` fault runs, and the give-back of the block kLiveBlocks ago.
  void block(uint64_t number, uint64_t runs) {
    uint64_t addr = address(number);
    uint32_t tid = 1000 + number % kThreads;
    now_ += 1000;
    if (number >= kLiveBlocks) release(address(number - kLiveBlocks), tid);
    blocks_.emit(
        ++now_, trace::Block{tid, static_cast<uint32_t>(number % kSites + 1), trace::Api::malloc, 0,
                             addr, kBlockBytes, 0, 1, 0, 0, 40, 0, 1});
    for (uint64_t run = 0; run < runs; run++) fault_run(addr + run * kFaultsPerRun * 4096, tid);
  }

  void end(uint64_t faults) {
    trace::Usage usage{};
    usage.final = 1;
    usage.minor = faults;
    blocks_.emit(++now_, usage);
    blocks_.close(), faults_.close();
  }

 private:
  static uint64_t address(uint64_t number) {
    return kHeap + number % (2 * kLiveBlocks) * (1 << 20);
  }

  void attribute(const char* key, const char* value) {
    blocks_.emit(now_, trace::Attribute{}, text_span(key), text_span(value));
  }
  void stack(uint32_t id) {
    uint64_t frames[20];
    for (uint64_t i = 0; i < 20; i++) frames[i] = 0x400000 + id * 64 + i * 1048576;
    blocks_.emit(now_, trace::Stack{id, 20}, Span{frames, sizeof frames});
  }
  void release(uint64_t addr, uint32_t tid) {
    blocks_.emit(++now_, trace::Release{tid, trace::Api::free, addr, 40, 40, 0, 0});
  }
  void fault_run(uint64_t addr, uint32_t tid) {
    uint16_t samples[2 * kFaultsPerRun];
    for (int i = 0; i < kFaultsPerRun; i++)
      samples[2 * i] = i ? 50 : 0, samples[2 * i + 1] = 900 + i;
    now_ += 50 * kFaultsPerRun;
    faults_.emit(now_ - 50 * kFaultsPerRun + 1,
                 trace::FaultRun{tid, 0x500000 + addr % 64, addr, 2 * kFaultsPerRun},
                 Span{samples, sizeof samples});
  }
  void write_metadata() {
    static MetadataText text;
    describe_trace(MetadataFacts{}, &text);
    int file = sys::open_at(dir_, "metadata", O_WRONLY | O_CREAT | O_TRUNC, 0600);
    sys::write(file, text.c_str(), text.size());
    sys::close(file);
  }

  int dir_ = -1;
  uint64_t now_ = 1000000000;
  Stream blocks_, faults_;
};

uint64_t trace_bytes() {
  return g_state.trace_bytes.load();
}

}  // namespace
}  // namespace ftprof

int main(int argc, char** argv) {
  if (argc != 4)
    return std::fputs("usage: make_trace DIR BLOCK_RECORDS FAULT_RECORDS\n", stderr), 2;
  uint64_t block_records = std::strtoull(argv[2], nullptr, 10);
  uint64_t fault_records = std::strtoull(argv[3], nullptr, 10);
  uint64_t blocks = block_records / 2, runs = fault_records / ftprof::kFaultsPerRun;
  ftprof::TraceMaker maker(argv[1]);
  maker.begin();
  for (uint64_t number = 0, done = 0; number < blocks; number++) {
    uint64_t until = runs * (number + 1) / blocks;
    maker.block(number, until - done);
    done = until;
  }
  maker.end(fault_records);
  std::printf("made %llu block and %llu fault records, %.1f bytes each\n",
              static_cast<unsigned long long>(block_records),
              static_cast<unsigned long long>(fault_records),
              static_cast<double>(ftprof::trace_bytes()) / (block_records + fault_records));
}
