// Reading a perf ring, with a ring made here.
#include <gtest/gtest.h>
#include <string.h>

#include <string>
#include <vector>

#include "preload/perf_ring.h"

namespace ftprof {
namespace {

struct Seen : RingVisitor {
  std::vector<std::string> lines;
  void add(std::string line) { lines.push_back(std::move(line)); }
  static std::string text(uint64_t value) { return " " + std::to_string(value); }

  void on_entry(uint32_t tid, uint64_t ip, uint64_t addr, uint64_t time) override {
    add("entry" + text(tid) + text(ip) + text(addr) + text(time));
  }
  void on_handled(uint32_t tid, uint64_t addr, uint64_t time, bool major) override {
    add((major ? "major" : "minor") + text(tid) + text(addr) + text(time));
  }
  void on_lost(uint64_t records) override { add("lost" + text(records)); }
  void on_thread_name(uint32_t tid, const char* name) override {
    add("name" + text(tid) + " " + name);
  }
  void on_thread_begin(uint32_t tid, uint32_t parent) override {
    add("begin" + text(tid) + text(parent));
  }
  void on_thread_end(uint32_t tid) override { add("end" + text(tid)); }
};

class FakeRing {
 public:
  static constexpr size_t kPage = 4096, kBytes = 4096;
  FakeRing() : memory_(kPage + kBytes) { ring.attach(memory_.data(), kPage, kBytes); }

  void put(uint32_t type, const std::vector<uint64_t>& words) {
    perf_event_header header{type, 0, static_cast<uint16_t>(8 + 8 * words.size())};
    put_bytes(&header, sizeof header);
    put_bytes(words.data(), 8 * words.size());
    page()->data_head = head_;
  }
  void put_bytes(const void* data, size_t bytes) {
    for (size_t i = 0; i < bytes; ++i)
      memory_[kPage + head_++ % kBytes] = static_cast<const char*>(data)[i];
  }
  void entry(uint64_t tid, uint64_t ip, uint64_t addr, uint64_t time) {
    put(PERF_RECORD_SAMPLE, {ip, tid << 32, time, addr});
  }
  perf_event_mmap_page* page() { return reinterpret_cast<perf_event_mmap_page*>(memory_.data()); }
  std::vector<std::string> drain() {
    Seen seen;
    ring.drain(seen);
    return seen.lines;
  }

  PerfRing ring;

 private:
  alignas(64) std::vector<char> memory_;
  uint64_t head_ = 0;
};

using Lines = std::vector<std::string>;

TEST(PerfRing, TellsSamplesApartBySize) {
  FakeRing fake;
  fake.entry(5, 100, 200, 300);
  fake.put(PERF_RECORD_SAMPLE, {5ULL << 32, 400, 200});
  fake.put(PERF_RECORD_SAMPLE, {5ULL << 32, 500, 600, 1, 1});
  fake.put(PERF_RECORD_LOST, {1, 77});
  EXPECT_EQ(fake.drain(),
            (Lines{"entry 5 100 200 300", "minor 5 200 400", "major 5 600 500", "lost 77"}));
  EXPECT_TRUE(fake.drain().empty());
}

TEST(PerfRing, ThreadsComeGoAndNameThemselves) {
  FakeRing fake;
  fake.put(PERF_RECORD_FORK, {1 | 1ULL << 32, 9 | 5ULL << 32, 123});
  uint64_t name[2] = {};
  memcpy(name, "worker-3", 8);
  fake.put(PERF_RECORD_COMM, {1 | 9ULL << 32, name[0], name[1]});
  fake.put(PERF_RECORD_EXIT, {1 | 1ULL << 32, 9 | 5ULL << 32, 456});
  EXPECT_EQ(fake.drain(), (Lines{"begin 9 5", "name 9 worker-3", "end 9"}));
}

TEST(PerfRing, RecordsWrapAroundTheEnd) {
  FakeRing fake;
  uint64_t expected = 0, seen = 0;
  for (int round = 0; round < 100; ++round) {
    for (int i = 0; i < 70; ++i) fake.entry(1, 2, expected++, 4);
    for (const std::string& line : fake.drain()) {
      EXPECT_EQ(line, "entry 1 2 " + std::to_string(seen++) + " 4");
    }
  }
  EXPECT_EQ(seen, expected);
  EXPECT_EQ(fake.page()->data_tail, fake.page()->data_head);
}

TEST(PerfRing, UnknownAndLongRecordsAreSkippedAndNonsenseEndsTheRound) {
  FakeRing fake;
  fake.put(99, {1, 2, 3});
  fake.put(PERF_RECORD_SAMPLE, std::vector<uint64_t>(100));
  fake.put(PERF_RECORD_SAMPLE, {1, 2});
  fake.entry(1, 2, 3, 4);
  EXPECT_EQ(fake.drain(), (Lines{"entry 1 2 3 4"}));
  perf_event_header nonsense{PERF_RECORD_SAMPLE, 0, 0};
  fake.put_bytes(&nonsense, sizeof nonsense);
  fake.page()->data_head += sizeof nonsense;
  EXPECT_TRUE(fake.drain().empty());
  fake.entry(1, 2, 3, 5);
  EXPECT_EQ(fake.drain(), (Lines{"entry 1 2 3 5"}));
}

}  // namespace
}  // namespace ftprof
