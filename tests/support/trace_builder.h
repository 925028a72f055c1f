// Writes traces for tests and benchmarks, from the tables of preload/trace_format.h: any sequence
// of events, without a program and without the library.
//
//   TraceBuilder trace(folder / "app.1");
//   trace.process();
//   trace.block(1000, {.tid = 1, .stack = 1, ...});
//   trace.faults(0).run(1100, {.tid = 1, .ip = 0x400, .addr = 0x10000}, {{0, 700}, {900, 650}});
//
// Streams are written when the builder goes; timestamps within one stream must not run backwards.
#pragma once

#include <cassert>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "preload/trace_format.h"

namespace ftprof::test {

class StreamBuilder {
 public:
  StreamBuilder(const std::filesystem::path& path, trace::StreamClass stream, uint32_t cpu)
      : file_(path, std::ios::binary), stream_(stream), cpu_(cpu), packet_(trace::kPacketBytes) {}
  ~StreamBuilder() { flush(); }
  StreamBuilder(const StreamBuilder&) = delete;

  template <class Event>
  void add(uint64_t timestamp, const Event& event, const std::string& tail = "") {
    const char* fixed = reinterpret_cast<const char*>(&event);
    append(timestamp, Event::kId, {fixed, fixed + trace::kFixedBytes<Event>}, tail);
  }
  // Pairs of the gap before a fault and its raw cost.
  using Samples = std::vector<std::pair<uint16_t, uint16_t>>;
  void run(uint64_t timestamp, trace::FaultRun run, const Samples& samples) {
    run.length = static_cast<uint16_t>(2 * samples.size());
    std::string tail;
    for (auto [gap, cost] : samples) tail += bytes_of(gap) + bytes_of(cost);
    add(timestamp, run, tail);
  }

  template <class Value>
  static std::string bytes_of(const Value& value) {
    return {reinterpret_cast<const char*>(&value), sizeof value};
  }

 private:
  void append(uint64_t timestamp, uint8_t id, const std::string& fixed, const std::string& tail) {
    assert(timestamp >= header_.timestamp_end);
    size_t bytes = sizeof(trace::EventHeader) + fixed.size() + tail.size();
    if (used_ + bytes > trace::kPacketBytes) flush();
    if (used_ == 0) begin(timestamp);
    put(bytes_of(trace::EventHeader{id, timestamp}));
    put(fixed);
    put(tail);
    header_.timestamp_end = timestamp;
  }
  void begin(uint64_t timestamp) {
    header_.stream_id = stream_;
    header_.cpu_id = cpu_;
    header_.packet_size = trace::kPacketBytes * 8;
    header_.timestamp_begin = timestamp;
    used_ = sizeof header_;
  }
  void put(const std::string& bytes) {
    std::memcpy(packet_.data() + used_, bytes.data(), bytes.size());
    used_ += bytes.size();
  }
  void flush() {
    if (used_ == 0) return;
    header_.content_size = used_ * 8;
    std::memcpy(packet_.data(), &header_, sizeof header_);
    std::memset(packet_.data() + used_, 0, packet_.size() - used_);
    file_.write(packet_.data(), static_cast<std::streamsize>(packet_.size()));
    used_ = 0;
  }

  std::ofstream file_;
  trace::StreamClass stream_;
  uint32_t cpu_;
  trace::PacketHeader header_;
  std::vector<char> packet_;
  size_t used_ = 0;  // 0: no packet is begun
};

class TraceBuilder {
 public:
  explicit TraceBuilder(std::filesystem::path folder, uint32_t version = trace::kTraceVersion)
      : folder_(std::move(folder)) {
    std::filesystem::create_directories(folder_);
    std::ofstream(folder_ / "metadata")
        << "/* CTF 1.8 */\nenv {\n  tracer_name = \"ftprof\";\n  ftprof_trace_version = " << version
        << ";\n};\n";
  }

  StreamBuilder& blocks(uint32_t slot = 0) { return stream("blocks_", trace::kBlockStream, slot); }
  StreamBuilder& faults(uint32_t cpu = 0) { return stream("faults_", trace::kFaultStream, cpu); }
  // Writes what is buffered and closes the files.
  void finish() { streams_.clear(); }

  void process(uint32_t pid = 100, uint64_t start_ns = 1000, uint32_t page_bytes = 4096) {
    blocks().add(start_ns, trace::Process{pid, 1, 1'700'000'000'000'000'000 + start_ns, start_ns,
                                          page_bytes, 2 << 20, 2, 1});
  }
  void attribute(uint64_t timestamp, const std::string& key, const std::string& value) {
    blocks().add(timestamp, trace::Attribute{}, key + '\0' + value + '\0');
  }
  void thread(uint64_t timestamp, uint32_t tid, const std::string& name, bool fresh = false) {
    blocks().add(timestamp, trace::Thread{tid, fresh}, name + '\0');
  }
  void stack(uint64_t timestamp, uint32_t id, const std::vector<uint64_t>& frames) {
    std::string tail;
    for (uint64_t frame : frames) tail += StreamBuilder::bytes_of(frame);
    blocks().add(timestamp, trace::Stack{id, static_cast<uint32_t>(frames.size())}, tail);
  }
  void mark(uint64_t timestamp, uint32_t tid, const std::string& name) {
    blocks().add(timestamp, trace::Mark{tid}, name + '\0');
  }
  void mapping(uint64_t timestamp, const trace::Mapping& mapping, const std::string& name) {
    blocks().add(timestamp, mapping, name + '\0');
  }
  void usage(uint64_t timestamp, uint64_t minor, bool final = true, uint64_t self_faults = 0) {
    trace::Usage usage{};
    usage.final = final;
    usage.minor = minor;
    usage.self_faults = self_faults;
    blocks().add(timestamp, usage);
  }
  // A block whose pages nobody looked up, unless the caller says otherwise.
  static trace::Block plain_block(uint32_t tid, uint32_t stack, trace::Api api, uint64_t addr,
                                  uint64_t size) {
    trace::Block block{};
    block.tid = tid;
    block.stack = stack;
    block.api = api;
    block.addr = addr;
    block.size = size;
    block.resident_pages = trace::kUnknownPages;
    block.weight = 1;
    return block;
  }

 private:
  StreamBuilder& stream(const std::string& prefix, trace::StreamClass stream, uint32_t number) {
    auto& entry = streams_[prefix + std::to_string(number)];
    if (!entry)
      entry = std::make_unique<StreamBuilder>(folder_ / (prefix + std::to_string(number)), stream,
                                              number);
    return *entry;
  }

  std::filesystem::path folder_;
  std::map<std::string, std::unique_ptr<StreamBuilder>> streams_;
};

}  // namespace ftprof::test
