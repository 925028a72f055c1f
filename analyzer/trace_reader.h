// A run's folder: which process images it holds, and the events of one image in the order of time.
//
// Block streams are merged by timestamp; before each of their events the faults that happened
// earlier are handed out. One streaming pass, memory of one packet per stream.
#pragma once

#include <cstdint>
#include <filesystem>
#include <queue>
#include <string>
#include <vector>

#include "analyzer/fault_feed.h"
#include "analyzer/trace_stream.h"

namespace ftprof {

// The folders of the process images in `run` (or `run` itself when it is one), sorted by name.
// Throws BadInput: no such folder, or nothing in it that ftprof wrote.
std::vector<std::filesystem::path> find_images(const std::filesystem::path& run);

// The streams of one kind in an image's folder. on_packet must outlive them.
std::vector<TraceStream> open_streams(const std::filesystem::path& image, trace::StreamClass stream,
                                      const OnPacket* on_packet = nullptr);

class TraceReader {
 public:
  // Throws BadInput when the folder is no trace, or one of a newer version.
  explicit TraceReader(const std::filesystem::path& image, OnPacket on_packet = {});
  TraceReader(const TraceReader&) = delete;

  // The first event of the image, if it is intact: page size and times for what follows.
  const trace::Process& process() const { return process_; }

  // Calls sink.on(Event, RawEvent) for each event of the block streams, and the FaultSink part of
  // it for the faults between them. bursts: what these stand for beside themselves.
  template <class Sink>
  void read(Sink& sink, const Bursts* bursts = nullptr) {
    FaultFeed faults(fault_streams_, process_.page_bytes, bursts);
    begin_merge();
    while (TraceStream* stream = earliest()) {
      do {
        faults.drain(stream->event().timestamp, sink);
        dispatch_block_event(stream->event(), sink);
      } while (stream->next() && stream->event().timestamp <= second_);
      settle_order();
    }
    faults.drain(std::numeric_limits<uint64_t>::max(), sink);
  }

  std::vector<std::string> warnings() const;  // what could not be read, one sentence each
  uint64_t discarded_blocks() const;
  uint64_t discarded_faults() const;
  uint64_t events() const;

 private:
  void open_streams(const std::filesystem::path& image);
  void find_process(const std::filesystem::path& image);
  void begin_merge();
  TraceStream* earliest();
  void settle_order();

  trace::Process process_{};
  OnPacket on_packet_;
  std::string image_name_;
  std::vector<TraceStream> block_streams_, fault_streams_;
  std::vector<TraceStream*> order_;  // a heap, the earliest event first
  uint64_t second_ = 0;              // of the stream behind the earliest
};

}  // namespace ftprof
