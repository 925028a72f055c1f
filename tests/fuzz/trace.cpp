// A process image's trace. The input is one byte and two streams:
//
//   | how | u16 length of the first | blocks … | faults … |
//
// how 0: each stream is the content of a well-formed packet, so that the events are reached; how 1:
// the bytes are the file, so that the packet headers are. The result is worked out in full.
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <string>

#include "analyzer/analyze.h"
#include "preload/trace_format.h"
#include "tests/fuzz/target.h"

namespace {

namespace trace = ftprof::trace;

const std::string kMetadata =
    "/* CTF 1.8 */\n\nenv {\n\ttracer_name = \"ftprof\";\n\tftprof_trace_version = 1;\n};\n";

// A run's folder in memory, made once.
const std::string& image_folder() {
  static const std::string folder = [] {
    char made[] = "/dev/shm/ftprof-fuzz.XXXXXX";
    std::string run = mkdtemp(made), image = run + "/fuzz.1";
    mkdir(image.c_str(), 0700);
    return image;
  }();
  return folder;
}

void write_file(const char* name, std::string_view bytes) {
  std::string path = image_folder() + "/" + name;
  int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (write(file, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size())) abort();
  close(file);
}

std::string packet_with(std::string_view content, trace::StreamClass stream) {
  content = content.substr(0, trace::kPacketBytes - sizeof(trace::PacketHeader));
  trace::PacketHeader header;
  header.stream_id = stream;
  header.timestamp_end = ~0ull >> 1;
  header.content_size = 8 * (sizeof header + content.size());
  header.packet_size = 8 * trace::kPacketBytes;
  std::string packet(trace::kPacketBytes, '\0');
  std::memcpy(packet.data(), &header, sizeof header);
  std::memcpy(packet.data() + sizeof header, content.data(), content.size());
  return packet;
}

void write_stream(const char* name, std::string_view bytes, trace::StreamClass stream, bool raw) {
  write_file(name, raw ? std::string(bytes) : packet_with(bytes, stream));
}

}  // namespace

void parse(std::string_view input) {
  if (input.size() < 3) return;
  bool raw = input[0] & 1;
  uint16_t first;
  std::memcpy(&first, input.data() + 1, sizeof first);
  input.remove_prefix(3);
  std::string_view blocks = input.substr(0, first);
  write_file("metadata", kMetadata);
  write_stream("blocks_0", blocks, trace::kBlockStream, raw);
  write_stream("faults_0", input.substr(blocks.size()), trace::kFaultStream, raw);
  ftprof::analyze({image_folder().substr(0, image_folder().rfind('/'))});
}
