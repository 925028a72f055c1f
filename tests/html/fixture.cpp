#include "tests/html/fixture.h"

#include <algorithm>
#include <cmath>

namespace ftprof::fixture {

namespace {

constexpr double kSecond = 1e9, kInterval = 5e7;
constexpr size_t kIntervals = 240;  // 12 s
constexpr uint64_t kPage = 4096, kMiB = 1 << 20;

struct Random {
  uint64_t state = 42;
  double next() {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<double>(state >> 40) / (1 << 24);
  }
};

Frame frame(const std::string& function, const std::string& file, uint32_t line,
            bool inlined = false, const std::string& module = "/opt/render/bin/render-server") {
  Frame f;
  f.function = function, f.file = file, f.line = line, f.module = module, f.inlined = inlined;
  f.module_offset = 0x1000 + std::hash<std::string>()(function + file) % 0x40000 + line;
  return f;
}

Frame libc(const std::string& function) {
  return frame(function, "", 0, false, "/lib/x86_64-linux-gnu/libc.so.6");
}

const std::vector<Frame> kMain = {frame("main", "server/main.cpp", 58),
                                  libc("__libc_start_call_main"),
                                  libc("__libc_start_main@@GLIBC_2.34"), libc("_start")};
const std::vector<Frame> kWorker = {
    frame("render::Worker::loop()", "render/worker.cpp", 88),
    frame("std::thread::_State_impl<render::Worker>::_M_run()", "bits/std_thread.h", 210, true),
    libc("start_thread"), libc("clone3")};

// What one site does: blocks of `mib` MiB, asked for between two times, touched by some threads.
struct Plan {
  std::vector<Frame> stack;
  size_t top;
  const char* api;
  double begin, end;  // seconds
  uint64_t blocks;
  double mib, touched_share;
  std::vector<uint32_t> touchers;  // indexes into threads
  std::vector<Frame> touch;
  double price;  // ns a fault
  double warm_share;
  std::vector<Advice> advice;
};

Advice advice(const char* kind, const char* text, uint64_t faults, double ns,
              std::map<std::string, std::string> env = {}) {
  return {kind, text, faults, ns, std::move(env)};
}

std::vector<Frame> stack(std::vector<Frame> own, const std::vector<Frame>& callers) {
  own.insert(own.end(), callers.begin(), callers.end());
  return own;
}

std::vector<Plan> plans() {
  Frame new_frame =
      frame("operator new(unsigned long)", "", 0, false, "/lib/x86_64-linux-gnu/libstdc++.so.6");
  Frame vector_frame = frame("std::vector<float, std::allocator<float>>::vector(unsigned long)",
                             "bits/stl_vector.h", 556, true);
  Frame memset_frame = libc("__memset_avx2_unaligned_erms");
  return {
      {stack({libc("malloc"),
              frame("scene::GeometryPool::reserve(unsigned long)", "scene/pool.cpp", 141),
              frame("scene::load(std::filesystem::path const&)", "scene/load.cpp", 72)},
             kMain),
       1,
       "malloc",
       0.3,
       2.1,
       3,
       448,
       0.86,
       {0},
       {memset_frame,
        frame("scene::decode_mesh(std::span<std::byte const>)", "scene/mesh.cpp", 219)},
       640,
       0,
       {advice("populate",
               "All pages are touched in order right after the call. Populating them in one call "
               "costs 230 ns a page instead of 640 ns.",
               280000, 1.2e8),
        advice("huge",
               "96 % of it lies in whole aligned 2 MiB ranges. With huge pages it would take 590 "
               "faults.",
               295000, 1.6e8, {{"GLIBC_TUNABLES", "glibc.malloc.hugetlb=1"}})}},
      {stack({new_frame, vector_frame,
              frame("render::FrameBuffer::FrameBuffer(int, int)", "render/frame.cpp", 33),
              frame("render::Worker::render(render::Job const&)", "render/worker.cpp", 131)},
             kWorker),
       2,
       "operator_new",
       2.4,
       11.8,
       940,
       7.91,
       1,
       {1, 2, 3, 4},
       {frame("render::clear(render::FrameBuffer&)", "render/frame.cpp", 61, true),
        frame("render::shade_tile(render::Tile const&)", "render/shade.cpp", 402)},
       890,
       0.07,
       {advice(
           "keep",
           "glibc gives these blocks of 7.9 MiB back on every free and the next frame pays "
           "again: 874 of 940 hand-outs were cold. Keeping them would spare 95 % of the faults.",
           1770000, 1.55e9,
           {{"GLIBC_TUNABLES",
             "glibc.malloc.mmap_threshold=1073741824:"
             "glibc.malloc.trim_threshold=1073741824"}})}},
      {stack({libc("calloc"), frame("cache_table_new", "cache/table.c", 77),
              frame("cache_init", "cache/cache.c", 41)},
             kMain),
       1,
       "calloc",
       2.1,
       9,
       1,
       1024,
       0.11,
       {1, 2, 3, 4, 5},
       {frame("cache_insert", "cache/table.c", 163)},
       720,
       0,
       {advice("smaller", "Of 1 GiB asked for, 911 MiB were never touched.", 0, 0)}},
      {stack({libc("mmap"), frame("texture::Atlas::grow()", "texture/atlas.cpp", 95),
              frame("texture::upload(texture::Image const&)", "texture/upload.cpp", 48)},
             kWorker),
       1,
       "mmap",
       2.2,
       5.4,
       24,
       16,
       0.97,
       {1, 2, 5},
       {libc("__memcpy_avx_unaligned_erms")},
       610,
       0,
       {}},
      {stack({libc("realloc"), frame("log_buffer_append", "util/log.c", 203),
              frame("net::Connection::read_some()", "net/connection.cpp", 117)},
             {frame("net::EventLoop::run()", "net/loop.cpp", 64), kMain[0], kMain[1], kMain[2]}),
       1,
       "realloc",
       1.5,
       11.5,
       320,
       0.5,
       0.72,
       {0, 5},
       {frame("net::Connection::read_some()", "net/connection.cpp", 121)},
       580,
       0.61,
       {}},
      {stack({libc("aligned_alloc"),
              frame("audio::Ring::Ring(unsigned long)", "audio/ring.hpp", 29, true),
              frame("audio::open_device()", "audio/device.cpp", 88)},
             kMain),
       1,
       "aligned_alloc",
       0.2,
       0.4,
       2,
       4,
       1,
       {5},
       {frame("audio::mix(audio::Ring&)", "audio/mix.cpp", 52)},
       700,
       0,
       {}},
      {stack({libc("malloc"), frame("json_parse_document", "third_party/json.c", 611),
              frame("config_load", "server/config.cpp", 19)},
             kMain),
       1,
       "malloc",
       0.05,
       0.2,
       6,
       0.25,
       0.9,
       {0},
       {frame("json_parse_document", "third_party/json.c", 640)},
       560,
       0,
       {}},
      {stack({libc("malloc"), frame("thumb::Pipeline::scratch()", "thumb/pipeline.cpp", 71),
              frame("thumb::make(render::Frame const&)", "thumb/pipeline.cpp", 112)},
             kWorker),
       1,
       "malloc",
       3,
       11.9,
       610,
       1.2,
       0.98,
       {2, 3},
       {frame("thumb::box_filter(float const*, float*, int)", "thumb/filter.cpp", 18)},
       600,
       0.96,
       {}},
  };
}

void add_threads(Result& r) {
  const char* names[] = {"render-server", "worker-0", "worker-1", "worker-2", "worker-3", "audio"};
  for (uint32_t i = 0; i < 6; i++) r.threads.push_back({names[i], 4711 + i, 0, 0, 0});
}

void add_phases(Result& r) {
  r.phases = {{"load", 0, 2.1 * kSecond, 0, 0},
              {"mark:ready", 2.1 * kSecond, 3.0 * kSecond, 0, 0},
              {"serve", 3.0 * kSecond, 12 * kSecond, 0, 0}};
}

uint32_t phase_at(const Result& r, double ns) {
  for (uint32_t i = 0; i < r.phases.size(); i++)
    if (ns < r.phases[i].end_ns) return i;
  return static_cast<uint32_t>(r.phases.size()) - 1;
}

// Books one slice everywhere that counts it.
void book(Result& r, const FaultSlice& slice) {
  Site& site = r.sites[slice.site];
  Thread& thread = r.threads[slice.thread];
  auto add = [&](auto& to) { to.faults += slice.faults, to.cost_ns += slice.cost_ns; };
  add(thread);
  add(site.touch_sites[slice.touch_site]);
  auto mine = std::find_if(site.touch_threads.begin(), site.touch_threads.end(),
                           [&](const ThreadCost& t) { return t.tid == thread.tid; });
  if (mine == site.touch_threads.end())
    mine = site.touch_threads.insert(mine, {thread.name, thread.tid, 0, 0});
  add(*mine);
  site.faults.count += slice.faults;
  site.cost.total_ns += slice.cost_ns;
  auto& phase = r.phases[slice.phase];
  add(phase);
  auto& share = site.by_phase[phase.name];
  share.first += slice.faults, share.second += slice.cost_ns;
  size_t interval = std::min<size_t>(kIntervals - 1, slice.begin_ns / kInterval);
  r.timeline.faults[interval] += slice.faults;
  r.timeline.fault_ns[interval] += slice.cost_ns;
  r.slices.push_back(slice);
}

HandOut hand_out(const Plan& plan, uint64_t i, Random& random) {
  if (i == 0) return HandOut::fresh;
  if (random.next() < plan.warm_share) return HandOut::warm;
  return random.next() < 0.05 ? HandOut::partial : HandOut::cold;
}

void count_class(Result& r, Site& site, const BlockLife& block, size_t interval) {
  auto& bucket = r.pool.over_time[interval];
  switch (block.handed_out) {
    case HandOut::fresh:
      site.reuse.fresh++, r.pool.fresh++, bucket.fresh++;
      break;
    case HandOut::warm:
      site.reuse.warm++, r.pool.warm++, bucket.warm++;
      break;
    case HandOut::partial:
      site.reuse.partial++, r.pool.partial++, bucket.partial++;
      break;
    case HandOut::cold:
      site.reuse.cold++, r.pool.cold++, bucket.cold++;
      break;
    case HandOut::unknown:
      site.reuse.unknown++, r.pool.unknown++;
      break;
  }
  r.pool.handouts++;
  r.pool.saved_faults += block.resident_pages_at_handout.value_or(0);
  r.pool.resident_pages_at_handout += block.resident_pages_at_handout.value_or(0);
  site.reuse.warm_pages += block.resident_pages_at_handout.value_or(0);
}

// One block's first touches, in slices over `seconds`.
void touch(Result& r, const Plan& plan, BlockLife& block, double seconds, Random& random,
           BlockMapRow* row) {
  uint64_t pages = block.touched_pages - block.resident_pages_at_handout.value_or(0);
  uint64_t parts = std::clamp<uint64_t>(pages / 400, 1, 40);
  double stride = static_cast<double>(block.pages) / parts;
  for (uint64_t k = 0; k < parts; k++) {
    FaultSlice slice;
    slice.faults = pages * (k + 1) / parts - pages * k / parts;
    slice.begin_ns = block.born_ns + kSecond * seconds * k / parts + 2000;
    double slow = random.next() < 0.04 ? 3.5 : 0.9 + 0.2 * random.next();
    slice.cost_ns = std::round(slice.faults * plan.price * slow);
    slice.end_ns = slice.begin_ns + slice.cost_ns * 1.1;
    slice.owner = Owner::blocks;
    slice.site = block.site;
    slice.thread = plan.touchers[(k + static_cast<uint64_t>(block.born_ns)) % plan.touchers.size()];
    slice.touch_site = k % plan.touch.size();
    slice.phase = phase_at(r, slice.begin_ns);
    if (slice.faults) book(r, slice);
    if (row && slice.faults)
      row->touches.push_back({static_cast<uint32_t>(stride * k),
                              static_cast<uint32_t>(slice.faults), slice.begin_ns,
                              r.threads[slice.thread].tid, slice.cost_ns});
    block.faults += slice.faults, block.cost_ns += slice.cost_ns;
  }
}

void run_block(Result& r, const Plan& plan, uint32_t index, uint64_t i, Random& random) {
  Site& site = r.sites[index];
  BlockLife block;
  block.site = index, block.thread = plan.touchers[0];
  block.bytes = static_cast<uint64_t>(plan.mib * kMiB);
  block.pages = (block.bytes + kPage - 1) / kPage;
  double step = (plan.end - plan.begin) / plan.blocks;
  block.born_ns = kSecond * (plan.begin + step * (i + 0.3 * random.next()));
  if (plan.blocks > 3) block.gone_ns = block.born_ns + 0.8 * step * kSecond;
  block.touched_pages = static_cast<uint64_t>(block.pages * plan.touched_share);
  block.handed_out = hand_out(plan, i, random);
  block.resident_pages_at_handout = block.handed_out == HandOut::warm ? block.touched_pages : 0;
  if (block.handed_out != HandOut::fresh) block.idle_ns = 0.2 * step * kSecond;
  size_t interval = std::min<size_t>(kIntervals - 1, block.born_ns / kInterval);
  count_class(r, site, block, interval);
  bool mapped = plan.mib >= 4 && i % std::max<uint64_t>(1, plan.blocks / 6) == 0;
  BlockMapRow row{site.id, block.bytes, block.pages, block.born_ns, block.gone_ns, {}};
  touch(r, plan, block, 0.7 * step, random, mapped ? &row : nullptr);
  if (mapped) r.block_map.push_back(row);
  site.blocks.count++, site.blocks.bytes += block.bytes;
  site.blocks.live_at_end += block.gone_ns ? 0 : 1;
  site.pages.handed_out += block.pages, site.pages.touched += block.touched_pages;
  site.pages.untouched += block.pages - block.touched_pages;
  r.blocks.push_back(block);
}

void price_site(Site& site, double price) {
  site.cost.p50_ns = price * 0.93, site.cost.p90_ns = price * 1.3;
  site.cost.p99_ns = price * 3.4, site.cost.max_ns = price * 61;
  site.cost.error_ns = site.cost.total_ns * 0.006;
  site.faults.write = site.faults.count - site.faults.count / 50;
  site.faults.zero_read = site.faults.count / 50;
  site.blocks.peak_live_bytes = site.blocks.bytes / std::max<uint64_t>(1, site.blocks.count / 3);
  site.calls.alloc_total_ns = site.blocks.count * 5200.0;
  site.calls.free_total_ns = site.blocks.count * 21000.0;
  site.placement = {{0, site.pages.touched}};
}

std::string site_id(uint64_t number) {
  static constexpr char kHex[] = "0123456789abcdef";
  std::string id;
  uint64_t mixed = (number + 1) * 0x9e3779b97f4a7c15u;
  for (int i = 0; i < 12; i++) id += kHex[mixed >> (4 * i) & 15];
  return id;
}

void add_site(Result& r, const Plan& plan, Random& random) {
  auto index = static_cast<uint32_t>(r.sites.size());
  Site site;
  site.id = site_id(index);
  site.stack = plan.stack, site.top = plan.top, site.api = plan.api, site.advice = plan.advice;
  for (const Frame& f : plan.touch) site.touch_sites.push_back({f, 0, 0});
  r.sites.push_back(std::move(site));
  for (uint64_t i = 0; i < plan.blocks; i++) run_block(r, plan, index, i, random);
  price_site(r.sites[index], plan.price);
}

void add_run(Result& r) {
  r.run.command = {"/opt/render/bin/render-server", "--scene", "city of glass.scene",
                   "--workers=4"};
  r.run.start_unix_ns = 1764518400000000000;
  r.run.duration_ns = 12 * kSecond;
  r.run.cpus = 8;
  r.run.kernel = "6.1.0-28-amd64", r.run.thp_enabled = "madvise", r.run.thp_defrag = "madvise";
  r.run.allocator_name = "glibc", r.run.allocator_version = "2.36";
  r.run.settings = {
      {"blocks.min_size", "128KiB"}, {"faults.period", "auto"}, {"overhead.budget", "3%"}};
  r.run.fault_source = "perf", r.run.fault_cost = "measured";
  r.run.processes = 1;
  r.run.profiler_self_ns = 0.11 * kSecond, r.run.profiler_self_share = 0.0092;
  r.run.profiler_faults = 412;
  r.run.peak_resident_bytes = 1710 * kMiB, r.run.final_resident_bytes = 1650 * kMiB;
  r.run.user_ns = 31 * kSecond, r.run.system_ns = 2.6 * kSecond;
}

void add_ledger(Result& r) {
  uint64_t faults = 0;
  double cost = 0;
  for (const Site& site : r.sites) faults += site.faults.count, cost += site.cost.total_ns;
  const uint64_t others[kOwners] = {faults, 18211, 903, 4120, 655, 2210, 412, 37};
  r.ledger.major_faults = 31;
  for (int i = 0; i < kOwners; i++) {
    double row_cost = i ? others[i] * 520.0 : cost;
    r.ledger.rows.push_back({static_cast<Owner>(i), others[i], row_cost});
    r.ledger.minor_faults += others[i];
    r.ledger.cost_ns += row_cost;
  }
  r.ledger.minor_faults -= r.ledger.major_faults;
  r.ledger.accounted_share = 1 - 37.0 / (r.ledger.minor_faults + r.ledger.major_faults);
  r.ledger.small_heap_touch_sites = {
      {frame("std::_Rb_tree_insert_and_rebalance", "", 0, false,
             "/lib/x86_64-linux-gnu/libstdc++.so.6"),
       9120, 4.7e6},
      {frame("scene::Node::Node(scene::Node*)", "scene/node.cpp", 24), 6071, 3.1e6},
      {libc("_int_malloc"), 3020, 1.6e6}};
  r.ledger.mappings = {{"[heap]", 18211},
                       {"/opt/render/bin/render-server", 2890},
                       {"/lib/x86_64-linux-gnu/libc.so.6", 1230},
                       {"[stack]", 903},
                       {"anonymous", 655}};
}

void add_pool(Result& r) {
  r.pool.purged_pages = 1630000, r.pool.refaulted_after_purge_pages = 1490000;
  r.pool.refault_cost_ns = 1.3e9;
  r.pool.cross_thread = 318;
  r.pool.idle_peak_bytes = 62 * kMiB, r.pool.idle_at_end_bytes = 9 * kMiB;
  r.pool.reuse_p50_ns = 2.1e6, r.pool.reuse_p90_ns = 3.3e7;
  r.pool.feeds = {{r.sites[1].id, r.sites[1].id, 61, 124000},
                  {r.sites[7].id, r.sites[7].id, 571, 171000},
                  {r.sites[4].id, r.sites[7].id, 40, 4900}};
  r.pool.longest_idle = {{r.sites[3].id, 16 * kMiB, 15 * kMiB, 6.1e9},
                         {r.sites[4].id, kMiB / 2, kMiB / 2, 2.2e9}};
  r.pool.verdicts = {
      "glibc gives the 7.9 MiB block of render::FrameBuffer back on every free: 830 cold "
      "hand-outs, 1.7 M faults, 1.5 s."};
  double resident = 0;
  for (size_t i = 0; i < kIntervals; i++) {
    resident += r.timeline.faults[i] * (i < 60 ? 1.0 : 0.02) * kPage;
    r.timeline.resident_bytes[i] = 40 * kMiB + static_cast<uint64_t>(resident);
    r.pool.over_time[i].idle_bytes =
        static_cast<uint64_t>(i < 40 ? 0 : (26 + 22 * std::sin(i / 9.0) + (i % 7) * 2) * kMiB);
  }
}

void add_processes(Result& r) {
  r.processes = {{"render-server", "", 4711, 4700, "render-server.4711", 0, 12 * kSecond,
                  r.ledger.minor_faults, r.ledger.major_faults, r.ledger.cost_ns,
                  r.run.peak_resident_bytes, true, r.run.command}};
}

void sort_all(Result& r) {
  std::sort(r.slices.begin(), r.slices.end(),
            [](const auto& a, const auto& b) { return a.begin_ns < b.begin_ns; });
  std::sort(r.blocks.begin(), r.blocks.end(),
            [](const auto& a, const auto& b) { return a.born_ns < b.born_ns; });
  std::sort(r.block_map.begin(), r.block_map.end(),
            [](const auto& a, const auto& b) { return a.bytes > b.bytes; });
  for (Site& site : r.sites)
    std::sort(site.touch_threads.begin(), site.touch_threads.end(),
              [](const auto& a, const auto& b) { return a.cost_ns > b.cost_ns; });
}

// Dearest first, as every printer may expect; slices and blocks follow.
void sort_sites(Result& r) {
  std::vector<uint32_t> order(r.sites.size()), place(r.sites.size());
  for (uint32_t i = 0; i < order.size(); i++) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    return r.sites[a].cost.total_ns > r.sites[b].cost.total_ns;
  });
  std::vector<Site> sorted;
  for (uint32_t i = 0; i < order.size(); i++) {
    place[order[i]] = i;
    sorted.push_back(std::move(r.sites[order[i]]));
  }
  r.sites = std::move(sorted);
  for (FaultSlice& slice : r.slices) slice.site = place[slice.site];
  for (BlockLife& block : r.blocks) block.site = place[block.site];
}

