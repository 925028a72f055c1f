#include "analyzer/analyze.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "analyzer/advice.h"
#include "analyzer/bad_input.h"
#include "analyzer/image_pass.h"
#include "analyzer/merge.h"
#include "analyzer/run_totals.h"
#include "analyzer/trace_reader.h"

namespace ftprof {
namespace {

uint64_t bytes_of(const std::filesystem::path& image) {
  uint64_t bytes = 0;
  std::error_code error;
  for (const auto& file : std::filesystem::directory_iterator(image, error))
    if (file.is_regular_file(error)) bytes += file.file_size(error);
  return bytes;
}

// Turns packets into calls of `progress`, one for each hundredth.
class Meter {
 public:
  Meter(uint64_t all, std::function<void(double)> progress)
      : all_(all), progress_(std::move(progress)) {}
  void add(uint64_t bytes) {
    done_ += bytes;
    if (!progress_ || all_ == 0 || done_ * 100 / all_ == shown_) return;
    shown_ = done_ * 100 / all_;
    progress_(std::min(1.0, static_cast<double>(done_) / static_cast<double>(all_)));
  }

 private:
  uint64_t all_, done_ = 0, shown_ = 0;
  std::function<void(double)> progress_;
};

// Reads every image of the folders. One that is unusable is a warning when others are not.
std::vector<ImageTally> read_images(const std::vector<std::string>& folders,
                                    const AnalyzeOptions& options,
                                    std::vector<std::string>& warnings) {
  std::vector<std::filesystem::path> paths;
  uint64_t bytes = 0;
  for (const std::string& folder : folders)
    for (const auto& image : find_images(folder)) {
      paths.push_back(image);
      bytes += bytes_of(image);
    }
  Meter meter(bytes, options.progress);
  std::vector<ImageTally> images;
  std::string refusal;
  for (const auto& path : paths) try {
      images.push_back(read_image(path, [&meter](uint64_t packet) { meter.add(packet); }));
    } catch (const BadInput& bad) {
      refusal = bad.what();
      warnings.push_back(refusal);
    }
  if (images.empty()) throw BadInput(refusal);
  return images;
}

// What the traces alone do not tell.
void add_totals(const RunTotals& totals, Result& result) {
  if (totals.command.empty()) return;
  result.run.command = totals.command;
  Ledger& ledger = result.ledger;
  uint64_t traced = ledger.minor_faults + ledger.major_faults;
  ledger.run_faults = totals.faults;
  ledger.untraced_faults = totals.faults > traced ? totals.faults - traced : 0;
}

}  // namespace

Result analyze(const std::vector<std::string>& folders, const AnalyzeOptions& options) {
  std::vector<std::string> warnings;
  std::vector<ImageTally> images = read_images(folders, options, warnings);
  Symbols symbols(options.symbols);
  Result result = Merge(std::move(images), symbols).result();
  add_totals(read_run_totals(folders, warnings), result);
  result.run.warnings.insert(result.run.warnings.begin(), warnings.begin(), warnings.end());
  give_advice(result);
  return result;
}

}  // namespace ftprof
