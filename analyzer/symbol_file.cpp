#include "analyzer/symbol_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>

#include "analyzer/demangle.h"

namespace ftprof {
namespace {

// "/usr/bin/app (deleted)", as the kernel names a file that was replaced while it ran.
std::string without_deleted(const std::string& path) {
  constexpr std::string_view kMark = " (deleted)";
  return path.ends_with(kMark) ? path.substr(0, path.size() - kMark.size()) : path;
}

// Never waits (a path may name a pipe) and takes regular files only.
int open_regular(const std::string& path) {
  int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  struct stat status;
  if (file < 0 || (fstat(file, &status) == 0 && S_ISREG(status.st_mode))) return file;
  close(file);
  return -1;
}

std::string hex(const unsigned char* bytes, int count) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (int i = 0; i < count; ++i) text += {kDigits[bytes[i] >> 4], kDigits[bytes[i] & 15]};
  return text;
}

std::string build_id_of(Dwfl_Module* module) {
  const unsigned char* bits = nullptr;
  GElf_Addr address = 0;
  int count = dwfl_module_build_id(module, &bits, &address);
  return count > 0 ? hex(bits, count) : "";
}

std::string joined(const std::vector<std::string>& folders) {
  std::string text = ":.debug";  // the file's own folder, and .debug in it
  for (const std::string& folder : folders) text += ":" + folder;
  return text;
}

}  // namespace

struct SymbolFile::Session {
  explicit Session(const SymbolOptions& options)
      : debug_path(joined(options.debug_folders)), debug_path_pointer(debug_path.data()) {
    callbacks.find_elf = dwfl_build_id_find_elf;
    callbacks.find_debuginfo = dwfl_standard_find_debuginfo;
    callbacks.debuginfo_path = &debug_path_pointer;
    dwfl = dwfl_begin(&callbacks);
  }
  ~Session() { dwfl_end(dwfl); }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // With base 0 and its own addresses kept, a module's addresses are the ELF's.
  Dwfl_Module* report(const std::string& path) {
    int file = open_regular(path);
    if (file < 0) return nullptr;
    dwfl_report_begin(dwfl);
    Dwfl_Module* module = dwfl_report_elf(dwfl, path.c_str(), path.c_str(), file, 0, true);
    dwfl_report_end(dwfl, nullptr, nullptr);
    if (!module) close(file);  // else libdwfl has it
    return module;
  }

  std::string debug_path;
  char* debug_path_pointer;
  Dwfl_Callbacks callbacks = {};
  Dwfl* dwfl = nullptr;
};

SymbolFile::SymbolFile(const std::string& path, const std::string& build_id,
                       const SymbolOptions& options)
    : path_(path), options_(options) {
  if (path.empty() || path[0] != '/') return;  // [vdso], [heap], anonymous code: no file to read
  if (open(without_deleted(path), build_id) || open_debug_file(build_id)) index();
}

SymbolFile::~SymbolFile() = default;

bool SymbolFile::open(const std::string& path, const std::string& build_id) {
  auto session = std::make_unique<Session>(options_);
  Dwfl_Module* module = session->report(path);
  if (module && (build_id.empty() || build_id_of(module) == build_id)) {
    session_ = std::move(session);
    module_ = module;
    return true;
  }
  if (session_) return false;
  warn_unusable(module != nullptr);
  return false;
}

void SymbolFile::warn_unusable(bool changed) {
  warning_ = changed ? path_ +
                           " changed since the run (its build id differs), so its code has no "
                           "names; keep the file of the run, or install its debug package"
                     : path_ + " cannot be read, so its code has no names";
}

bool SymbolFile::open_debug_file(const std::string& build_id) {
  if (build_id.size() < 4) return false;
  std::string warning = warning_;
  std::string tail = "/.build-id/" + build_id.substr(0, 2) + "/" + build_id.substr(2) + ".debug";
  for (const std::string& folder : options_.debug_folders) {
    if (!open(folder + tail, build_id)) continue;
    warning_.clear();
    return true;
  }
  warning_ = warning;
  return false;
}

void SymbolFile::index() {
  if (Dwarf* dwarf = dwfl_module_getdwarf(module_, &dwarf_bias_))
    dwarf_ = std::make_unique<DwarfIndex>(dwarf);
  symbols_ = std::make_unique<SymbolTable>(module_);
}

std::vector<Frame> SymbolFile::frames_of(const std::vector<SourceFrame>& source) const {
  std::vector<Frame> frames;
  for (const SourceFrame& from : source) {
    Frame frame;
    frame.function = from.function;
    frame.file = from.file;
    frame.line = from.line;
    frame.inlined = from.inlined;
    frames.push_back(std::move(frame));
  }
  return frames;
}

// The symbol's name, where DWARF has none, or none with arguments (gcc leaves linkage names out for
// functions of internal linkage).
void SymbolFile::add_symbol(std::vector<Frame>& frames, bool plain, uint64_t address) const {
  SymbolTable::Match match = symbols_->find(address);
  if (!match.symbol) return;
  std::string name = demangle(match.symbol->name);
  bool better = frames.empty() || frames.back().function.empty() ||
                (plain && match.inside && name != match.symbol->name);
  if (!better) return;
  if (frames.empty()) frames.emplace_back();
  frames.back().function = name;
  frames.back().nearest = !match.inside;
}

std::vector<Frame> SymbolFile::find(uint64_t address) {
  if (!module_) return {};
  std::vector<SourceFrame> source;
  if (dwarf_) source = dwarf_->find(address - dwarf_bias_);
  std::vector<Frame> frames = frames_of(source);
  bool plain = source.empty() || source.back().function.empty() || source.back().plain;
  if (plain) add_symbol(frames, plain, address);
  return frames;
}

}  // namespace ftprof