void add_modules(Result& r) {
  r.modules = {{"/opt/render/bin/render-server", "8d1f3a5be0c4472c9fd1e80b6a7f1c2d3e4f5a6b"},
               {"/lib/x86_64-linux-gnu/libc.so.6", "93ac94dff0c4472c9fd1e80b6a7f1c2d3e4f5a6c"},
               {"/lib/x86_64-linux-gnu/libstdc++.so.6", ""}};
}

void begin(Result& r) {
  add_run(r);
  add_threads(r);
  add_phases(r);
  r.timeline.interval_ns = kInterval;
  r.timeline.faults.resize(kIntervals);
  r.timeline.fault_ns.resize(kIntervals);
  r.timeline.resident_bytes.resize(kIntervals);
  r.timeline.warmup_end_ns = 2.6 * kSecond;
  r.pool.over_time.resize(kIntervals);
}

void end(Result& r) {
  add_ledger(r);
  add_pool(r);
  add_processes(r);
  add_modules(r);
  r.huge = {12, 3, 0, 290000, "The program never advised huge pages, and the setting is madvise."};
  sort_all(r);
  sort_sites(r);
}

}  // namespace

Result rich() {
  Result r;
  Random random;
  begin(r);
  for (const Plan& plan : plans()) add_site(r, plan, random);
  end(r);
  return r;
}

