#include "analyzer/block_lives.h"

#include <algorithm>
#include <utility>

namespace ftprof {
namespace {
bool larger(const LifeTally& a, const LifeTally& b) {
  return a.bytes > b.bytes;
}
}  // namespace

void BlockLives::add(LifeTally life) {
  auto& lives = tally_.lives;
  if (lives.size() == kMost) {
    std::pop_heap(lives.begin(), lives.end(), larger);
    lives.pop_back();
    leave_out();
  }
  lives.push_back(std::move(life));
  std::push_heap(lives.begin(), lives.end(), larger);
}

}  // namespace ftprof
