// SPDX-License-Identifier: Apache-2.0
#include "adasample/train/distributed/watch.h"

#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <mutex>
#include <thread>

namespace adasample {
namespace {

// A store in memory that can be cut off.
struct Table {
  std::mutex mutex;
  std::map<std::string, std::string> values;
};
class TableNotes : public Notes {
 public:
  TableNotes(Table& table, std::atomic<bool>& cut) : table_(&table), cut_(&cut) {}
  void set(const std::string& key, const std::string& value) override {
    reach();
    const std::lock_guard lock(table_->mutex);
    table_->values[key] = value;
  }
  std::optional<std::string> get(const std::string& key) override {
    reach();
    const std::lock_guard lock(table_->mutex);
    const auto found = table_->values.find(key);
    return found == table_->values.end() ? std::nullopt : std::optional(found->second);
  }

 private:
  void reach() const {
    if (*cut_) throw std::runtime_error("cut off");
  }
  Table* table_;
  std::atomic<bool>* cut_;
};

class Watched : public ::testing::Test {
 protected:
  std::unique_ptr<RankWatch> watch(int rank, WatchLimits limits = {0.5, 60}) {
    return std::make_unique<RankWatch>(std::make_unique<TableNotes>(table_, cut_[static_cast<size_t>(rank)]), rank,
                                       std::vector<std::string>{"a", "b", "c"}, "the store of rank 0", limits);
  }
  static std::optional<RankFailure> verdict_within(const RankWatch& watch, double seconds) {
    const auto start = std::chrono::steady_clock::now();
    while (std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() < seconds) {
      if (const auto verdict = watch.verdict()) return verdict;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return std::nullopt;
  }

  Table table_;
  std::array<std::atomic<bool>, 3> cut_{};
};

TEST_F(Watched, WhoIsSilentIsNamedToAllOthers) {
  auto zero = watch(0), one = watch(1), two = watch(2);
  EXPECT_FALSE(verdict_within(*zero, 1.2));  // longer than the limit: all are well
  cut_[1] = true;
  for (RankWatch* other : {zero.get(), two.get()}) {
    const auto verdict = verdict_within(*other, 3);
    ASSERT_TRUE(verdict);
    EXPECT_NE(verdict->text.find("rank 1 (b) gave no sign of life for 0."), std::string::npos) << verdict->text;
  }
  const auto own = verdict_within(*one, 3);  // it sees that nobody answers
  ASSERT_TRUE(own);
  EXPECT_NE(own->text.find("the store of rank 0 has not answered for"), std::string::npos) << own->text;
}

TEST_F(Watched, RankZeroIsWatchedToo) {
  auto zero = watch(0), two = watch(2);
  cut_[0] = true;
  const auto verdict = verdict_within(*two, 3);
  ASSERT_TRUE(verdict);
  EXPECT_NE(verdict->text.find("rank 0 (a) gave no sign of life"), std::string::npos) << verdict->text;
}

TEST_F(Watched, WhoLeavesInGoodOrderIsNotMissed) {
  auto zero = watch(0), one = watch(1), two = watch(2);
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  one->leave();
  one.reset();
  EXPECT_FALSE(verdict_within(*zero, 1.2));
  EXPECT_FALSE(two->verdict());
  two->leave();
  const auto start = std::chrono::steady_clock::now();
  zero->leave();  // all are gone: it need not wait
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(400));
}

TEST_F(Watched, WhoLivesButDoesNotComeIsNamed) {
  auto zero = watch(0, {0.5, 1}), one = watch(1, {0.5, 1}), two = watch(2, {0.5, 1});
  one->at_step(5);
  for (RankWatch* watch : {zero.get(), two.get()}) watch->at_step(6);
  const auto verdict = verdict_within(*zero, 4);
  ASSERT_TRUE(verdict);
  EXPECT_NE(verdict->text.find("rank 1 (b) lives but has kept the others waiting for 1 s at step 5"), std::string::npos)
      << verdict->text;
}

// Work between two steps is nobody's fault: what counts is how long others have been waiting.
TEST_F(Watched, LongWorkOfAllIsNoWaiting) {
  auto zero = watch(0, {0.5, 1}), one = watch(1, {0.5, 1}), two = watch(2, {0.5, 1});
  for (RankWatch* watch : {zero.get(), one.get(), two.get()}) watch->at_step(5);
  EXPECT_FALSE(verdict_within(*zero, 1.5));
  for (RankWatch* watch : {zero.get(), two.get()}) watch->at_step(6);
  EXPECT_FALSE(verdict_within(*zero, 0.7));
  const auto verdict = verdict_within(*zero, 4);
  ASSERT_TRUE(verdict);
  EXPECT_NE(verdict->text.find("rank 1 (b) lives but has kept the others waiting for 1 s"), std::string::npos);
}

TEST_F(Watched, AFailureReachesAllWithItsKind) {
  auto zero = watch(0), one = watch(1), two = watch(2);
  two->publish({Error::Kind::kUsage, "[x] what"});
  for (RankWatch* other : {zero.get(), one.get()}) {
    const auto verdict = verdict_within(*other, 2);
    ASSERT_TRUE(verdict);
    EXPECT_EQ(verdict->text, "[x] what");
    EXPECT_EQ(verdict->kind, Error::Kind::kUsage);
  }
  EXPECT_EQ(one->wait_for_verdict("something else").text, "[x] what");
}

TEST_F(Watched, RubbishInTheStoreIsAFailureLikeAnyOther) {
  EXPECT_EQ(RankFailure::decoded("").kind, Error::Kind::kWork);
  EXPECT_EQ(RankFailure::decoded("9 x").text, "9 x");
  auto zero = watch(0);
  for (const char* beat : {"", "x", "1 -5", "1 99999999999999999999999", " ", "1 "}) {
    {
      const std::lock_guard lock(table_.mutex);
      table_.values["beat/1"] = beat;
      table_.values["beat/2"] = beat;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(120));
    EXPECT_FALSE(zero->verdict()) << beat;
  }
}

}  // namespace
}  // namespace adasample
