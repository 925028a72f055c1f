// Where a site's bill could be smaller, how, and by how much.
//
// Each rule states its evidence and predicts from the run's own prices; `ftprof compare
// --try-advice` measures the same run with the advice's environment beside the prediction. Savings
// of different kinds for one site are alternatives: they do not add up. docs/report.md explains
// each kind.
#pragma once

#include <string>

#include "analyzer/result.h"

namespace ftprof {

// Fills Site.advice of all sites. Savings below one percent of the program's bill are left out.
void give_advice(Result& result);

// "Saves 1,024 faults, 3.20 ms."; what is unknown or nothing is left out.
std::string saving_text(const Advice& advice);

}  // namespace ftprof
