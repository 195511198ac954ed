// SPDX-License-Identifier: Apache-2.0
#include "adasample/train/distributed/watch.h"

#include <fmt/format.h>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace adasample {
namespace {

using Clock = std::chrono::steady_clock;

double since(Clock::time_point then) { return std::chrono::duration<double>(Clock::now() - then).count(); }
std::chrono::duration<double> seconds(double s) { return std::chrono::duration<double>(s); }

constexpr const char *kVerdict = "verdict", *kHurt = "hurt";
std::string beat_key(size_t rank) { return fmt::format("beat/{}", rank); }
std::string left_key(size_t rank) { return fmt::format("left/{}", rank); }

}  // namespace

std::string RankFailure::encoded() const { return fmt::format("{} {}", static_cast<int>(kind), text); }

RankFailure RankFailure::decoded(const std::string& text) {
  // Whoever reaches the port can write there: anything else than what encoded() gives is a failure all the same.
  if (text.size() < 2 || text[0] < '0' || text[0] > '3') return {Error::Kind::kWork, text};
  return {static_cast<Error::Kind>(text[0] - '0'), text.substr(2)};
}

struct RankWatch::State {
  State(std::unique_ptr<Notes> n, int r, std::vector<std::string> p, std::string s, WatchLimits l)
      : notes(std::move(n)),
        rank(static_cast<size_t>(r)),
        places(std::move(p)),
        store(std::move(s)),
        limits(l),
        contact(Clock::now()),
        others(places.size()) {}

  // What was last seen of another rank.
  struct Other {
    std::string beat;
    int64_t step = -1;
    std::atomic<bool> left{false};                                 // the one that others than the thread ask for
    Clock::time_point changed = Clock::now(), met = Clock::now();  // its last new beat; when it was not behind
  };

  void run() {
    std::unique_lock lock(mutex);
    while (!leaving) {
      lock.unlock();
      const bool reached = look();
      lock.lock();
      if (reached) contact = Clock::now();
      wake.wait_for(lock, seconds(limits.interval()), [&] { return leaving || asked_to_publish; });
      asked_to_publish = false;
    }
    lock.unlock();
    try {
      publish_pending();
      notes->set(left_key(rank), "1");
    } catch (const std::exception&) {  // nobody is there to be told
    }
    lock.lock();
    done = true;
    wake.notify_all();
  }

  // One round. False: the store did not answer.
  bool look() {
    try {
      notes->set(beat_key(rank), fmt::format("{} {}", ++beats, step.load()));
      publish_pending();
      if (const auto text = notes->get(kVerdict)) {
        take(RankFailure::decoded(*text));
        return true;
      }
      const double limit = notes->get(kHurt) ? limits.hurt() : limits.silence;
      for (size_t other = 0; other < others.size(); ++other) {
        if (other != rank && (rank == 0 || other == 0)) look_at(other, limit);
      }
      return true;
    } catch (const std::exception&) {
      return false;  // verdict() says so when it lasts
    }
  }

  void look_at(size_t index, double limit) {
    Other& other = others[index];
    if (other.left) return;
    if (notes->get(left_key(index))) {
      other.left = true;
      return;
    }
    const std::string beat = notes->get(beat_key(index)).value_or("");
    const size_t space = beat.find(' ');
    const std::string at = space == std::string::npos ? "" : beat.substr(space + 1);
    const int64_t reached =
        at.empty() || at.find_first_not_of("0123456789") != std::string::npos || at.size() > 18 ? -1 : std::stoll(at);
    if (reached != other.step || reached >= step) other.met = Clock::now();
    other.step = reached;
    if (beat != other.beat) {
      other.beat = beat;
      other.changed = Clock::now();
    }
    if (since(other.changed) > limit) {
      decide(fmt::format("[ranks] rank {} ({}) gave no sign of life for {:.1f} s: killed, stopped or cut off", index,
                         places[index], since(other.changed)));
    } else if (other.step < step && since(other.met) > limits.step) {
      decide(fmt::format("[ranks] rank {} ({}) lives but has kept the others waiting for {:.0f} s at step {}", index,
                         places[index], since(other.met), other.step));
    }
  }

