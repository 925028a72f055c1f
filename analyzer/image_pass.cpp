#include "analyzer/image_pass.h"

#include <algorithm>

#include "analyzer/attribution.h"
#include "analyzer/image_state.h"
#include "analyzer/lifetimes.h"
#include "analyzer/marks_file.h"
#include "analyzer/trace_reader.h"

namespace ftprof {
namespace {

class ImagePass : public FaultSink {
 public:
  ImagePass(const trace::Process& process, std::vector<OutsideMark> outside, bool bursts)
      : state_(process), outside_(std::move(outside)) {
    if (bursts) state_.observation.expect_gaps();
  }

  void on_faults(const FaultPiece& piece) override {
    set_outside_marks(piece.begin_ns);
    state_.tally.perf = true;
    seen_at(piece.end_ns);
    attribution_.faults(piece);
  }
  void on_window(uint32_t stream, uint64_t timestamp, const trace::Window& window) override {
    seen_at(timestamp);
    state_.observation.window(stream, timestamp, window);
  }
  void on_lost(uint64_t timestamp, uint64_t records) override {
    state_.observation.lost(timestamp, records);
  }

  void on(const trace::Process&, const RawEvent& raw) { begin(raw); }
  void on(const trace::Attribute&, const RawEvent& raw) {
    begin(raw);
    std::string key(raw.text()), value(raw.text2());
    if (key == "faults.source" && value == "perf") state_.tally.perf = true;
    if (key == "faults.reads" && value == "known") state_.tally.reads_known = true;
    if (key == "thp.enabled" && value == "always") state_.tally.may_be_huge = true;
    if (state_.tally.attributes.size() < kMostAttributes)
      state_.tally.attributes.emplace(key, value);
  }
  void on(const trace::Module& module, const RawEvent& raw) {
    begin(raw);
    state_.code.load(module, raw.text());
  }
  void on(const trace::ModuleGone& gone, const RawEvent& raw) {
    begin(raw);
    state_.code.unload(gone.begin, gone.end);
  }
  void on(const trace::Thread& thread, const RawEvent& raw) {
    begin(raw);
    state_.threads.name(thread.tid, thread.fresh, raw.text());
  }
  void on(const trace::Stack& stack, const RawEvent& raw);
  void on(const trace::Block& event, const RawEvent& raw) {
    begin(raw);
    lifetimes_.block(event);
  }
  void on(const trace::Release& event, const RawEvent& raw) {
    begin(raw);
    lifetimes_.release(event);
  }
  void on(const trace::Released& event, const RawEvent& raw) {
    begin(raw);
    lifetimes_.released(event);
  }
  void on(const trace::RangeOp& event, const RawEvent& raw) {
    begin(raw);
    lifetimes_.range(event);
  }
  void on(const trace::Residency& event, const RawEvent& raw) {
    begin(raw);
    lifetimes_.residency(event);
  }
  void on(const trace::Mapping& event, const RawEvent& raw) {
    state_.now = raw.timestamp;
    seen_at(raw.timestamp);
    if (event.pass != state_.mappings.pass()) end_reading();
    state_.mappings.line(event, raw.text());
  }
  void on(const trace::Opening& event, const RawEvent& raw) {
    begin(raw);
    if (state_.tally.opening) return;
    state_.tally.opening = event;
    state_.tally.opening_ns = raw.timestamp;
  }
  void on(const trace::Usage& event, const RawEvent& raw);
  void on(const trace::Mark&, const RawEvent& raw);
  void on(const trace::Calls& event, const RawEvent& raw) {
    begin(raw);
    state_.tally.calls[trace::api_name(event.api)] = event.calls;
  }
  void on(const trace::Placement& event, const RawEvent& raw);
  void on(const trace::Price& event, const RawEvent& raw) {
    begin(raw);
    if (event.kind < state_.tally.prices.size()) state_.tally.prices[event.kind] = event;
    // Priced once one was seen.
    if (event.kind == static_cast<trace::u8>(trace::PriceKind::huge))
      state_.tally.may_be_huge = true;
  }

  ImageTally finish();

 private:
  static constexpr size_t kMostAttributes = 10000, kMostPhases = 1000;

  void seen_at(uint64_t timestamp) {
    // Where the event that says when the image began is lost, its first one does.
    if (state_.tally.process.start_monotonic_ns == 0) {
      state_.tally.process.start_monotonic_ns = timestamp;
      state_.tally.phases.front().begin_ns = timestamp;
    }
    state_.tally.last_ns = std::max(state_.tally.last_ns, timestamp);
  }
  // `ftprof mark`: those that were set before the event at `now`.
  void set_outside_marks(uint64_t now) {
    for (; next_outside_ < outside_.size() && outside_[next_outside_].monotonic_ns <= now;
         ++next_outside_)
      begin_phase(outside_[next_outside_].name, outside_[next_outside_].monotonic_ns);
  }
  void begin_phase(std::string name, uint64_t timestamp) {
    auto& phases = state_.tally.phases;
    if (phases.size() >= kMostPhases) return;
    phases.back().end_ns = timestamp;
    phases.push_back({std::move(name), timestamp, timestamp});
  }
  void begin(const RawEvent& raw) {
    set_outside_marks(raw.timestamp);
    state_.now = raw.timestamp;
    seen_at(raw.timestamp);
  }
  // Events of other threads lie between the lines of a reading of the maps, but the thread that
  // reads them writes nothing else meanwhile: the next Usage, or the next reading, ends it.
  void end_reading() {
    if (state_.mappings.finish_pass()) attribution_.settle_unowned();
  }