Result hostile() {
  Result r = rich();
  const std::string evil[] = {
      "</script><script>window.pwned=1</script>",
      "\"><img src=x onerror=\"window.pwned=1\">",
      "@FTPROF_DATA@ ${window.pwned=1} {{7*7}} '; DROP TABLE sites; --",
      "\u202Egnp.exe\u202C \u2066isolated\u2069 \u200Bzero\u200Dwidth",
      "bell\a esc\x1b[31mred\x1b[0m nul\x01 line\nbreak\r\ttab",
      "bad utf-8 \xff\xfe\xc0\xaf \xed\xa0\x80",
      "a;b;c 42",
      std::string(5000, 'A') + "<b>&amp;&lt;",
  };
  size_t n = 0;
  auto next = [&] { return evil[n++ % 8]; };
  for (Site& site : r.sites) {
    site.stack[site.top].function = next();
    site.stack[site.top].file = next();
    site.stack.back().module = "/tmp/" + next();
    site.touch_sites[0].frame.function = next();
    site.advice.push_back({"keep", next(), 1, 1, {{"X<y>", next()}}});
  }
  for (Thread& thread : r.threads) thread.name = next();
  for (Site& site : r.sites)
    for (ThreadCost& t : site.touch_threads) t.name = r.threads[t.tid - 4711].name;
  for (Phase& phase : r.phases) phase.name = next();
  r.run.command = {evil[0], evil[1], evil[4], evil[5], evil[3]};
  r.run.kernel = evil[1], r.run.allocator_name = evil[0];
  r.run.settings[evil[0]] = evil[1];
  r.run.notes = {evil[0], evil[3]}, r.run.warnings = {evil[4], evil[5]};
  r.pool.verdicts = {evil[1]};
  r.ledger.mappings[0].name = evil[0];
  r.processes.push_back(r.processes[0]);
  r.processes[1] = {evil[0], evil[1], 1, 2, evil[0], 0, 1, 0, 0, 0, 0, false, {evil[1], evil[4]}};
  r.processes[0].rank = "0";
  r.run.processes = 2;
  r.ledger.untraced_faults = 40000;
  r.ledger.run_faults = 40000 + r.ledger.minor_faults + r.ledger.major_faults;
  r.run.recorded_faults = r.ledger.minor_faults / 4;
  r.ledger.rows[0].error = 1234;
  return r;
}

