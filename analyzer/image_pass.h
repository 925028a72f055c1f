// One streaming pass over the trace of one process image: events in, ImageTally out.
#pragma once

#include <filesystem>
#include <string>

#include "analyzer/image_tally.h"
#include "analyzer/trace_stream.h"

namespace ftprof {

// Throws BadInput when the folder is no trace of ours.
ImageTally read_image(const std::filesystem::path& folder, const OnPacket& on_packet = {});

}  // namespace ftprof
