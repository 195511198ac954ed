// SPDX-License-Identifier: Apache-2.0
// c10d: its TCPStore to meet at and for signs of life, its ProcessGroupGloo for the numbers. Every call here that may
// block for ever is made where somebody looks at a clock.
#ifndef USE_C10D_GLOO  // the header shows its class only to those who say that the library has it
#define USE_C10D_GLOO
#endif
#include <arpa/inet.h>
#include <fmt/format.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <functional>
#include <future>
#include <thread>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>

#include "adasample/base/error.h"
#include "adasample/train/distributed/join.h"

namespace adasample {
namespace {

using Clock = std::chrono::steady_clock;
using StorePtr = c10::intrusive_ptr<c10d::Store>;
using GroupPtr = c10::intrusive_ptr<c10d::ProcessGroupGloo>;

std::chrono::milliseconds milliseconds(double seconds) {
  return std::chrono::milliseconds(static_cast<int64_t>(1000 * seconds));
}

std::string first_line(const std::exception& error) {
  const std::string text = error.what();
  return text.substr(0, text.find('\n'));
}

// What `work` returns or throws; a usage Error with `late` where that takes too long. The thread is left to itself
// then.
template <typename Work>
auto within(double seconds, Work work, const std::string& late) {
  std::packaged_task<decltype(work())()> task(std::move(work));
  auto result = task.get_future();
  std::thread(std::move(task)).detach();
  ADA_USAGE(result.wait_for(milliseconds(seconds)) == std::future_status::ready, "{}", late);
  return result.get();
}

class StoreNotes : public Notes {
 public:
  explicit StoreNotes(StorePtr store) : store_(std::move(store)) {}
  void set(const std::string& key, const std::string& value) override {
    store_->set(key, std::vector<uint8_t>(value.begin(), value.end()));
  }
  std::optional<std::string> get(const std::string& key) override {
    if (!store_->check({key})) return std::nullopt;
    const std::vector<uint8_t> value = store_->get(key);
    return std::string(value.begin(), value.end());
  }

 private:
  StorePtr store_;
};

// The store listens at every address of the machine; bound to the loopback device it hears this machine alone.
void close_to_network(int port) {
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    const int fd = std::atoi(entry.path().filename().c_str());
    int listens = 0;
    socklen_t length = sizeof(listens);
    if (::getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &length) != 0 || listens == 0) continue;
    sockaddr_storage address{};
    length = sizeof(address);
    if (::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &length) != 0) continue;
    const uint16_t at = address.ss_family == AF_INET6 ? reinterpret_cast<sockaddr_in6&>(address).sin6_port
                                                      : reinterpret_cast<sockaddr_in&>(address).sin_port;
    if (ntohs(at) != port) continue;
    constexpr char kLoopback[] = "lo";
    ADA_CHECK(::setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, kLoopback, sizeof(kLoopback)) == 0,
              "[ranks] port {} cannot be closed to the network: {} - name an address in MASTER_ADDR to open it", port,
              errno_text(errno));
    return;
  }
  ADA_THROW("[ranks] the store does not listen at port {} although it was started", port);
}

// This machine's own address on the way to the store; another machine must be able to reach it.
std::string own_address(const Launch& launch) {
  if (launch.on_loopback()) return "127.0.0.1";
  addrinfo hints{}, *found = nullptr;
  hints.ai_family = AF_INET;
  hints.ai_socktype = SOCK_DGRAM;
  std::string address;
  if (::getaddrinfo(launch.address.c_str(), std::to_string(launch.port).c_str(), &hints, &found) == 0) {
    const int fd = ::socket(AF_INET, SOCK_DGRAM, 0);  // connecting one sends nothing
    sockaddr_in own{};
    socklen_t length = sizeof(own);
    char text[INET_ADDRSTRLEN] = "";
    if (fd >= 0 && ::connect(fd, found->ai_addr, found->ai_addrlen) == 0 &&
        ::getsockname(fd, reinterpret_cast<sockaddr*>(&own), &length) == 0) {
      address = ::inet_ntop(AF_INET, &own.sin_addr, text, sizeof(text));
    }
    if (fd >= 0) ::close(fd);
    ::freeaddrinfo(found);
  }
  if (!address.empty() && !address.starts_with("127.")) return address;
  // Rank 0's own name often is one of the loopback's.
  ifaddrs* all = nullptr;
  if (::getifaddrs(&all) == 0) {
    for (const ifaddrs* one = all; one != nullptr; one = one->ifa_next) {
      if (one->ifa_addr == nullptr || one->ifa_addr->sa_family != AF_INET || (one->ifa_flags & IFF_LOOPBACK) != 0 ||
          (one->ifa_flags & IFF_UP) == 0)
        continue;
      char text[INET_ADDRSTRLEN] = "";
      address = ::inet_ntop(AF_INET, &reinterpret_cast<sockaddr_in*>(one->ifa_addr)->sin_addr, text, sizeof(text));
      break;
    }
    ::freeifaddrs(all);
  }
  ADA_USAGE(!address.empty(), "[ranks] MASTER_ADDR = {}: this machine has no address on the way there", launch.address);
  return address;
}

