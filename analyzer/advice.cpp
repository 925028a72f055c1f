#include "analyzer/advice.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "analyzer/advice_env.h"
#include "analyzer/figures.h"
#include "analyzer/kept_heap.h"

namespace ftprof {

namespace {

constexpr double kWorthSaying = 0.01;  // of the program's faults or fault time
constexpr double kMostly = 0.9;        // of a site's pages or faults

double number(uint64_t count) {
  return static_cast<double>(count);
}
std::string count(double value) {
  return count_figure(value);
}

class Adviser {
 public:
  explicit Adviser(Result& result) : result_(result), kept_(result) {}

  void advise(uint32_t index) {
    Site& site = result_.sites[index];
    site.advice.clear();
    for (auto rule : {&Adviser::keep, &Adviser::huge, &Adviser::populate, &Adviser::calloc_instead,
                      &Adviser::no_read_first, &Adviser::smaller, &Adviser::on_consumer})
      if (std::optional<Advice> advice = (this->*rule)(site, index))
        site.advice.push_back(std::move(*advice));
    std::stable_sort(site.advice.begin(), site.advice.end(), [](auto& a, auto& b) {
      return a.saves_ns.value_or(0) > b.saves_ns.value_or(0);
    });
  }

 private:
  using Found = std::optional<Advice>;

  // What a fault of this site cost on average, of any kind.
  static double mean_cost(const Site& site) {
    return site.faults.count ? site.cost.total_ns / number(site.faults.count) : 0;
  }
  double price(const char* kind, double otherwise) const {
    auto found = result_.run.prices_ns.find(kind);
    return found == result_.run.prices_ns.end() ? otherwise : found->second;
  }
  bool worth_saying(double faults, double ns) const {
    const Ledger& ledger = result_.ledger;
    double all = number(ledger.minor_faults + ledger.major_faults);
    return faults > kWorthSaying * all || (ns > 0 && ns > kWorthSaying * ledger.cost_ns);
  }
  Found saving(const char* kind, double faults, std::optional<double> ns, std::string text,
               Environment env = {}) const {
    if (!worth_saying(faults, ns.value_or(0))) return std::nullopt;
    return Advice{kind, std::move(text), static_cast<uint64_t>(std::llround(faults)), ns,
                  std::move(env)};
  }

  // Blocks that are given back to the kernel and asked for again pay for the same pages each time.
  Found keep(const Site& site, uint32_t index) {
    double saved = kept_.spared_faults(index);
    double again = number(site.reuse.cold + site.reuse.partial + site.reuse.fresh);
    if (saved <= 0 || again < 2) return std::nullopt;
    const std::string& allocator = result_.run.allocator_name;
    Environment env;
    if (!is_mapping(site))
      env =
          keep_environment(allocator, site.blocks.bytes / std::max<uint64_t>(1, site.blocks.count));
    std::string text = "Keep the blocks: " + count(again) + " of " +
                       count(number(site.blocks.count)) +
                       " hand-outs had to fault their pages in, but at most " +
                       bytes_figure(number(site.blocks.peak_live_bytes)) +
                       " were live at once. Kept pages are paid for once.";
    if (is_mapping(site)) text += " The mapping is the program's own: reuse it.";
    if (!is_mapping(site) && env.empty())
      text += " No setting of " + allocator + " keeps blocks of this size: a pool does.";
    return saving("keep", saved, saved * mean_cost(site), text, env);
  }

  // One huge page for all the small ones of an aligned range that is touched in full anyway.
  Found huge(const Site& site, uint32_t) {
    double small_per_huge = number(result_.run.huge_page_bytes) / number(result_.run.page_bytes);
    // Pages that were warm cost no fault, whatever their size.
    double faulted = number(site.faults.write + site.faults.zero_read);
    double share = std::min(1.0, faulted / std::max(1.0, number(site.pages.touched)));
    double pages = share * number(site.pages.could_be_huge), huge_pages = pages / small_per_huge;
    double huge_price = price("huge", 0);
    if (pages <= 0 || result_.run.thp_enabled == "never") return std::nullopt;
    std::optional<double> saved_ns;
    if (huge_price > 0) saved_ns = std::max(0.0, pages * mean_cost(site) - huge_pages * huge_price);
    Environment env = !is_mapping(site)
                          ? huge_environment(result_.run.allocator_name, result_.run.thp_enabled)
                          : Environment{};
    return saving("huge", pages - huge_pages, saved_ns,
                  "Huge pages: " + count(pages) + " pages lie in aligned ranges of " +
                      bytes_figure(number(result_.run.huge_page_bytes)) +
                      " that are touched in full, one fault each. madvise(MADV_HUGEPAGE) makes "
                      "them " +
                      count(huge_pages) + " faults.",
                  env);
  }

