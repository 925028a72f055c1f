#include "analyzer/run_record.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>

#include "analyzer/cli.h"

namespace ftprof {
namespace {

using Json = nlohmann::ordered_json;

// Under MPI or Slurm; the library looks at the same variables.
Json rank() {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"})
    if (const char* value = std::getenv(name)) return value;
  return nullptr;
}

Json record(const RunPlan& plan, const RunDone& done) {
  const ChildOutcome& outcome = done.outcome;
  Json json;
  json["schema"] = "ftprof.run/1";
  json["command"] = plan.command;
  json["pid"] = outcome.pid;
  json["rank"] = rank();
  json["exit_status"] = outcome.exit_status;
  json["signal"] = outcome.signal ? Json(outcome.signal) : Json(nullptr);
  json["start_unix_ns"] = outcome.start_unix_ns;
  json["wall_ns"] = outcome.wall_ns;
  json["user_ns"] = outcome.user_ns;
  json["system_ns"] = outcome.system_ns;
  json["minor_faults"] = outcome.minor_faults;
  json["major_faults"] = outcome.major_faults;
  json["peak_resident_bytes"] = outcome.peak_resident_bytes;
  json["allocator"] = plan.allocator.empty() ? Json(nullptr) : Json(plan.allocator);
  json["settings"] = plan.settings.given();
  json["variables"] = plan.variables;
  return json;
}

int create(const std::string& path) {
  return open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
}

}  // namespace

void write_run_record(const RunPlan& plan, const RunDone& done) {
  std::string path = done.folder + "/run.json";
  int file = create(path);
  if (file < 0 && errno == EEXIST) {
    path = done.folder + "/run." + std::to_string(done.outcome.pid) + ".json";
    file = create(path);
  }
  // Arguments may be any bytes; JSON holds text only.
  std::string text = record(plan, done).dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
  bool written =
      file >= 0 && write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  if (!written) print_line(path + " cannot be written (" + std::strerror(errno) + ")");
  if (file >= 0) close(file);
}

}  // namespace ftprof