std::string own_place() {
  char name[256] = "";
  ::gethostname(name, sizeof(name) - 1);
  return fmt::format("{}, process {}", name, ::getpid());
}

class GlooCommunicator : public Communicator {
 public:
  GlooCommunicator(const Launch& launch, std::vector<std::string> places, std::vector<StorePtr> kept, GroupPtr group,
                   std::unique_ptr<RankWatch> watch)
      : launch_(launch),
        places_(std::move(places)),
        kept_(std::move(kept)),
        group_(std::move(group)),
        watch_(std::move(watch)) {}

  ~GlooCommunicator() override {
    watch_->leave();
    watch_.reset();
    if (broken_) group_.release();  // its threads may wait for somebody who will never come
  }

  int rank() const override { return launch_.rank; }
  int size() const override { return launch_.size; }
  std::string place_of(int rank) const override { return places_.at(static_cast<size_t>(rank)); }
  double waited() const override { return waited_; }
  int64_t sent() const override { return sent_; }

  void all_gather(const void* mine, size_t bytes, void* all) override {
    if (bytes == 0) return;
    begin(bytes);
    std::vector<at::Tensor> in = {copy_of(mine, bytes, at::kByte)};
    std::vector<std::vector<at::Tensor>> out(1);
    for (size_t r = 0; r < places_.size(); ++r) out[0].push_back(at::empty_like(in[0]));
    finish(start([&] { return group_->allgather(out, in); }));
    for (size_t r = 0; r < places_.size(); ++r)
      std::memcpy(static_cast<char*>(all) + r * bytes, out[0][r].data_ptr(), bytes);
  }

  void add(double* values, size_t count) override {
    begin(count * sizeof(double));
    std::vector<at::Tensor> in = {copy_of(values, count, at::kDouble)};
    finish(start([&] { return group_->allreduce(in); }));
    std::memcpy(values, in[0].data_ptr(), count * sizeof(double));
  }

  void start_add(float* values, size_t count) override {
    begin(count * sizeof(float));
    std::vector<at::Tensor> in = {copy_of(values, count, at::kFloat)};
    pending_.push_back({start([&] { return group_->allreduce(in); }), in[0], values});
  }

  void wait() override {
    for (const Pending& sum : std::exchange(pending_, {})) {
      finish(sum.work);
      std::memcpy(sum.to, sum.values.data_ptr(), sum.values.nbytes());
    }
  }

  void broadcast(void* bytes, size_t count) override {
    if (count == 0) return;
    begin(count);
    std::vector<at::Tensor> in = {copy_of(bytes, count, at::kByte)};
    finish(start([&] { return group_->broadcast(in); }));
    std::memcpy(bytes, in[0].data_ptr(), count);
  }

  void tell(const Error& error) override {
    if (broken_) return;
    broken_ = true;
    watch_->publish(
        {error.kind(), fmt::format("[ranks] rank {} ({}) has stopped: {}", rank(), place_of(rank()), error.what())});
  }

 private:
  using WorkPtr = decltype(std::declval<c10d::ProcessGroupGloo&>().barrier());

  // A sum on its way to `to`.
  struct Pending {
    WorkPtr work;
    at::Tensor values;
    float* to;
  };

  // Gloo's threads may still write here after a rank was given up and the caller's memory is something else's: what
  // they write to is kept by their own work.
  static at::Tensor copy_of(const void* memory, size_t count, at::ScalarType type) {
    at::Tensor copy = at::empty({static_cast<int64_t>(count)}, type);
    std::memcpy(copy.data_ptr(), memory, static_cast<size_t>(copy.nbytes()));
    return copy;
  }

  [[noreturn]] void lose(const RankFailure& verdict) {
    broken_ = true;
    throw LostRank(verdict.kind, verdict.text, __FILE__, __LINE__);
  }

  void begin(size_t bytes) {
    if (broken_)
      lose(watch_->verdict().value_or(RankFailure{Error::Kind::kWork, "[ranks] the ranks have parted already"}));
    watch_->at_step(++steps_);
    sent_ += static_cast<int64_t>(bytes);
    began_ = Clock::now();
  }

  template <typename Call>
  WorkPtr start(const Call& call) {
    try {
      return call();
    } catch (const std::exception& error) {
      lose(watch_->wait_for_verdict("[ranks] a connection broke: " + first_line(error)));
    }
  }

