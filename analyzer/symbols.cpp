#include "analyzer/symbols.h"

#include <cstdlib>

#include "analyzer/symbol_file.h"

namespace ftprof {

struct Symbols::Module {
  std::string path, build_id;
  std::unique_ptr<SymbolFile> file;
  std::unordered_map<uint64_t, std::vector<Frame>> cache;  // by the instruction's address
};

Symbols::Symbols(SymbolOptions options) : options_(std::move(options)) {
  // libdwfl asks the servers whenever the variable is set.
  if (!options_.debuginfod) unsetenv("DEBUGINFOD_URLS");
}

Symbols::~Symbols() = default;

uint32_t Symbols::module(const std::string& path, const std::string& build_id) {
  auto next = static_cast<uint32_t>(modules_.size());
  auto [handle, is_new] = handles_.try_emplace({path, build_id}, next);
  if (is_new) modules_.push_back(std::make_unique<Module>(Module{path, build_id, nullptr, {}}));
  return handle->second;
}

const std::vector<Frame>& Symbols::frames(uint32_t handle, uint64_t address, AddressKind kind) {
  Module& module = *modules_.at(handle);
  uint64_t instruction = address - (kind == AddressKind::return_address && address ? 1 : 0);
  auto [entry, is_new] = module.cache.try_emplace(instruction);
  if (is_new) entry->second = look_up(module, instruction);
  return entry->second;
}

std::vector<Frame> Symbols::look_up(Module& module, uint64_t address) {
  if (!module.file)
    module.file = std::make_unique<SymbolFile>(module.path, module.build_id, options_);
  std::vector<Frame> frames = module.file->find(address);
  if (frames.empty()) frames.emplace_back();
  for (Frame& frame : frames) {
    if (frame.function.empty()) frame.function = "??";
    frame.module = module.path;
    frame.module_offset = address;
  }
  return frames;
}

std::vector<std::string> Symbols::warnings() const {
  std::vector<std::string> warnings;
  for (const auto& module : modules_)
    if (module->file && !module->file->warning().empty())
      warnings.push_back(module->file->warning());
  return warnings;
}

}  // namespace ftprof
