// SPDX-License-Identifier: Apache-2.0
#include "adasample/train/run/launch.h"

#include <gtest/gtest.h>

#include <map>

#include "tests/support/expect_error.h"

namespace adasample {
namespace {

using Set = std::map<std::string, std::string>;

Launch read(const Set& set, std::optional<int> local_rank = std::nullopt) {
  return read_launch(
      [&](const std::string& name) {
        const auto found = set.find(name);
        return found == set.end() ? std::nullopt : std::optional(found->second);
      },
      local_rank);
}

TEST(Launch, WithoutVariablesThereIsOneProcess) {
  const Launch launch = read({{"HOME", "/"}, {"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "4"}});  // as in a batch script
  EXPECT_FALSE(launch.distributed());
  EXPECT_EQ(launch.rank, 0);
  EXPECT_EQ(launch.size, 1);
  EXPECT_EQ(launch.text(), "one process: no launcher's variables are set");
}

TEST(Launch, ByHandOnOneMachineStaysOnLoopback) {
  const Launch launch = read({{"RANK", "2"}, {"WORLD_SIZE", "3"}, {"MASTER_PORT", "4000"}}, 2);
  EXPECT_EQ(launch.launcher, "by hand");
  EXPECT_EQ(launch.rank, 2);
  EXPECT_EQ(launch.size, 3);
  EXPECT_EQ(launch.local_rank, 2);
  EXPECT_EQ(launch.local_size, 3);
  EXPECT_EQ(launch.port, 4000);
  EXPECT_TRUE(launch.on_loopback());
  EXPECT_EQ(launch.text(),
            "rank 2 of 3 (by hand), 2 of 3 on this machine, store at 127.0.0.1:4000, open to this machine only");
  const Launch named = read({{"RANK", "1"}, {"WORLD_SIZE", "3"}, {"MASTER_ADDR", "127.0.0.1"}});
  EXPECT_EQ(named.local_rank, 1);
  EXPECT_EQ(named.local_size, 3);
  const Launch far = read({{"RANK", "1"}, {"WORLD_SIZE", "3"}, {"MASTER_ADDR", "head"}});
  EXPECT_EQ(far.local_rank, 0);
  EXPECT_EQ(far.local_size, 1);
}

TEST(Launch, TorchrunsStoreIsUsedWhereItKeepsOne) {
  Set set = {{"RANK", "5"},
             {"WORLD_SIZE", "8"},
             {"LOCAL_RANK", "1"},
             {"LOCAL_WORLD_SIZE", "4"},
             {"MASTER_ADDR", "10.1.2.3"},
             {"MASTER_PORT", "29511"},
             {"TORCHELASTIC_RUN_ID", "x7"},
             {"TORCHELASTIC_RESTART_COUNT", "2"}};
  Launch launch = read(set, 3);
  EXPECT_EQ(launch.launcher, "torchrun");
  EXPECT_EQ(launch.local_rank, 1);  // the variable wins over --local-rank
  EXPECT_EQ(launch.local_size, 4);
  EXPECT_EQ(launch.address, "10.1.2.3");
  EXPECT_EQ(launch.port, 29511);
  EXPECT_EQ(launch.job, "x7/2");
  EXPECT_FALSE(launch.launchers_store);
  EXPECT_FALSE(launch.on_loopback());
  EXPECT_NE(launch.text().find("open to the network"), std::string::npos);
  set["TORCHELASTIC_USE_AGENT_STORE"] = "True";
  EXPECT_TRUE(read(set).launchers_store);
  set["MASTER_ADDR"] = "127.0.0.1";  // where the launcher's store listens is the launcher's matter
  EXPECT_EQ(read(set).text(),
            "rank 5 of 8 (torchrun), 1 of 4 on this machine, the launcher's store at 127.0.0.1:29511");
}

TEST(Launch, MpiOfBothKinds) {
  const Launch open = read({{"OMPI_COMM_WORLD_RANK", "1"},
                            {"OMPI_COMM_WORLD_SIZE", "2"},
                            {"OMPI_COMM_WORLD_LOCAL_RANK", "1"},
                            {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"},
                            {"SLURM_PROCID", "0"},
                            {"SLURM_STEP_NUM_TASKS", "1"}});  // mpirun inside a Slurm step
  EXPECT_EQ(open.launcher, "Open MPI");
  EXPECT_EQ(open.rank, 1);
  EXPECT_EQ(open.size, 2);
  EXPECT_TRUE(open.on_loopback());
  const Launch mpich = read({{"PMI_RANK", "3"},
                             {"PMI_SIZE", "4"},
                             {"MPI_LOCALRANKID", "1"},
                             {"MPI_LOCALNRANKS", "2"},
                             {"MASTER_ADDR", "head"}});
  EXPECT_EQ(mpich.launcher, "MPICH");
  EXPECT_EQ(mpich.rank, 3);
  EXPECT_EQ(mpich.local_rank, 1);
  EXPECT_EQ(mpich.local_size, 2);
  EXPECT_EQ(mpich.address, "head");
  EXPECT_EQ(mpich.port, 29500);
}

TEST(Launch, SlurmNamesRankZerosMachine) {
  Set set = {{"SLURM_PROCID", "6"},
             {"SLURM_STEP_NUM_TASKS", "8"},
             {"SLURM_LOCALID", "2"},
             {"SLURM_JOB_ID", "123456"},
             {"SLURM_STEP_ID", "3"},
             {"SLURM_STEP_NODELIST", "gpu[07-08]"},
             {"SLURM_STEP_TASKS_PER_NODE", "4(x2)"}};
  Launch launch = read(set);
  EXPECT_EQ(launch.launcher, "Slurm");
  EXPECT_EQ(launch.rank, 6);
  EXPECT_EQ(launch.size, 8);
  EXPECT_EQ(launch.local_rank, 2);
  EXPECT_EQ(launch.address, "gpu07");
  EXPECT_EQ(launch.port, 23456);
  EXPECT_EQ(launch.job, "123456/3");
  EXPECT_EQ(launch.local_size, 4);
  for (const auto& [tasks, node, here] :
       {std::tuple{"4(x2)", "1", 4}, {"3,5", "0", 3}, {"3,5", "1", 5}, {"1(x3),5", "3", 5}}) {
    set["SLURM_STEP_TASKS_PER_NODE"] = tasks;
    set["SLURM_NODEID"] = node;
    EXPECT_EQ(read(set).local_size, here) << tasks;
    EXPECT_EQ(read(set).address, "gpu07") << tasks;
  }
  for (const char* odd : {"", "x", "4(", "4(x", "4(x2", "0", "4,", ",4", "99999999999", "4(x0)", "4(x2)5"}) {
    set["SLURM_STEP_TASKS_PER_NODE"] = odd;
    set["SLURM_NODEID"] = "2";
    EXPECT_EQ(read(set).address, "gpu07") << odd;  // whatever that means, the list of nodes says where rank 0 is
  }
  set.erase("SLURM_NODEID");
  // srun --mpi=pmi2 says it in both ways, and where ranks are in its own alone.
  set["SLURM_STEP_TASKS_PER_NODE"] = "4(x2)";
  set["PMI_RANK"] = "6";
  set["PMI_SIZE"] = "8";
  EXPECT_EQ(read(set).launcher, "Slurm");
  set["SLURM_STEP_TASKS_PER_NODE"] = "8";
  set["SLURM_STEP_NODELIST"] = "gpu07";
  launch = read(set);
  EXPECT_EQ(launch.local_size, 8);
  EXPECT_TRUE(launch.on_loopback());
}

TEST(Launch, FirstHostOfSlurmsLists) {
  EXPECT_EQ(first_host("a"), "a");
  EXPECT_EQ(first_host("a,b"), "a");
  EXPECT_EQ(first_host("n[1,3]"), "n1");
  EXPECT_EQ(first_host("rack2-n[003-017,4].cluster,m"), "rack2-n003.cluster");
  testing::expect_error([] { first_host("n["); }, "SLURM_STEP_NODELIST", "expected hosts as in node[01-04]");
}

TEST(Launch, WhatMakesNoSenseIsNamed) {
  const auto refused = [](const Set& set, const auto&... parts) {
    testing::expect_error([&] { read(set); }, parts...);
  };
  refused({{"RANK", "4"}, {"WORLD_SIZE", "4"}}, "RANK = 4, must be below WORLD_SIZE = 4");
  refused({{"RANK", "1"}}, "RANK is set and WORLD_SIZE is not");
  refused({{"WORLD_SIZE", "2"}}, "WORLD_SIZE is set and RANK is not");
  refused({{"RANK", "-1"}, {"WORLD_SIZE", "4"}}, "RANK = '-1', must be a whole number");
  refused({{"RANK", "0x1"}, {"WORLD_SIZE", "4"}}, "RANK = '0x1'");
  refused({{"RANK", "0"}, {"WORLD_SIZE", ""}}, "WORLD_SIZE = '', must be");
  refused({{"RANK", "0"}, {"WORLD_SIZE", "99999999999"}}, "WORLD_SIZE = '99999999999'");
  refused({{"RANK", "0"}, {"WORLD_SIZE", "0"}}, "WORLD_SIZE = '0'");
  refused({{"RANK", "0"}, {"WORLD_SIZE", "2"}, {"MASTER_PORT", "70000"}}, "MASTER_PORT = '70000'");
  refused({{"RANK", "0"}, {"WORLD_SIZE", "2"}, {"MASTER_ADDR", ""}}, "MASTER_ADDR is empty");
  refused({{"RANK", "0"}, {"WORLD_SIZE", "4"}, {"LOCAL_WORLD_SIZE", "2"}}, "2 of 4 ranks are on this machine",
          "MASTER_ADDR");
  refused({{"SLURM_PROCID", "0"}, {"SLURM_STEP_NUM_TASKS", "4"}}, "Slurm does not say where rank 0 is");
}

}  // namespace
}  // namespace adasample