  // Looks up between two slices of waiting whether somebody is gone.
  void finish(const WorkPtr& work) {
    constexpr std::chrono::milliseconds kSlice(100);
    for (;;) {
      try {
        work->wait(kSlice);
        break;
      } catch (const std::exception& error) {
        if (work->isCompleted()) {
          if (work->isSuccess()) break;  // between the slice's end and here
          lose(watch_->wait_for_verdict("[ranks] a connection broke: " + first_line(error)));
        }
        if (const auto verdict = watch_->verdict()) lose(*verdict);
      }
    }
    waited_ += std::chrono::duration<double>(Clock::now() - began_).count();
    began_ = Clock::now();
  }

  Launch launch_;
  std::vector<std::string> places_;
  std::vector<StorePtr> kept_;  // the server among them: it must outlive everything else
  GroupPtr group_;
  std::unique_ptr<RankWatch> watch_;
  std::vector<Pending> pending_;
  Clock::time_point began_;
  double waited_ = 0;
  int64_t steps_ = 0, sent_ = 0;
  bool broken_ = false;
};

std::string list_of(const std::vector<int>& ranks) {
  constexpr size_t kShown = 8;
  const std::vector<int> first(ranks.begin(), ranks.begin() + static_cast<int64_t>(std::min(kShown, ranks.size())));
  return fmt::format("{} {}{}", ranks.size() == 1 ? "rank" : "ranks", fmt::join(first, ", "),
                     ranks.size() > kShown ? ", .." : "");
}

// Everybody says where it is; rank 0 sees when all have, and says so, or who has not come. Returns the places.
// `limit`: seconds since the start of the process's waiting, of which `seconds` are left.
std::vector<std::string> meet(c10d::Store& store, const Launch& launch, double seconds, double limit) try {
  const auto start = Clock::now();
  const auto late = [&] { return std::chrono::duration<double>(Clock::now() - start).count() > seconds; };
  const auto place = [](int rank) { return fmt::format("place/{}", rank); };
  const auto text_of = [&](const std::string& key) {
    const std::vector<uint8_t> value = store.get(key);
    return std::string(value.begin(), value.end());
  };
  const auto set = [&](const std::string& key, const std::string& value) {
    store.set(key, std::vector<uint8_t>(value.begin(), value.end()));
  };
  const auto pause = [] { std::this_thread::sleep_for(std::chrono::milliseconds(10)); };
  if (store.add(fmt::format("count/{}", launch.rank), 1) > 1) {
    set("refused", fmt::format("[ranks] rank {} was started twice, the second time as {}", launch.rank, own_place()));
  }
  set(place(launch.rank), own_place());
  std::vector<int> missing;
  while (!store.check({"complete"})) {
    if (store.check({"refused"})) {
      const std::string reason = text_of("refused");
      store.add("told", 1);
      for (const auto since = Clock::now(); launch.rank == 0 && Clock::now() - since < std::chrono::seconds(2);) {
        if (store.add("told", 0) >= launch.size - static_cast<int>(missing.size())) break;
        pause();  // the store goes with this process: the others must have read it
      }
      ADA_THROW_KIND(kUsage, "{}", reason);
    }
    missing.clear();
    for (int r = 0; launch.rank == 0 && r < launch.size; ++r) {
      if (!store.check({place(r)})) missing.push_back(r);
    }
    if (launch.rank == 0 && missing.empty() && !store.check({"refused"})) set("complete", "1");
    if (launch.rank == 0 && !missing.empty() && late()) {
      set("refused", fmt::format("[ranks] {} of {} did not come within {:g} s: were all {} started?", list_of(missing),
                                 launch.size, limit, launch.size));
    }
    ADA_USAGE(launch.rank == 0 || std::chrono::duration<double>(Clock::now() - start).count() < seconds + 5,
              "[ranks] rank 0 did not come within {:g} s", limit);
    if (!missing.empty() || launch.rank != 0) pause();
  }
  std::vector<std::string> places;
  for (int r = 0; r < launch.size; ++r) places.push_back(text_of(place(r)));
  return places;
} catch (const Error&) {
  throw;
} catch (const std::exception& error) {
  ADA_THROW_KIND(kUsage, "[ranks] rank {}: the store went away while the ranks met: {}", launch.rank,
                 first_line(error));
}

std::shared_ptr<gloo::transport::Device> own_device(const Launch& launch) {
  if (const char* interface = std::getenv("GLOO_SOCKET_IFNAME"))
    return c10d::ProcessGroupGloo::createDeviceForInterface(interface);
  return c10d::ProcessGroupGloo::createDeviceForHostname(own_address(launch));
}

