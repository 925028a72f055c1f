// What every target shares: libFuzzer's entry, and bad input refused in the one way that is right.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "analyzer/bad_input.h"

// Each target defines it. Any exception but BadInput is a finding, as is any sanitizer report.
void parse(std::string_view input);

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    parse({reinterpret_cast<const char*>(data), size});
  } catch (const ftprof::BadInput&) {
  }
  return 0;
}
