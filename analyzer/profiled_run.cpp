#include "analyzer/profiled_run.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "analyzer/bad_input.h"
#include "analyzer/launch.h"
#include "analyzer/perf_map.h"
#include "analyzer/run_record.h"

namespace ftprof {
namespace fs = std::filesystem;
namespace {

std::string folder_for(const RunPlan& plan, pid_t pid) {
  std::string given = plan.settings.get("output.dir");
  if (!given.empty()) return fs::absolute(given).lexically_normal().string();
  std::string name = fs::path(plan.command[0]).filename().string();
  return fs::absolute("ftprof." + name + "." + std::to_string(pid)).string();
}

// Several ranks may make the same one at once.
void make_folder(const std::string& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (!error && access(folder.c_str(), W_OK | X_OK) == 0) return;
  std::string why = error ? error.message() : "it is not writable";
  throw BadInput("the run's folder " + folder + " cannot be used (" + why +
                 "); name another with -o");
}

bool has_trace(const std::string& folder) {
  std::error_code error;
  for (const auto& image : fs::directory_iterator(folder, error))
    if (fs::exists(image.path() / "metadata", error)) return true;
  return false;
}

void set_variables(const std::map<std::string, std::string>& variables) {
  for (const auto& [name, value] : variables) setenv(name.c_str(), value.c_str(), 1);
}

}  // namespace

RunDone run_profiled(const RunPlan& plan) {
  auto variables = launch_environment(plan.settings, plan.allocator);
  RunDone done;
  ChildHooks hooks;
  hooks.before_start = [&](pid_t pid) {
    done.folder = folder_for(plan, pid);
    make_folder(done.folder);
  };
  hooks.in_child = [&] {
    variables["FTPROF_OUTPUT"] = folder_for(plan, getpid());
    set_variables(variables);
    set_variables(plan.variables);
    plan.in_child();
  };
  done.outcome = run_child(plan.command, hooks);
  std::error_code ignored;
  if (done.outcome.exec_error) {
    fs::remove(done.folder, ignored);  // only when it is empty
    return done;
  }
  keep_perf_maps(done.folder);
  write_run_record(plan, done);
  done.has_trace = has_trace(done.folder);
  return done;
}

}  // namespace ftprof