// Gloo's connections to all others. Where it is this rank that cannot, the others are told; where another is gone,
// throws LostRank.
GroupPtr connect_all(const Launch& launch, const WatchLimits& limits, const StorePtr& meeting, const std::string& place,
                     RankWatch& watch) {
  // Its own limit lies beyond ours, which name who is missing.
  auto gloo = c10d::ProcessGroupGloo::Options::create(milliseconds(2 * limits.step));
  gloo->threads = 2;
  try {
    gloo->devices.push_back(own_device(launch));
  } catch (const std::exception& error) {
    const RankFailure why{
        Error::Kind::kUsage,
        fmt::format("[ranks] rank {} ({}) finds no network to the others{}: {}", launch.rank, place,
                    std::getenv("GLOO_SOCKET_IFNAME") != nullptr ? " by GLOO_SOCKET_IFNAME" : "", first_line(error))};
    watch.publish(why);
    watch.leave();
    ADA_THROW_KIND(kUsage, "{}", why.text);
  }
  std::packaged_task<GroupPtr()> connecting([meeting, launch, gloo] {
    return c10::make_intrusive<c10d::ProcessGroupGloo>(meeting, launch.rank, launch.size, gloo);
  });
  auto group = connecting.get_future();
  std::thread(std::move(connecting)).detach();
  while (group.wait_for(std::chrono::milliseconds(50)) != std::future_status::ready) {
    if (const auto verdict = watch.verdict()) throw LostRank(verdict->kind, verdict->text, __FILE__, __LINE__);
  }
  try {
    return group.get();
  } catch (const std::exception& error) {  // another rank left while this one was connecting to it
    const RankFailure why = watch.wait_for_verdict("[ranks] a connection could not be made: " + first_line(error));
    watch.publish(why);
    throw LostRank(why.kind, why.text, __FILE__, __LINE__);
  }
}

}  // namespace

std::unique_ptr<Communicator> join_ranks(const Launch& launch, const JoinOptions& options) {
  options.validate();
  if (!launch.distributed()) return make_single_process();
  const auto start = Clock::now();
  const auto left = [&] {
    return std::max(0.5, options.start - std::chrono::duration<double>(Clock::now() - start).count());
  };
  const std::string where = fmt::format("{}:{}", launch.address, launch.port);
  const std::string prefix = "adasample/" + launch.job;
  std::vector<StorePtr> kept;
  const auto connect = [&](bool server) -> StorePtr {
    c10d::TCPStoreOptions store;
    store.port = static_cast<uint16_t>(launch.port);
    store.isServer = server;
    store.waitWorkers = false;
    store.timeout = milliseconds(std::ceil(left()));  // it counts whole seconds
    const std::string address = launch.on_loopback() && server ? "127.0.0.1" : launch.address;
    return within(
        std::ceil(left()) + 1,
        [=]() -> StorePtr {
          const auto tcp = c10::make_intrusive<c10d::TCPStore>(address, store);
          tcp->check({"adasample"});  // whoever listens there may be no store
          return tcp;
        },
        fmt::format(
            "[ranks] rank {}: what listens at {} does not answer as a store: is the port taken by another program?",
            launch.rank, where));
  };
  if (launch.rank == 0 && !launch.launchers_store) {
    try {
      kept.push_back(connect(/*server=*/true));
    } catch (const Error&) {
      throw;
    } catch (const std::exception& error) {
      const bool taken = std::string(error.what()).find("in use") != std::string::npos;
      ADA_THROW_KIND(kUsage, "[ranks] rank 0 cannot keep its store at {}: {} - choose another MASTER_PORT", where,
                     taken ? "the port is in use" : first_line(error));
    }
    if (launch.on_loopback()) close_to_network(launch.port);
  }
  try {
    for (int i = 0; i < 2; ++i) kept.push_back(connect(/*server=*/false));
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {
    ADA_THROW_KIND(kUsage,
                   "[ranks] rank {} finds no store at {} within {:g} s: is rank 0 running, and is the port open?",
                   launch.rank, where, options.start);
  }
  const StorePtr notes = c10::make_intrusive<c10d::PrefixStore>(prefix, kept.back());
  const StorePtr meeting = c10::make_intrusive<c10d::PrefixStore>(prefix, kept[kept.size() - 2]);
  const std::vector<std::string> places = within(
      options.start + 10,
      [meeting, launch, seconds = left(), limit = options.start] { return meet(*meeting, launch, seconds, limit); },
      fmt::format("[ranks] rank {}: the store at {} stopped answering", launch.rank, where));
  const std::string whose = launch.launchers_store ? fmt::format("the launcher's store at {}", where)
                                                   : fmt::format("rank 0 ({}), which keeps the store,", places[0]);
  auto watch =
      std::make_unique<RankWatch>(std::make_unique<StoreNotes>(notes), launch.rank, places, whose, options.limits);
  GroupPtr group = connect_all(launch, options.limits, meeting, places[static_cast<size_t>(launch.rank)], *watch);
  return std::make_unique<GlooCommunicator>(launch, places, std::move(kept), std::move(group), std::move(watch));
}

}  // namespace adasample
