#include "analyzer/child.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "analyzer/bad_input.h"

namespace ftprof {
namespace {

// The signals that people send to a program; a terminal sends the first two to the whole group, so
// those are passed on only when somebody sent them to us alone.
constexpr int kForwarded[] = {SIGINT,    SIGQUIT, SIGTERM,  SIGHUP, SIGUSR1, SIGUSR2, SIGALRM,
                              SIGVTALRM, SIGPROF, SIGWINCH, SIGURG, SIGIO,   SIGPWR};

volatile pid_t forward_to = 0;  // written before the handlers are installed

void forward(int signal, siginfo_t* info, void*) {
  bool from_a_process =
      info->si_code <= 0;  // SI_USER, SI_QUEUE, SI_TKILL; the terminal's are above
  if (from_a_process && info->si_pid != forward_to) kill(forward_to, signal);
}

// While it lives, signals to us go to the child. Ignored ones (nohup) stay ignored in both.
class Forwarding {
 public:
  explicit Forwarding(pid_t child) {
    forward_to = child;
    struct sigaction action = {};
    action.sa_sigaction = forward;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    sigfillset(&action.sa_mask);
    for (int signal : kForwarded) {
      sigaction(signal, nullptr, &old_[signal]);
      if (old_[signal].sa_handler != SIG_IGN) sigaction(signal, &action, nullptr);
    }
  }
  ~Forwarding() {
    for (int signal : kForwarded) sigaction(signal, &old_[signal], nullptr);
  }
  Forwarding(const Forwarding&) = delete;
  Forwarding& operator=(const Forwarding&) = delete;

 private:
  struct sigaction old_[NSIG] = {};
};

// All signals wait while it lives: between fork and the handlers none may kill us or be lost.
class BlockedSignals {
 public:
  BlockedSignals() {
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &old_);
  }
  ~BlockedSignals() { restore(); }
  void restore() const { sigprocmask(SIG_SETMASK, &old_, nullptr); }
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;

 private:
  sigset_t old_;
};

struct Pipe {
  int read_end = -1, write_end = -1;
  Pipe() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
      throw BadInput(std::string("no pipe can be made (") + std::strerror(errno) +
                     "); raise the limit of open files");
    read_end = ends[0];
    write_end = ends[1];
  }
  ~Pipe() {
    close_read();
    close_write();
  }
  void close_read() { shut(read_end); }
  void close_write() { shut(write_end); }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

 private:
  static void shut(int& end) {
    if (end >= 0) close(end);
    end = -1;
  }
};

uint64_t now_ns(clockid_t clock) {
  timespec time;
  clock_gettime(clock, &time);
  return static_cast<uint64_t>(time.tv_sec) * 1000000000 + static_cast<uint64_t>(time.tv_nsec);
}

uint64_t ns_of(const timeval& time) {
  return static_cast<uint64_t>(time.tv_sec) * 1000000000 +
         static_cast<uint64_t>(time.tv_usec) * 1000;
}

ssize_t read_fully(int file, void* to, size_t bytes) {
  ssize_t got = 0;
  do got = read(file, to, bytes);
  while (got < 0 && errno == EINTR);
  return got;
}

// Waits for the parent's word, then becomes the program; says why when it cannot.
[[noreturn]] void become(const std::vector<std::string>& command, const ChildHooks& hooks, Pipe& go,
                         Pipe& failed, const BlockedSignals& signals) {
  go.close_write();
  char word = 0;
  if (read_fully(go.read_end, &word, 1) != 1) _exit(0);  // the parent gave up
  hooks.in_child();
  std::vector<char*> arguments;
  for (const std::string& argument : command)
    arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  signals.restore();
  execvp(arguments[0], arguments.data());
  int error = errno;
  [[maybe_unused]] ssize_t written = write(failed.write_end, &error, sizeof error);
  _exit(127);
}

void take_usage(const rusage& usage, ChildOutcome& outcome) {
  outcome.user_ns = ns_of(usage.ru_utime);
  outcome.system_ns = ns_of(usage.ru_stime);
  outcome.minor_faults = static_cast<uint64_t>(usage.ru_minflt);
  outcome.major_faults = static_cast<uint64_t>(usage.ru_majflt);
  outcome.peak_resident_bytes = static_cast<uint64_t>(usage.ru_maxrss) * 1024;
}

void wait_for(ChildOutcome& outcome) {
  int status = 0;
  rusage usage = {};
  while (wait4(outcome.pid, &status, 0, &usage) < 0 && errno == EINTR) continue;
  outcome.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  outcome.exit_status = outcome.signal ? 128 + outcome.signal : WEXITSTATUS(status);
  take_usage(usage, outcome);
}

}  // namespace

ChildOutcome run_child(const std::vector<std::string>& command, const ChildHooks& hooks) {
  Pipe go, failed;
  ChildOutcome outcome;
  BlockedSignals signals;
  outcome.pid = fork();
  if (outcome.pid < 0)
    throw BadInput(std::string("no process can be made (") + std::strerror(errno) +
                   "); raise the limit of processes");
  if (outcome.pid == 0) become(command, hooks, go, failed, signals);
  go.close_read();
  failed.close_write();
  try {
    hooks.before_start(outcome.pid);
  } catch (...) {
    go.close_write();
    waitpid(outcome.pid, nullptr, 0);
    throw;
  }
  Forwarding forwarding(outcome.pid);
  outcome.start_unix_ns = now_ns(CLOCK_REALTIME);
  uint64_t begin = now_ns(CLOCK_MONOTONIC);
  [[maybe_unused]] ssize_t written = write(go.write_end, "g", 1);
  signals.restore();
  read_fully(failed.read_end, &outcome.exec_error, sizeof outcome.exec_error);
  wait_for(outcome);
  outcome.wall_ns = now_ns(CLOCK_MONOTONIC) - begin;
  return outcome;
}

}  // namespace ftprof
