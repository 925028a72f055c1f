#include "analyzer/trace_reader.h"

#include <algorithm>
#include <fstream>
#include <limits>
#include <sstream>

#include "analyzer/bad_input.h"
#include "analyzer/trace_version.h"

namespace ftprof {
namespace {

namespace fs = std::filesystem;

bool is_image(const fs::path& folder) {
  std::error_code error;
  return fs::is_regular_file(folder / "metadata", error);
}

// The number in "blocks_12", or -1.
int stream_number(const std::string& name, std::string_view prefix) {
  if (name.size() <= prefix.size() || name.size() > prefix.size() + 6 || !name.starts_with(prefix))
    return -1;
  bool digits = std::all_of(name.begin() + prefix.size(), name.end(),
                            [](unsigned char c) { return c >= '0' && c <= '9'; });
  return digits ? std::stoi(name.substr(prefix.size())) : -1;
}

std::vector<fs::path> files_of(const fs::path& image, std::string_view prefix) {
  std::vector<std::pair<int, fs::path>> found;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(image, error)) {
    int number = stream_number(entry.path().filename(), prefix);
    if (number >= 0) found.emplace_back(number, entry.path());
  }
  std::sort(found.begin(), found.end());
  std::vector<fs::path> paths;
  for (auto& [number, path] : found) paths.push_back(path);
  return paths;
}

bool later(const TraceStream* a, const TraceStream* b) {
  return a->event().timestamp > b->event().timestamp;
}

std::string describe(const TraceStream& stream, const std::string& image) {
  const StreamDamage& damage = stream.damage();
  std::ostringstream text;
  text << image << "/" << stream.file_name() << ": ";
  if (damage.packets)
    text << damage.packets << (damage.packets == 1 ? " packet is" : " packets are")
         << " damaged (the first at byte " << damage.first_offset
         << "); what they held is missing. ";
  if (damage.truncated) text << "the file ends inside a packet; what followed is missing. ";
  if (damage.unknown_events)
    text << damage.unknown_events << " packets hold events of a newer ftprof and were left there. ";
  std::string line = text.str();
  line.pop_back();
  return line;
}

}  // namespace

std::vector<fs::path> find_images(const fs::path& run) {
  std::error_code error;
  if (!fs::exists(run, error))
    throw BadInput(
        run.string() +
        ": no such folder; give the folder that ftprof run wrote (ftprof.<program>.<pid>)");
  if (!fs::is_directory(run, error))
    throw BadInput(run.string() +
                   ": is a file; give the run's folder, the one that holds a folder per process");
  if (is_image(run)) return {run};
  std::vector<fs::path> images;
  for (const auto& entry : fs::directory_iterator(run, error))
    if (entry.is_directory(error) && is_image(entry.path())) images.push_back(entry.path());
  if (error) throw BadInput(run.string() + ": cannot be read: " + error.message());
  if (images.empty())
    throw BadInput(run.string() +
                   ": holds no trace; a process that makes no block of blocks.min_size leaves none "
                   "(ftprof doctor tells what else can be the cause)");
  std::sort(images.begin(), images.end());
  return images;
}

std::vector<TraceStream> open_streams(const fs::path& image, trace::StreamClass stream,
                                      const OnPacket* on_packet) {
  auto paths = files_of(image, stream == trace::kBlockStream ? "blocks_" : "faults_");
  std::vector<TraceStream> streams;
  streams.reserve(paths.size());
  for (auto& path : paths) streams.emplace_back(path, stream, on_packet);
  return streams;
}

TraceReader::TraceReader(const fs::path& image, OnPacket on_packet)
    : on_packet_(std::move(on_packet)), image_name_(image.filename().string()) {
  if (image_name_.empty()) image_name_ = image.parent_path().filename().string();
  check_trace_version(image / "metadata");
  open_streams(image);
  find_process(image);
}

void TraceReader::open_streams(const fs::path& image) {
  block_streams_ = ftprof::open_streams(image, trace::kBlockStream, &on_packet_);
  fault_streams_ = ftprof::open_streams(image, trace::kFaultStream, &on_packet_);
  if (block_streams_.empty() && fault_streams_.empty())
    throw BadInput(image.string() + ": has no streams (blocks_N, faults_N); copy the whole folder");
}

// Process is the first event of the image. A look at the first stream's beginning finds it.
void TraceReader::find_process(const fs::path& image) {
  process_.page_bytes = 4096;
  process_.huge_page_bytes = 2 * 1024 * 1024;
  for (auto& path : files_of(image, "blocks_")) {
    TraceStream stream(path, trace::kBlockStream);
    for (int i = 0; i < 100 && stream.next(); ++i) {
      if (stream.event().id != trace::Process::kId) continue;
      auto process = stream.event().as<trace::Process>();
      bool sane = process.page_bytes >= 4096 && process.page_bytes <= (1u << 20) &&
                  (process.page_bytes & (process.page_bytes - 1)) == 0;
      if (!sane) process.page_bytes = 4096;
      process_ = process;
      return;
    }
  }
}

void TraceReader::begin_merge() {
  for (TraceStream& stream : block_streams_)
    if (stream.next()) order_.push_back(&stream);
  std::make_heap(order_.begin(), order_.end(), later);
}

// Takes the stream with the earliest event off the heap and notes how far it may run alone.
TraceStream* TraceReader::earliest() {
  if (order_.empty()) return nullptr;
  std::pop_heap(order_.begin(), order_.end(), later);
  second_ =
      order_.size() > 1 ? order_.front()->event().timestamp : std::numeric_limits<uint64_t>::max();
  return order_.back();
}

void TraceReader::settle_order() {
  if (order_.back()->at_end())
    order_.pop_back();
  else
    std::push_heap(order_.begin(), order_.end(), later);
}

std::vector<std::string> TraceReader::warnings() const {
  std::vector<std::string> lines;
  for (auto* streams : {&block_streams_, &fault_streams_})
    for (const TraceStream& stream : *streams) {
      const StreamDamage& damage = stream.damage();
      if (damage.packets || damage.truncated || damage.unknown_events)
        lines.push_back(describe(stream, image_name_));
    }
  return lines;
}

namespace {
template <class Number>
uint64_t sum(const std::vector<TraceStream>& streams, Number number) {
  uint64_t total = 0;
  for (const TraceStream& stream : streams) total += (stream.*number)();
  return total;
}
}  // namespace

uint64_t TraceReader::discarded_blocks() const {
  return sum(block_streams_, &TraceStream::discarded);
}
uint64_t TraceReader::discarded_faults() const {
  return sum(fault_streams_, &TraceStream::discarded);
}
uint64_t TraceReader::events() const {
  return sum(block_streams_, &TraceStream::events) + sum(fault_streams_, &TraceStream::events);
}

}  // namespace ftprof
