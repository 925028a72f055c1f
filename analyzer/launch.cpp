#include "analyzer/launch.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <vector>

#include "analyzer/bad_input.h"
#include "analyzer/nearest.h"

namespace ftprof {
namespace fs = std::filesystem;
namespace {

struct Allocator {
  std::string name;
  std::vector<std::string> libraries;  // file names, the preferred one first
  std::string package;                 // of Debian
};

const std::vector<Allocator> kAllocators = {
    {"jemalloc", {"libjemalloc.so.2", "libjemalloc.so"}, "libjemalloc2"},
    {"mimalloc", {"libmimalloc.so.2.0", "libmimalloc.so.2", "libmimalloc.so"}, "libmimalloc2.0"},
    {"tcmalloc",
     {"libtcmalloc_minimal.so.4", "libtcmalloc.so.4", "libtcmalloc_minimal.so", "libtcmalloc.so"},
     "libtcmalloc-minimal4"},
};

fs::path own_folder() {
  std::error_code error;
  return fs::read_symlink("/proc/self/exe", error).parent_path();
}

std::vector<fs::path> library_folders() {
  std::vector<fs::path> folders;
  if (const char* paths = std::getenv("LD_LIBRARY_PATH")) {
    std::istringstream stream(paths);
    for (std::string path; std::getline(stream, path, ':');)
      if (!path.empty()) folders.emplace_back(path);
  }
  for (const char* root : {"/usr/local/lib", "/usr/lib", "/lib"})
    for (const char* triple : {FTPROF_LIBRARY_TRIPLE, ""})
      folders.push_back(fs::path(root) / triple);
  folders.insert(folders.end(), {"/usr/local/lib64", "/usr/lib64", "/lib64"});
  return folders;
}

// The first of `names` that exists in one of `folders`; empty when none does.
std::string find_file(const std::vector<fs::path>& folders, const std::vector<std::string>& names) {
  std::error_code error;
  for (const std::string& name : names)
    for (const fs::path& folder : folders)
      if (fs::exists(folder / name, error)) return (folder / name).lexically_normal().string();
  return "";
}

std::string by_path(const std::string& path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error))
    throw BadInput("allocator " + path +
                   " is not there; name a shared library, or one of jemalloc, "
                   "mimalloc, tcmalloc, libmalloc, glibc");
  return fs::absolute(path).string();
}

std::string by_name(const std::string& name) {
  for (const Allocator& allocator : kAllocators) {
    if (allocator.name != name) continue;
    std::string found = find_file(library_folders(), allocator.libraries);
    if (!found.empty()) return found;
    throw BadInput("allocator " + name + " is not installed (" + allocator.libraries.front() +
                   " is in no library folder); install the package " + allocator.package +
                   " or give its path");
  }
  std::string hint = did_you_mean(name, allocator_names());
  throw BadInput("unknown allocator " + name + (hint.empty() ? "; give its path" : hint));
}

}  // namespace

std::string own_library(const std::string& name) {
  fs::path here = own_folder();
  std::vector<fs::path> folders = {here, here / "../preload", here / "../preload/libmalloc",
                                   here / ".." / FTPROF_LIBDIR, here / "../lib"};
  std::string found = find_file(folders, {name});
  if (found.empty())
    throw BadInput(name + " is not beside the command (" + here.string() +
                   "); build or install all of ftprof");
  return found;
}

std::vector<std::string> allocator_names() {
  std::vector<std::string> names = {"glibc", "libmalloc"};
  for (const Allocator& allocator : kAllocators) names.push_back(allocator.name);
  return names;
}

std::string allocator_library(const std::string& name) {
  if (name.empty() || name == "glibc") return "";
  if (name == "libmalloc") return own_library("libftprof-libmalloc.so");
  return name.find('/') != name.npos ? by_path(name) : by_name(name);
}

namespace {

// LD_PRELOAD separates by spaces and colons and knows no quoting.
void append(std::string& preload, const std::string& library) {
  if (library.empty()) return;
  if (library.find_first_of(" :") != library.npos)
    throw BadInput(library + ": LD_PRELOAD cannot name a path with a space or a colon; move it");
  preload += (preload.empty() ? "" : ":") + library;
}

// The C library's malloc comes last of all that is preloaded, so that it hides what the program is
// linked with and nothing that the user preloads.
constexpr const char* kLibc = "libc.so.6";

}  // namespace

std::map<std::string, std::string> launch_environment(const Settings& settings,
                                                      const std::string& allocator) {
  auto variables = settings.environment();
  std::string preload;
  append(preload, own_library("libftprof.so"));
  append(preload, allocator_library(allocator));
  const char* theirs = std::getenv("LD_PRELOAD");
  if (theirs && *theirs) preload += std::string(":") + theirs;
  if (allocator == "glibc") append(preload, kLibc);
  variables["LD_PRELOAD"] = preload;
  return variables;
}

}  // namespace ftprof