Result big(size_t sites) {
  Result r;
  Random random;
  begin(r);
  uint64_t left = 10000000;
  for (size_t i = 0; i < sites; i++) {
    std::vector<Frame> own = {libc("malloc")};
    for (size_t depth = 0; depth < 14; depth++) {
      size_t id = depth < 5 ? i * (depth + 7) % 9973 : i / (size_t{1} << depth);
      own.push_back(frame("engine::module_" + std::to_string(id % 977) + "::handler_" +
                              std::to_string(id) + "(engine::Context&, unsigned long)",
                          "engine/module_" + std::to_string(id % 977) + ".cpp", id % 4000 + 1));
    }
    uint64_t faults =
        i + 1 == sites ? left : std::min<uint64_t>(left, 10 + 40000 / (i + 1) + i % 170);
    left -= faults;
    Plan plan{stack(own, kMain),
              1,
              "malloc",
              12 * random.next(),
              12,
              1,
              static_cast<double>(faults) * kPage / kMiB,
              1,
              {static_cast<uint32_t>(i % 6)},
              {own[1]},
              700,
              0,
              {}};
    plan.end = std::min(12.0, plan.begin + 0.5);
    add_site(r, plan, random);
  }
  r.block_map.resize(std::min<size_t>(100, r.block_map.size()));
  end(r);
  return r;
}

Result empty() {
  Result r;
  add_run(r);
  r.run.fault_source = "pagemap", r.run.fault_cost = "modelled";
  r.ledger.minor_faults = 120, r.ledger.accounted_share = 1;
  r.ledger.rows = {{Owner::blocks, 0, std::nullopt}, {Owner::file, 120, std::nullopt}};
  r.processes = {{"true", "", 1, 0, "true.1", 0, 1e6, 120, 0, 0, 0, true, {"true"}}};
  return r;
}

}  // namespace ftprof::fixture