  // Pages that are all touched anyway cost less in one call than by a trap each.
  Found populate(const Site& site, uint32_t) {
    double faulted = number(site.faults.write + site.faults.zero_read);
    double populate_price = price("populate", 0), trap_price = price("write", mean_cost(site));
    bool all_touched = number(site.pages.touched) >= kMostly * number(site.pages.handed_out);
    bool fresh = number(site.reuse.warm) <= (1 - kMostly) * number(site.blocks.count);
    if (!all_touched || !fresh || populate_price <= 0) return std::nullopt;
    double saved_ns = faulted * (trap_price - populate_price);
    if (saved_ns <= 0) return std::nullopt;
    return saving("populate", 0, saved_ns,
                  "Populate in one go: nearly every page is touched, and MAP_POPULATE or "
                  "madvise(MADV_POPULATE_WRITE) costs " +
                      time_figure(populate_price) + " a page here instead of " +
                      time_figure(trap_price) + ".");
  }

  // Fresh pages are zero already: clearing them touches what may never be used.
  Found calloc_instead(const Site& site, uint32_t) {
    if (site.api == "calloc" || is_mapping(site)) return std::nullopt;
    double cleared = 0, cost = 0;
    for (const TouchSite& touch : site.touch_sites)
      if (touch.frame.function.find("memset") != std::string::npos)
        cleared += number(touch.faults), cost += touch.cost_ns;
    if (cleared < kMostly * number(site.faults.count)) return std::nullopt;
    return saving("calloc", cleared, cost,
                  "calloc instead of malloc and memset: " + count(cleared) +
                      " pages are first touched by memset. calloc leaves fresh pages untouched "
                      "until they are used; at most this much is saved, less what is used later.");
  }

  // A read maps the shared zero page; the write that follows pays a second fault.
  Found no_read_first(const Site& site, uint32_t) {
    double twice = number(std::min(site.faults.zero_read, site.faults.write_after_zero_read));
    if (twice <= 0) return std::nullopt;
    // Of calibrated prices alone: what a recorded fault costs more than a bare one would not cancel
    // out.
    double both =
        price("zero_read", mean_cost(site)) + price("write_after_zero_read", mean_cost(site));
    double saved_each = std::max(0.0, both - price("write", mean_cost(site)));
    return saving("no_read_first", twice, twice * saved_each,
                  "Do not read before writing: " + count(twice) +
                      " pages were read first (the shared zero page) and then written, a fault "
                      "each time. Written first, they pay once.");
  }

  // Pages nobody touches are free as long as they are small and not populated; a mapping of which
  // little is used is how arenas reserve addresses.
  Found smaller(const Site& site, uint32_t) {
    if (is_mapping(site) && site.faults.in_call == 0 && site.pages.huge == 0) return std::nullopt;
    double unused = number(site.pages.untouched), asked = number(site.pages.handed_out);
    if (asked <= 0 || unused < 0.5 * asked) return std::nullopt;
    double paid = number(site.faults.in_call) * unused / asked;
    double ns = paid * mean_cost(site);
    if (!worth_saying(unused, ns)) return std::nullopt;
    return Advice{"smaller",
                  "Ask for less: " + share_figure(unused / asked) + " of the pages (" +
                      bytes_figure(unused * number(result_.run.page_bytes)) +
                      ") were never touched. They cost address space, and with populated or huge "
                      "pages memory too.",
                  static_cast<uint64_t>(std::llround(paid)),
                  ns,
                  {}};
  }

  // Pages stay on the node of their first toucher.
  Found on_consumer(const Site& site, uint32_t) {
    if (result_.run.numa_nodes < 2 || site.reuse.cross_node == 0) return std::nullopt;
    return Advice{"first_touch_on_consumer",
                  "First touch on the consumer's node: " + count(number(site.reuse.cross_node)) +
                      " hand-outs went to a thread on another node than their pages are on. Let "
                      "the thread that works on them touch them first.",
                  0,
                  std::nullopt,
                  {}};
  }

  Result& result_;
  KeptHeap kept_;
};

}  // namespace

std::string saving_text(const Advice& advice) {
  std::string faults, time;
  if (advice.saves_faults) faults = count(number(advice.saves_faults)) + " faults";
  if (advice.saves_ns.value_or(0) > 0) time = time_figure(*advice.saves_ns);
  if (faults.empty() && time.empty()) return "";
  return "Saves " + faults + (faults.empty() || time.empty() ? "" : ", ") + time + ".";
}

void give_advice(Result& result) {
  Adviser adviser(result);
  for (uint32_t i = 0; i < result.sites.size(); ++i) adviser.advise(i);
}

}  // namespace ftprof
