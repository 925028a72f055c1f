// ftprof doctor: what this machine allows, what it costs, how to allow more.
#include <cstdio>

#include "analyzer/cli.h"
#include "analyzer/commands.h"
#include "analyzer/doctor.h"

namespace ftprof {

void add_doctor(CLI::App& app, int& status) {
  auto sub = add_subcommand(app, "doctor",
                            "Tell what this machine allows, what it costs, and how to allow more",
                            "ftprof doctor --json | jq .perf.permitted");
  auto as_json = std::make_shared<bool>(false);
  sub->add_flag("--json", *as_json, "For scripts; docs/commands.md lists the keys");
  sub->callback([as_json, &status] {
    Diagnosis diagnosis = examine();
    std::string text = *as_json ? doctor_json(diagnosis) : doctor_text(diagnosis);
    std::fwrite(text.data(), 1, text.size(), stdout);
    status = 0;
  });
}

}  // namespace ftprof
