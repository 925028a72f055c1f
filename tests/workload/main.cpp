// ftprof-workload: the bundled synthetic workload. One subcommand per experiment; docs/workload.md
// says what each does, how it counts and what it proves.
#include <exception>
#include <iostream>

#include "tests/workload/experiment.h"
#include "tests/workload/machine.h"

int main(int argc, char** argv) {
  using namespace ftprof::workload;
  CLI::App app("Experiments on first touches, each with a proof that its work was done.");
  app.name("ftprof-workload");
  app.require_subcommand(1);
  int status = 0;
  add_cycles(app, status);
  add_touch(app, status);
  add_walks(app, status);
  add_recycled(app, status);
  add_pagebench(app, status);
  add_sites(app, status);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  } catch (const std::exception& error) {
    std::cerr << "ftprof-workload: " << error.what() << "\n";
    return 1;
  }
  return status;
}
