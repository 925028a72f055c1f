// One site of the text report, and the pool's part.
#include <algorithm>
#include <tuple>

#include "analyzer/advice.h"
#include "analyzer/fold.h"
#include "analyzer/report_fields.h"
#include "analyzer/site_sum.h"
#include "analyzer/text_writer.h"

namespace ftprof {
namespace {

constexpr size_t kMostTouchers = 3;

// "12 write, 4 zero read" without what is none.
std::string listed(const std::vector<std::pair<uint64_t, std::string>>& parts) {
  std::string text;
  for (const auto& [count, name] : parts)
    if (count) text += (text.empty() ? "" : ", ") + count_text(count) + " " + name;
  return text.empty() ? "none" : text;
}

std::string kinds_text(const FaultKinds& faults) {
  std::string text = listed({{faults.write, "write"},
                             {faults.zero_read, "read (zero page)"},
                             {faults.write_after_zero_read, "write after read"},
                             {faults.huge, "huge"},
                             {faults.in_call, "in the call"},
                             {faults.other, "other"}});
  if (faults.kernel_copy)
    text +=
        "; beside them " + plural(faults.kernel_copy, "page", "pages") + " the kernel copied in";
  if (faults.error)
    text += " (loads and the stores after them estimated, ± " + count_figure(*faults.error) + ")";
  if (faults.major) text += "; " + plural(faults.major, "major fault", "major faults");
  return text;
}

// What each kind costs, where they were told apart, and one fault of it.
std::string kind_costs_text(const Site& site) {
  const FaultKinds& faults = site.faults;
  const std::tuple<const char*, const char*, uint64_t> kinds[] = {
      {"write", "write", faults.write},
      {"zero_read", "read", faults.zero_read},
      {"write_after_zero_read", "write after read", faults.write_after_zero_read},
      {"huge", "huge", faults.huge},
      {"in_call", "in the call", faults.in_call},
      {"major", "major", faults.major},
      {"other", "other", faults.other}};
  std::string text;
  for (const auto& [key, name, count] : kinds) {
    auto cost = site.cost.by_kind_ns.find(key);
    if (cost == site.cost.by_kind_ns.end() || count == 0) continue;
    text += (text.empty() ? "" : ", ") + std::string(name) + " " + time_figure(cost->second) +
            " (" + time_figure(cost->second / static_cast<double>(count)) + " each)";
  }
  return text;
}

std::string cost_text(const CostSummary& cost) {
  std::string text = time_figure(cost.total_ns);
  if (cost.error_ns) text += " ± " + time_figure(*cost.error_ns);
  if (cost.p50_ns)
    text += "; one fault " + time_figure(*cost.p50_ns) + " (median), " + time_figure(*cost.p90_ns) +
            " (p90), " + time_figure(*cost.p99_ns) + " (p99), " + time_figure(*cost.max_ns) +
            " (most)";
  return text;
}

std::string blocks_text(const Site& site) {
  std::string text = plural(site.blocks.count, "block", "blocks") + ", " +
                     bytes_figure(static_cast<double>(site.blocks.bytes)) + " in all, " +
                     bytes_figure(static_cast<double>(site.blocks.peak_live_bytes)) + " at once";
  if (site.blocks.live_at_end)
    text += ", " + count_text(site.blocks.live_at_end) + " never given back";
  if (site.blocks.sampled_one_in >= 1.1)
    text += " (sampled, 1 in " +
            exact_figure(
                static_cast<double>(static_cast<uint64_t>(site.blocks.sampled_one_in * 10)) / 10) +
            ")";
  return text;
}

std::string pages_text(const Site& site) {
  const auto& pages = site.pages;
  std::string text = count_text(pages.touched) + " of " + count_text(pages.handed_out) + " touched";
  if (pages.untouched)
    text += ", " + count_text(pages.untouched) + " never (" +
            percent(static_cast<double>(pages.untouched), static_cast<double>(pages.handed_out)) +
            ")";
  if (pages.zero) text += ", " + count_text(pages.zero) + " only read";
  if (pages.huge) text += ", " + count_text(pages.huge) + " in huge pages";
  return text;
}

std::string reuse_text(const Reuse& reuse) {
  std::string text = listed({{reuse.fresh, "fresh"},
                             {reuse.warm, "warm"},
                             {reuse.partial, "partial"},
                             {reuse.cold, "cold"},
                             {reuse.unknown, "not looked up"}});
  if (reuse.warm_pages)
    text += "; " + plural(reuse.warm_pages, "page was", "pages were") + " resident already";
  if (reuse.cross_thread) text += ", " + count_text(reuse.cross_thread) + " from another thread";
  if (reuse.cross_node) text += ", " + count_text(reuse.cross_node) + " on another node";
  if (reuse.refaulted_after_purge_pages)
    text += "; " + plural(reuse.refaulted_after_purge_pages, "page", "pages") +
            " paid for again after a purge, " + time_figure(reuse.refault_cost_ns);
  return text;
}

std::string placement_text(const std::vector<Placement>& placement) {
  std::string text;
  for (const Placement& on : placement)
    text += (text.empty() ? "" : ", ") + plural(on.pages, "page", "pages") + " on node " +
            std::to_string(on.node);
  return text;
}

bool is_shown(const Site& site, size_t i, bool raw) {
  return raw || i == site.top || (i > site.top && !is_folded(site.stack[i]));
}

// Frames without a name, one after the other, are one line.
void print_stack(const Site& site, TextWriter& writer) {
  size_t width = writer.view().width > 20 ? writer.view().width - 15 : 20;
  std::vector<std::string> lines;
  size_t same = 0;
  for (size_t i = 0; i < site.stack.size(); ++i) {
    if (!is_shown(site, i, writer.view().raw)) continue;
    const Frame& frame = site.stack[i];
    std::string text = frame_text(frame, frame.inlined ? "  (inlined)" : "", width);
    same =
        frame.function == "??" && !lines.empty() && lines.back().starts_with(text) ? same + 1 : 1;
    if (same > 1)
      lines.back() = text + "  (" + std::to_string(same) + " frames)";
    else
      lines.push_back(text);
  }
  if (lines.empty()) lines.push_back("(no stack was recorded)");
  for (size_t i = 0; i < lines.size(); ++i)
    writer.line("    " + writer.dim(pad_right(i == 0 ? "asked by" : "", 11)) + lines[i]);
}

// Faults of the site whose toucher nobody saw: paid before recording began, or between bursts.
template <class Toucher>
uint64_t unseen(const Site& site, const std::vector<Toucher>& touchers) {
  constexpr double kWorthSaying = 0.02;
  uint64_t seen = 0;
  for (const Toucher& toucher : touchers) seen += toucher.faults;
  uint64_t rest = site.faults.count > seen ? site.faults.count - seen : 0;
  return static_cast<double>(rest) > kWorthSaying * static_cast<double>(site.faults.count) ? rest
                                                                                           : 0;
}

void print_touch_sites(const Site& site, TextWriter& writer) {
  std::string places;
  for (size_t i = 0; i < std::min(kMostTouchers, site.touch_sites.size()); ++i) {
    const TouchSite& touch = site.touch_sites[i];
    places += (i ? "; " : "") + frame_text(touch.frame) + " (" +
              plural(touch.faults, "fault", "faults") + ", " + time_figure(touch.cost_ns) + ")";
  }
  if (site.touch_sites.size() > kMostTouchers)
    places += "; " + count_text(site.touch_sites.size() - kMostTouchers) + " more";
  if (places.empty()) return;
  if (uint64_t rest = unseen(site, site.touch_sites))
    places += "; by code that was not recorded (" + plural(rest, "fault", "faults") + ")";
  writer.field("touched by", places);
}

// The number too where a name alone does not tell threads apart.
std::string toucher_name(const Site& site, const ThreadCost& thread) {
  auto alike = std::count_if(site.touch_threads.begin(), site.touch_threads.end(),
                             [&](const ThreadCost& other) { return other.name == thread.name; });
  std::string name = thread_text(thread.name, thread.tid);
  return alike > 1 && !thread.name.empty() ? name + " " + std::to_string(thread.tid) : name;
}

// "Allocated by loader, first touched by worker-3" when one thread asks and others touch.
void print_touch_threads(const Site& site, TextWriter& writer) {
  std::string threads;
  auto share = [&](uint64_t faults) {
    return " (" + percent(static_cast<double>(faults), static_cast<double>(site.faults.count)) +
           ")";
  };
  for (size_t i = 0; i < std::min(kMostTouchers, site.touch_threads.size()); ++i) {
    const ThreadCost& thread = site.touch_threads[i];
    threads += (i ? ", " : "") + toucher_name(site, thread) + share(thread.faults);
  }
  if (site.touch_threads.size() > kMostTouchers)
    threads += ", " + count_text(site.touch_threads.size() - kMostTouchers) + " more";
  if (threads.empty()) return;
  if (uint64_t rest = unseen(site, site.touch_threads)) threads += ", not recorded" + share(rest);
  bool other = !site.asked_by.empty() && site.asked_by != site.touch_threads.front().name;
  writer.field("thread",
               other ? "Allocated by " + printable(site.asked_by) + ", first touched by " + threads
                     : threads);
}

}  // namespace

void print_site_text(const Result& result, const Site& site, size_t rank, TextWriter& writer) {
  double all = 0;
  for (const Site& each : result.sites) all += each.cost.total_ns;
  std::string head = pad_left(std::to_string(rank), 2) + ". " +
                     pad_left(time_figure(site.cost.total_ns), 8) +
                     pad_left(percent(site.cost.total_ns, all), 9) +
                     pad_left(count_text(site.faults.count), 13) + " faults  ";
  size_t room = writer.view().width > head.size() + 10 ? writer.view().width - head.size() : 10;
  writer.line("");
  writer.line(head + writer.bold(frame_text(own_frame(site), "  [" + site.api + "]", room)));
  writer.field("blocks", blocks_text(site));
  writer.field("pages", pages_text(site));
  writer.field("faults", kinds_text(site.faults));
  writer.field("cost", cost_text(site.cost));
  if (site.cost.by_kind_ns.size() > 1) writer.field("by kind", kind_costs_text(site));
  if (site.reuse.fresh + site.reuse.warm + site.reuse.partial + site.reuse.cold +
          site.reuse.unknown >
      1)
    writer.field("hand-outs", reuse_text(site.reuse));
  if (!site.placement.empty()) writer.field("placement", placement_text(site.placement));
  print_touch_sites(site, writer);
  print_touch_threads(site, writer);
  print_stack(site, writer);
  for (const Advice& advice : site.advice) {
    std::string text = printable(advice.text + " " + saving_text(advice));
    for (const auto& [name, value] : advice.try_env)
      text += " Try " + printable(name) + "=" + printable(value) + ".";
    writer.field("advice", text);
  }
}

void print_pool_text(const Result& result, TextWriter& writer) {
  const Pool& pool = result.pool;
  if (pool.handouts < 2) return;
  writer.heading("The second time round");
  std::string text = plural(pool.handouts, "hand-out", "hand-outs") + ": " +
                     listed({{pool.fresh, "fresh"},
                             {pool.warm, "warm"},
                             {pool.partial, "partial"},
                             {pool.cold, "cold"},
                             {pool.unknown, "not looked up"}}) +
                     ".";
  if (pool.saved_faults)
    text += " " + plural(pool.saved_faults, "page was", "pages were") +
            " resident already and spared as many faults.";
  if (pool.cross_thread)
    text += " " + plural(pool.cross_thread, "block", "blocks") + " came from another thread.";
  if (pool.cross_node)
    text += " " + plural(pool.cross_node, "block", "blocks") +
            " lay on another node than the new holder.";
  writer.flow(text, 2, 2);
  std::string again = pool.refaulted_after_purge_pages
                          ? plural(pool.refaulted_after_purge_pages, "was", "were") +
                                " paid for again (" + time_figure(pool.refault_cost_ns) + ")."
                          : "none was paid for again.";
  if (pool.purged_pages)
    writer.flow(
        plural(pool.purged_pages, "page was", "pages were") + " given back to the kernel; " + again,
        2, 2);
  if (pool.idle_peak_bytes)
    writer.flow("At most " + bytes_figure(static_cast<double>(pool.idle_peak_bytes)) +
                    " lay idle in given-back blocks, " +
                    bytes_figure(static_cast<double>(pool.idle_at_end_bytes)) + " at the end.",
                2, 2);
  if (pool.reuse_p50_ns)
    writer.flow("From give-back to the next hand-out: " + time_figure(*pool.reuse_p50_ns) +
                    " (median), " + time_figure(*pool.reuse_p90_ns) + " (p90).",
                2, 2);
  for (const std::string& verdict : pool.verdicts) writer.flow("- " + printable(verdict), 2, 2);
}

}  // namespace ftprof
