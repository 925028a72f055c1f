#include "analyzer/analyze.h"

#include "analyzer/advice.h"
#include "analyzer/bad_input.h"
#include "analyzer/image_pass.h"
#include "analyzer/merge.h"
#include "analyzer/trace_reader.h"

namespace ftprof {
namespace {

// Reads every image of the folders. One that is unusable is a warning when others are not.
std::vector<ImageTally> read_images(const std::vector<std::string>& folders,
                                    std::vector<std::string>& warnings) {
  std::vector<ImageTally> images;
  std::string refusal;
  for (const std::string& folder : folders)
    for (const auto& image : find_images(folder)) try {
        images.push_back(read_image(image));
      } catch (const BadInput& bad) {
        refusal = bad.what();
        warnings.push_back(refusal);
      }
  if (images.empty()) throw BadInput(refusal);
  return images;
}

}  // namespace

Result analyze(const std::vector<std::string>& folders, const AnalyzeOptions& options) {
  std::vector<std::string> warnings;
  std::vector<ImageTally> images = read_images(folders, warnings);
  Symbols symbols(options.symbols);
  Result result = Merge(std::move(images), symbols).result();
  result.run.warnings.insert(result.run.warnings.begin(), warnings.begin(), warnings.end());
  give_advice(result);
  return result;
}

}  // namespace ftprof
