// A CheckReport for people, for machines, for a pull request, and for two CI systems.
#pragma once

#include <ostream>
#include <string>

#include "analyzer/check.h"

namespace ftprof {

void print_check_text(const CheckReport& report, std::ostream& out);
void print_check_markdown(const CheckReport& report, std::ostream& out);
void print_check_json(const CheckReport& report, std::ostream& out);
// One test case a limit, as GitLab, Jenkins and others read it.
void print_check_junit(const CheckReport& report, std::ostream& out);
// Workflow commands of GitHub Actions, one for each limit that is exceeded. Paths under
// `workspace` are made relative, so that they show beside the code.
void print_check_annotations(const CheckReport& report, const std::string& workspace,
                             std::ostream& out);

}  // namespace ftprof
