// SPDX-License-Identifier: Apache-2.0
// Ranks as threads of one process, over real stores and sockets on the loopback.
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <functional>
#include <set>
#include <thread>

#include "adasample/base/error.h"
#include "adasample/train/distributed/batch_share.h"
#include "adasample/train/distributed/join.h"
#include "adasample/train/distributed/own_cores.h"
#include "tests/support/expect_error.h"

namespace adasample {
namespace {

// A port that nobody has at this moment; `held` keeps it.
int free_port(int* held = nullptr) {
  const int fd = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof(address);
  EXPECT_EQ(::bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
  EXPECT_EQ(::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &length), 0);
  if (held != nullptr) {
    EXPECT_EQ(::listen(fd, 8), 0);
    *held = fd;
  } else {
    ::close(fd);
  }
  return ntohs(address.sin_port);
}

Launch launch_of(int rank, int size, int port) {
  Launch launch;
  launch.launcher = "by hand";
  launch.rank = launch.local_rank = rank;
  launch.size = launch.local_size = size;
  launch.port = port;
  return launch;
}

JoinOptions quick() { return {10, {1, 60}}; }

// body(communicator) on every rank; what it throws, by rank.
std::vector<std::string> on_ranks(int size, const std::function<void(Communicator&)>& body, std::set<int> missing = {},
                                  JoinOptions options = quick()) {
  const int port = free_port();
  std::vector<std::string> errors(static_cast<size_t>(size));
  std::vector<std::thread> threads;
  for (int rank = 0; rank < size; ++rank) {
    if (missing.contains(rank)) continue;
    threads.emplace_back([&, rank] {
      try {
        const auto ranks = join_ranks(launch_of(rank, size, port), options);
        body(*ranks);
      } catch (const Error& error) {
        errors[static_cast<size_t>(rank)] = error.what();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  return errors;
}

TEST(Gloo, WhatIsGatheredSummedAndSentIsTheSameOnAll) {
  for (const int size : {1, 2, 3, 4}) {
    const auto errors = on_ranks(size, [size](Communicator& ranks) {
      ASSERT_EQ(ranks.size(), size);
      const double r = ranks.rank();
      std::vector<double> all(static_cast<size_t>(2 * size));
      const double mine[2] = {r, 10 * r};
      ranks.all_gather(mine, sizeof(mine), all.data());
      for (int i = 0; i < size; ++i) {
        EXPECT_EQ(all[static_cast<size_t>(2 * i)], i);
        EXPECT_EQ(all[static_cast<size_t>(2 * i + 1)], 10 * i);
      }
      double sums[3] = {1, r, -r};
      ranks.add(sums, 3);
      EXPECT_EQ(sums[0], size);
      EXPECT_EQ(sums[1], size * (size - 1) / 2);
      EXPECT_EQ(sums[2], -sums[1]);
      std::vector<float> a(1000, static_cast<float>(r)), b(10, 1);
      ranks.start_add(a.data(), a.size());
      ranks.start_add(b.data(), b.size());
      ranks.wait();
      EXPECT_EQ(a[999], static_cast<float>(sums[1]));
      EXPECT_EQ(b[0], static_cast<float>(size));
      EXPECT_EQ(broadcast_text(ranks, fmt::format("from {}", ranks.rank())), "from 0");
      const std::vector<std::string> texts = gather_texts(ranks, std::string(static_cast<size_t>(ranks.rank()), 'x'));
      for (size_t i = 0; i < texts.size(); ++i) EXPECT_EQ(texts[i], std::string(i, 'x'));
      EXPECT_GT(ranks.sent(), 4000);
      EXPECT_EQ(ranks_on_own_cores(ranks), size);  // threads of one process
      EXPECT_NE(ranks.place_of(0).find(fmt::format("process {}", ::getpid())), std::string::npos);
    });
    for (const std::string& error : errors) EXPECT_EQ(error, "");
  }
}

// The sum of the ranks' gradients is the gradient of a loss that every rank computes of all rows.
TEST(Gloo, GatheredRowsGiveEachRankItsOwnGradient) {
  const at::Tensor x = at::arange(24, at::kFloat).view({12, 2}) / 7;  // 2 members of 6 slots
  const auto loss = [](const at::Tensor& rows) { return (at::mm(rows, rows.t()).pow(3) / 50).sum(); };
  at::Tensor whole = x.clone().requires_grad_();
  loss(whole).backward();
  const auto errors = on_ranks(3, [&](Communicator& ranks) {
    const BatchShare share(ranks, 6, 0);
    at::Tensor mine = share.own_members(x, 2).requires_grad_();
    EXPECT_EQ(mine.size(0), 4);
    const at::Tensor all = share.gather_members(mine, 2);
    EXPECT_TRUE(at::equal(all, x));
    loss(all).backward();
    EXPECT_TRUE(at::equal(mine.grad(), share.own_members(whole.grad(), 2)));
  });
  for (const std::string& error : errors) EXPECT_EQ(error, "");
}

TEST(Gloo, OrderedSumsDoNotDependOnTheNumberOfRanks) {
  std::vector<std::vector<double>> totals;
  std::vector<std::vector<float>> gradients;
  for (const int size : {1, 2, 4}) {
    totals.emplace_back();
    gradients.emplace_back();
    const auto errors = on_ranks(size, [&](Communicator& ranks) {
      const BatchShare share(ranks, 8, 4);
      std::vector<double> mine;
      std::vector<std::vector<float>> rows;
      std::vector<float*> pointers;
      for (int64_t shard = 0; shard < share.shards(); ++shard) {
        const double at = static_cast<double>(ranks.rank() * share.shards() + shard);
        for (int i = 0; i < 5; ++i) mine.push_back(std::pow(1e8, at) / (3 + i));
        rows.push_back({static_cast<float>(std::pow(1e4, at) / 7)});
      }
      for (auto& row : rows) pointers.push_back(row.data());
      const std::vector<double> total = share.total(mine, static_cast<size_t>(share.shards()));
      share.start_total(pointers, 1);
      share.finish();
      if (ranks.rank() == 0) {
        totals.back() = total;
        gradients.back() = rows.front();
      }
    });
    for (const std::string& error : errors) EXPECT_EQ(error, "");
  }
  for (size_t i = 1; i < totals.size(); ++i) {
    EXPECT_EQ(totals[i], totals[0]);
    EXPECT_EQ(gradients[i], gradients[0]);
  }
}

TEST(Gloo, SharesThatDoNotComeOutEvenAreRefused) {
  const auto ranks = make_single_process();
  EXPECT_NO_THROW(BatchShare(*ranks, 8, 4));
  testing::expect_error([&] { BatchShare(*ranks, 8, 3); }, "batch = 8, must be a multiple of the 3 shards");
  for (const std::string& error : on_ranks(2, [](Communicator& two) { BatchShare(two, 7, 0); })) {
    EXPECT_EQ(error, "batch = 7, must be a multiple of the 2 ranks that share it");
  }
  for (const std::string& error : on_ranks(2, [](Communicator& two) { BatchShare(two, 6, 3); })) {
    EXPECT_EQ(error, "shards = 3, must be a multiple of the 2 ranks");
  }
}

TEST(Gloo, WhoDoesNotComeIsNamedToAll) {
  JoinOptions options = quick();
  options.start = 4;  // a rank that comes before the store tries again after a second
  const auto start = std::chrono::steady_clock::now();
  const auto errors = on_ranks(
      4, [](Communicator&) {}, {1, 3}, options);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(9));
  for (const int rank : {0, 2}) {
    EXPECT_EQ(errors[static_cast<size_t>(rank)],
              "[ranks] ranks 1, 3 of 4 did not come within 4 s: were all 4 started?");
  }
}

TEST(Gloo, WithoutRankZeroTheOthersSayThatThereIsNoStore) {
  JoinOptions options = quick();
  options.start = 1;
  const auto errors = on_ranks(
      2, [](Communicator&) {}, {0}, options);
  EXPECT_NE(errors[1].find("rank 1 finds no store at 127.0.0.1:"), std::string::npos) << errors[1];
}

TEST(Gloo, APortInUseIsSaid) {
  int held = -1;
  const int port = free_port(&held);
  JoinOptions options = quick();
  options.start = 1;
  testing::expect_error([&] { join_ranks(launch_of(0, 2, port), options); },
                        "rank 0 cannot keep its store at 127.0.0.1:", "the port is in use", "another MASTER_PORT");
  testing::expect_error([&] { join_ranks(launch_of(1, 2, port), options); }, "does not answer as a store");
  // Held until the process ends: c10d's own thread, which still waits for an answer, does not survive a reset.
}

void one_rank_fails() {
  const auto errors = on_ranks(3, [](Communicator& ranks) {
    if (ranks.rank() == 1) {
      const Error error(Error::Kind::kUsage, "[disk] it is full", __FILE__, __LINE__);
      ranks.tell(error);
      throw error;
    }
    try {
      barrier(ranks);
      ADD_FAILURE() << "nobody was missed";
    } catch (const LostRank& lost) {
      EXPECT_EQ(lost.kind(), Error::Kind::kUsage);
      throw;
    }
  });
  EXPECT_EQ(errors[1], "[disk] it is full");
  for (const size_t rank : {0u, 2u}) {
    EXPECT_NE(errors[rank].find("rank 1 ("), std::string::npos) << errors[rank];
    EXPECT_NE(errors[rank].find("has stopped: [disk] it is full"), std::string::npos) << errors[rank];
  }
  std::_Exit(::testing::Test::HasFailure() ? 1 : 0);
}

// In a process of its own: those who lost a rank keep their connections until it ends, and c10d's thread at each asks a
// store that is gone for news without a pause.
TEST(Gloo, WhatOneRankSaysEndsTheOthers) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(one_rank_fails(), ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace adasample
