#include "analyzer/packed.h"

#include <zlib.h>

#include <stdexcept>

namespace ftprof {

namespace {

constexpr int kGzipWindow = 15 + 16;  // the largest window; 16 asks for the gzip wrapper
constexpr char kAlphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

// Three bytes, missing ones as 0, to four characters.
void append_quantum(std::string& out, std::string_view bytes) {
  uint32_t bits = 0;
  for (size_t i = 0; i < 3; i++)
    bits = bits << 8 | (i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : 0);
  for (size_t i = 0; i < 4; i++)
    out += i <= bytes.size() ? kAlphabet[bits >> (18 - 6 * i) & 63] : '=';
}

}  // namespace

std::string gzip(std::string_view bytes) {
  z_stream stream = {};
  if (deflateInit2(&stream, 6, Z_DEFLATED, kGzipWindow, 8, Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::runtime_error("zlib could not begin to compress");
  std::string out(deflateBound(&stream, bytes.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  int status = deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  if (status != Z_STREAM_END) throw std::runtime_error("zlib could not compress the data");
  return out;
}

std::string base64(std::string_view bytes) {
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (size_t at = 0; at < bytes.size(); at += 3) append_quantum(out, bytes.substr(at, 3));
  return out;
}

}  // namespace ftprof
