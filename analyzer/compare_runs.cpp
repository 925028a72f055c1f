#include "analyzer/compare_runs.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "analyzer/bad_input.h"
#include "analyzer/launch.h"
#include "analyzer/load_report.h"
#include "analyzer/profiled_run.h"
#include "analyzer/program.h"

namespace ftprof {

namespace {

namespace fs = std::filesystem;

void redirect(int descriptor, const std::string& path, int flags) {
  int opened = open(path.c_str(), flags | O_CLOEXEC, 0600);
  if (opened < 0) return;
  dup2(opened, descriptor);
  if (opened != descriptor) close(opened);
}

bool same_bytes(const std::string& a, const std::string& b) {
  std::ifstream one(a, std::ios::binary), other(b, std::ios::binary);
  std::istreambuf_iterator<char> end;
  return std::equal(std::istreambuf_iterator<char>(one), end, std::istreambuf_iterator<char>(other),
                    end);
}

// The last line that the program wrote to standard error, to say with its failure.
std::string last_line(const std::string& path) {
  constexpr std::streamoff kTail = 400;
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  std::streamoff size = file.tellg();
  if (!file || size <= 0) return "";
  file.seekg(std::max<std::streamoff>(0, size - kTail));
  std::string line, last;
  while (std::getline(file, line))
    if (!line.empty()) last = line;
  return last;
}

struct Ended {
  RunDone done;
  std::string out, err;  // files
};

class Runner {
 public:
  explicit Runner(const ComparePlan& plan) : plan_(plan) {
    for (const Variant& variant : plan.variants) {
      allocator_library(variant.allocator);  // refuses before anything runs
      all_.variants.push_back({variant, {}, {}});
    }
  }

  CompareRuns all() {
    size_t count = plan_.variants.size();
    for (size_t round = 0; round < plan_.rounds; ++round)
      for (size_t i = 0; i < count; ++i) one(round % 2 ? count - 1 - i : i, round);
    note_output();
    return std::move(all_);
  }

 private:
  void one(size_t index, size_t round) {
    const Variant& variant = plan_.variants[index];
    plan_.progress(std::to_string(round + 1) + "/" + std::to_string(plan_.rounds) + " " +
                   variant.name);
    Ended ended = run(variant, index, round);
    if (ended.done.outcome.exec_error)
      throw BadInput(plan_.command[0] +
                     ": cannot be started: " + std::strerror(ended.done.outcome.exec_error));
    if (ended.done.outcome.signal == SIGINT) throw BadInput("interrupted");
    std::string failure = judge(ended);
    std::string where = "run " + std::to_string(round + 1) + " ";
    if (failure.empty())
      keep(ended, all_.variants[index]);
    else
      all_.variants[index].failures.push_back(where + failure);
  }

  Ended run(const Variant& variant, size_t index, size_t round) const {
    std::string base = plan_.folder + "/" + std::to_string(index) + "." + std::to_string(round);
    Ended ended{{}, base + ".out", base + ".err"};
    RunPlan run;
    run.command = plan_.command;
    run.settings = plan_.settings;
    run.settings.set("output.dir", base, "compare");
    run.allocator = variant.allocator;
    run.variables = variant.env;
    run.in_child = [&] {
      redirect(STDIN_FILENO, "/dev/null", O_RDONLY);
      redirect(STDOUT_FILENO, ended.out, O_WRONLY | O_CREAT | O_TRUNC);
      redirect(STDERR_FILENO, ended.err, O_WRONLY | O_CREAT | O_TRUNC);
    };
    ended.done = run_profiled(run);
    return ended;
  }

  // Empty when the run is as the first one was.
  std::string judge(const Ended& ended) {
    const ChildOutcome& outcome = ended.done.outcome;
    std::string said = last_line(ended.err);
    if (!said.empty()) said = ": " + said;
    if (outcome.signal) return "was killed by " + std::string(strsignal(outcome.signal)) + said;
    if (first_out_.empty()) {
      first_status_ = outcome.exit_status;
      first_out_ = ended.out;
    } else if (outcome.exit_status != first_status_) {
      return "ended with status " + std::to_string(outcome.exit_status) + ", the first run with " +
             std::to_string(first_status_) + said;
    }
    if (!ended.done.has_trace) return "recorded nothing: no large block was made" + said;
    return "";
  }

  void keep(const Ended& ended, VariantRuns& variant) {
    if (!same_bytes(first_out_, ended.out)) differing_.push_back(variant.variant.name);
    GoodRun run;
    try {
      run.result = load_report(ended.done.folder);
    } catch (const BadInput& error) {
      variant.failures.push_back(std::string("left a trace that cannot be read: ") + error.what());
      return;
    }
    note_allocator(variant.variant, run.result);
    // Only exports need these, and there can be a hundred runs.
    run.result.slices = {};
    run.result.blocks = {};
    run.result.block_map = {};
    run.wall_ns = static_cast<double>(ended.done.outcome.wall_ns);
    run.cpu_ns = static_cast<double>(ended.done.outcome.user_ns + ended.done.outcome.system_ns);
    run.peak_resident_bytes = static_cast<double>(ended.done.outcome.peak_resident_bytes);
    variant.runs.push_back(std::move(run));
  }

  // A program may bring its own malloc, which nothing that is preloaded replaces.
  void note_allocator(const Variant& variant, const Result& result) {
    std::vector<std::string> known = allocator_names();
    const std::string& ran = result.run.allocator_name;
    if (std::find(known.begin(), known.end(), variant.allocator) == known.end()) return;
    if (ran == variant.allocator || ran.empty()) return;
    std::string note = variant.name + " ran with the malloc of " + result.run.allocator_library;
    if (std::find(all_.notes.begin(), all_.notes.end(), note) == all_.notes.end())
      all_.notes.push_back(note);
  }

  // Where even the first variant's runs differ among themselves, output says nothing.
  void note_output() {
    if (differing_.empty()) return;
    const std::string& reference = plan_.variants[0].name;
    bool by_itself = std::find(differing_.begin(), differing_.end(), reference) != differing_.end();
    if (by_itself) {
      all_.notes.push_back("the program's output differs from run to run under " + reference +
                           " alone, so it was not compared");
    } else if (plan_.rounds == 1) {
      all_.notes.push_back("the output under " + differing_.front() + " differs from that under " +
                           reference + "; with --runs 2 ftprof can tell whether it always varies");
    } else {
      for (VariantRuns& variant : all_.variants)
        if (auto times = std::count(differing_.begin(), differing_.end(), variant.variant.name))
          variant.failures.push_back(std::to_string(times) +
                                     " of its runs wrote another output than "
                                     "under " +
                                     reference + ", where it is always the same");
    }
  }

  const ComparePlan& plan_;
  CompareRuns all_;
  int first_status_ = 0;
  std::string first_out_;
  std::vector<std::string> differing_;  // names of variants, once a run
};

}  // namespace

CompareRuns run_variants(const ComparePlan& plan) {
  FoundProgram found = find_program(plan.command[0]);
  if (found.path.empty())
    throw BadInput(plan.command[0] + ": cannot be started: " + std::strerror(found.error));
  return Runner(plan).all();
}

}  // namespace ftprof