  ImageState state_;
  std::vector<OutsideMark> outside_;
  size_t next_outside_ = 0;
  Attribution attribution_{state_};
  Lifetimes lifetimes_{state_, attribution_};
};

void ImagePass::on(const trace::Stack& stack, const RawEvent& raw) {
  begin(raw);
  StackTally tally;
  for (uint32_t i = 0; i < stack.depth; ++i)
    tally.frames.push_back(state_.code.return_address(raw.element<uint64_t>(i)));
  state_.tally.stacks.push_back(std::move(tally));
  lifetimes_.stack(stack.id, static_cast<uint32_t>(state_.tally.stacks.size() - 1));
}

void ImagePass::on(const trace::Usage& event, const RawEvent& raw) {
  begin(raw);
  end_reading();
  ImageTally& tally = state_.tally;
  if (!tally.first_usage) tally.first_usage = event;
  tally.last_usage = event;
  tally.has_final_usage |= event.final != 0;
  tally.lost_blocks = std::max<uint64_t>(tally.lost_blocks, +event.lost_block_records);
  if (event.resident_bytes) state_.timeline.at(raw.timestamp).resident_bytes = event.resident_bytes;
}

void ImagePass::on(const trace::Mark&, const RawEvent& raw) {
  begin(raw);
  begin_phase(std::string(raw.text()), raw.timestamp);
}

void ImagePass::on(const trace::Placement& event, const RawEvent& raw) {
  begin(raw);
  std::vector<uint32_t> counts;
  for (uint32_t i = 0; i < event.nodes; ++i) counts.push_back(raw.element<uint32_t>(i));
  lifetimes_.placement(event, counts);
}

ImageTally ImagePass::finish() {
  end_reading();
  attribution_.finish();
  lifetimes_.finish();
  ImageTally& tally = state_.tally;
  tally.phases.back().end_ns = tally.last_ns;
  tally.block_map = std::move(state_.map).rows();
  state_.history.for_each([&](uint64_t begin, const Past& past) {
    if (past.idle_pages >= 1)
      tally.longest_idle.push_back(
          {past.site, past.end - begin, static_cast<uint64_t>(past.idle_pages), past.released_ns});
  });
  auto longer = [](const ImageTally::Idle& a, const ImageTally::Idle& b) {
    return a.since_ns < b.since_ns;
  };
  std::sort(tally.longest_idle.begin(), tally.longest_idle.end(), longer);
  if (tally.longest_idle.size() > 10) tally.longest_idle.resize(10);
  tally.idle_at_end_bytes =
      static_cast<uint64_t>(std::max(0.0, state_.history.idle_pages())) * state_.page_bytes();
  return std::move(tally);
}

}  // namespace

namespace {

std::vector<ImageTally::Gap> gaps_of(const Bursts& bursts) {
  std::vector<ImageTally::Gap> gaps;
  const auto& windows = bursts.windows();
  for (size_t i = 0; i < windows.size(); ++i) {
    gaps.push_back({2 * windows[i].gap_before, windows[i].head});
    if (i > 0) gaps.back().looked_at += windows[i - 1].tail;
  }
  if (!windows.empty()) gaps.push_back({windows.back().gap_after, windows.back().tail});
  return gaps;
}

ImageTally read_once(const std::filesystem::path& folder, const OnPacket& on_packet, bool unasked) {
  TraceReader reader(folder, on_packet);
  Bursts bursts = find_bursts(folder, unasked);
  std::filesystem::path image = folder.has_filename() ? folder : folder.parent_path();
  auto pass =
      std::make_unique<ImagePass>(reader.process(), read_marks(image.string()), !bursts.empty());
  reader.read(*pass, &bursts);
  ImageTally tally = pass->finish();
  tally.path = image.string();
  tally.folder = image.filename().string();
  tally.warnings = reader.warnings();
  tally.lost_blocks = std::max(tally.lost_blocks, reader.discarded_blocks());
  tally.lost_faults += reader.discarded_faults();
  tally.gaps = gaps_of(bursts);
  return tally;
}

}  // namespace

ImageTally read_image(const std::filesystem::path& folder, const OnPacket& on_packet) {
  ImageTally tally = read_once(folder, on_packet, false);
  return tally.bursts && tally.gaps.empty() ? read_once(folder, {}, true) : std::move(tally);
}

}  // namespace ftprof
