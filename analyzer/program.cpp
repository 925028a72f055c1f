#include "analyzer/program.h"

#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

#include "analyzer/elf_facts.h"

namespace ftprof {
namespace fs = std::filesystem;
namespace {

bool is_file(const std::string& path) {
  struct stat status;
  return stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

FoundProgram at(const std::string& path) {
  if (access(path.c_str(), F_OK) != 0) return {"", errno == EACCES ? EACCES : ENOENT};
  if (!is_file(path) || access(path.c_str(), X_OK) != 0) return {"", EACCES};
  return {path, 0};
}

// The loader drops LD_PRELOAD when the program gets rights that its caller has not.
std::string gained_rights(const std::string& path) {
  struct stat status;
  if (stat(path.c_str(), &status) != 0 || prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1) return "";
  if ((status.st_mode & S_ISUID) && status.st_uid != getuid()) return "is setuid";
  if ((status.st_mode & S_ISGID) && status.st_gid != getgid()) return "is setgid";
  bool capable = getxattr(path.c_str(), "security.capability", nullptr, 0) > 0;
  return capable && geteuid() != 0 ? "has file capabilities" : "";
}

bool links(const ElfFacts& facts, std::string_view library) {
  return std::ranges::any_of(facts.needed, [&](auto& name) { return name.starts_with(library); });
}

// At most one reason a file: the first one hides everything behind it.
std::string reason(const std::string& path, const ElfFacts& facts) {
  std::string rights = gained_rights(path);
  if (!rights.empty())
    return rights +
           ", so the loader ignores LD_PRELOAD and nothing of it is recorded; run it as "
           "the user whose rights it takes";
  if (facts.is_64_bit != (sizeof(void*) == 8))
    return "is of another word size than libftprof.so, so the loader cannot preload it and nothing "
           "is recorded; build ftprof for that size too";
  if (facts.interpreter.empty() && facts.soname.empty())
    return std::string("is statically linked") + (facts.is_go ? " (Go)" : "") +
           ", so nothing can be preloaded and nothing is recorded; link it dynamically";
  if (facts.interpreter.find("ld-musl") != std::string::npos)
    return "runs on musl, and libftprof.so is built for glibc, so nothing is recorded; build "
           "ftprof "
           "on musl";
  if (facts.is_go)
    return "is a Go program, which maps its heap by raw system calls; only what it does through C "
           "is recorded, the rest stands as other_anonymous";
  if (links(facts, "libasan.so"))
    return "is built with AddressSanitizer, which refuses to start behind a preloaded library; set "
           "ASAN_OPTIONS=verify_asan_link_order=0, or profile a build without it";
  if (!facts.own_allocator.empty())
    return "defines " + facts.own_allocator +
           " itself, so requests to it are not recorded, only the "
           "mappings it makes; link it to the shared allocator, or mark its pool "
           "(ftprof/annotate.h)";
  return "";
}

// The words of "#!/usr/bin/env python3"; empty when the file is no script.
std::vector<std::string> interpreter_words(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  char line[256] = {};
  file.read(line, sizeof line - 1);
  if (line[0] != '#' || line[1] != '!') return {};
  std::string text(line + 2);
  std::istringstream stream(text.substr(0, text.find('\n')));
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

// The program that will run: the file itself, or a script's interpreter.
std::string runner_of(std::string path) {
  constexpr int kDeepest = 4;  // as the kernel
  for (int i = 0; i < kDeepest; ++i) {
    auto words = interpreter_words(path);
    if (words.empty()) break;
    bool by_env = words.size() > 1 && fs::path(words[0]).filename() == "env" && words[1][0] != '-';
    path = by_env ? find_program(words[1]).path : words[0];
  }
  return path;
}

}  // namespace

FoundProgram find_program(const std::string& name) {
  if (name.find('/') != name.npos) return at(name);
  const char* paths = std::getenv("PATH");
  std::istringstream stream(paths ? paths : "/bin:/usr/bin");
  FoundProgram best = {"", ENOENT};
  for (std::string folder; std::getline(stream, folder, ':');) {
    FoundProgram found = at((folder.empty() ? "." : folder) + "/" + name);
    if (!found.path.empty()) return found;
    if (found.error == EACCES && is_file(folder + "/" + name)) best = found;
  }
  return best;
}

std::string out_of_reach(const std::string& path) {
  std::string runner = runner_of(path);
  auto facts = elf_facts(runner);
  std::string why = facts ? reason(runner, *facts) : "";
  if (why.empty()) return "";
  std::string subject = fs::path(runner).filename().string();
  if (runner != path) subject += " (it runs " + fs::path(path).filename().string() + ")";
  return subject + " " + why;
}

}  // namespace ftprof