  void decide(const std::string& text) {
    notes->set(kVerdict, RankFailure{Error::Kind::kWork, text}.encoded());
    take({Error::Kind::kWork, text});
  }

  void take(const RankFailure& verdict) {
    const std::lock_guard lock(mutex);
    if (!known) known = verdict;
    wake.notify_all();
  }

  void publish_pending() {
    std::optional<RankFailure> verdict;
    bool is_hurt = false;
    {
      const std::lock_guard lock(mutex);
      verdict = pending;
      is_hurt = hurt;
    }
    if (is_hurt) notes->set(kHurt, "1");
    if (!verdict) return;
    if (!notes->get(kVerdict)) notes->set(kVerdict, verdict->encoded());
    const std::lock_guard lock(mutex);
    pending.reset();
    wake.notify_all();
  }

  std::unique_ptr<Notes> notes;  // the thread's alone
  const size_t rank;
  const std::vector<std::string> places;
  const std::string store;
  const WatchLimits limits;
  std::atomic<int64_t> step{0};
  int64_t beats = 0;

  std::mutex mutex;
  std::condition_variable wake;
  bool leaving = false, done = false, asked_to_publish = false, hurt = false;
  Clock::time_point contact;
  std::optional<RankFailure> known, pending;
  std::vector<Other> others;
};

RankWatch::RankWatch(std::unique_ptr<Notes> notes, int rank, std::vector<std::string> places, std::string store,
                     WatchLimits limits)
    : state_(std::make_shared<State>(std::move(notes), rank, std::move(places), std::move(store), limits)) {
  std::thread([state = state_] { state->run(); }).detach();
}

RankWatch::~RankWatch() {
  std::unique_lock lock(state_->mutex);
  state_->leaving = true;
  state_->wake.notify_all();
  state_->wake.wait_for(lock, seconds(1), [&] { return state_->done; });
}

void RankWatch::at_step(int64_t step) { state_->step = step; }

std::optional<RankFailure> RankWatch::verdict() const {
  const std::lock_guard lock(state_->mutex);
  if (state_->known) return state_->known;
  const double silent = since(state_->contact), limit = state_->hurt ? state_->limits.hurt() : state_->limits.silence;
  // A round may take an interval; only what comes on top of it is silence.
  if (silent <= limit + state_->limits.interval()) return std::nullopt;
  return RankFailure{
      Error::Kind::kWork,
      fmt::format("[ranks] {} has not answered for {:.1f} s: killed, stopped or cut off", state_->store, silent)};
}

RankFailure RankWatch::wait_for_verdict(const std::string& otherwise) {
  const auto start = Clock::now();
  {
    const std::lock_guard lock(state_->mutex);
    state_->hurt = true;
    state_->asked_to_publish = true;
    state_->wake.notify_all();
  }
  while (since(start) < state_->limits.hurt() + 4 * state_->limits.interval() + 1) {
    if (const auto known = verdict()) return *known;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return {Error::Kind::kWork, otherwise};
}

void RankWatch::publish(const RankFailure& verdict) {
  std::unique_lock lock(state_->mutex);
  if (state_->known) return;
  state_->known = state_->pending = verdict;
  state_->asked_to_publish = true;
  state_->wake.notify_all();
  state_->wake.wait_for(lock, seconds(state_->limits.hurt()), [&] { return !state_->pending; });
}

void RankWatch::leave() {
  std::unique_lock lock(state_->mutex);
  if (state_->rank == 0) {
    // The thread still looks at the others meanwhile; those that it has found silent are not waited for.
    const auto start = Clock::now();
    while (since(start) < state_->limits.hurt()) {
      lock.unlock();
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      lock.lock();
      bool all = true;
      for (size_t i = 1; i < state_->others.size(); ++i) all = all && state_->others[i].left;
      if (all) break;
      state_->asked_to_publish = true;  // another round at once
      state_->wake.notify_all();
    }
  }
  state_->leaving = true;
  state_->wake.notify_all();
  state_->wake.wait_for(lock, seconds(state_->limits.hurt()), [&] { return state_->done; });
}

}  // namespace adasample
