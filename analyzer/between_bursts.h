// Who may have had the faults between bursts that page counts do not show: the other owners, as the
// bursts see them, and second faults on blocks' pages.
#pragma once

#include "analyzer/image_bill.h"
#include "analyzer/unseen.h"

namespace ftprof {

// The owners in their order, then the sites in theirs. Of an owner: beyond what was recorded. Of a
// site: second faults beyond the recorded ones.
std::vector<Unseen> unseen_between_bursts(const ImageTally& image, const ImageBill& bill);

// What nobody can see between the bursts: one fault for as many as were looked at beside each gap.
double blind_spot(const ImageTally& image);

}  // namespace ftprof
