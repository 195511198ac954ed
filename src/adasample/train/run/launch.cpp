// SPDX-License-Identifier: Apache-2.0
#include "adasample/train/run/launch.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdlib>

#include "adasample/base/error.h"
#include "adasample/base/text.h"

namespace adasample {
namespace {

constexpr int kMostRanks = 1 << 16;

// Names of one launcher's variables; one that a launcher does not have is empty.
struct Names {
  const char *launcher, *rank, *size, *local_rank, *local_size;
};
constexpr Names kLaunchers[] = {
    {"by hand", "RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE"},
    {"Open MPI", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK",
     "OMPI_COMM_WORLD_LOCAL_SIZE"},
    {"MPICH", "PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", "MPI_LOCALNRANKS"},
    // A batch script has SLURM_PROCID and SLURM_NTASKS too, without being one of several: a step's size is srun's
    // alone.
    {"Slurm", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_LOCALID", ""},
};

std::optional<int> number(const Variables& variables, const std::string& name, int low, int high) {
  if (name.empty()) return std::nullopt;
  const std::optional<std::string> text = variables(name);
  if (!text) return std::nullopt;
  int value = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
  ADA_USAGE(error == std::errc() && end == text->data() + text->size() && value >= low && value <= high,
            "[ranks] {} = {}, must be a whole number in [{}, {}]", name, shown(*text), low, high);
  return value;
}

// Tasks of a Slurm step on this node, of a list by node as "4" or "2(x3),1"; none where it is not such a list.
std::optional<int> slurm_tasks_here(const Variables& variables) {
  const std::string list = variables("SLURM_STEP_TASKS_PER_NODE").value_or("");
  int node = number(variables, "SLURM_NODEID", 0, kMostRanks).value_or(0);
  const char *at = list.data(), *const end = at + list.size();
  const auto read = [&](int& value) {
    const auto [after, error] = std::from_chars(at, end, value);
    at = after;
    return error == std::errc() && value >= 1 && value <= kMostRanks;
  };
  while (at < end) {
    int tasks = 0, nodes = 1;
    if (!read(tasks)) return std::nullopt;
    if (end - at > 2 && at[0] == '(' && at[1] == 'x') {
      at += 2;
      if (!read(nodes) || at == end || *at++ != ')') return std::nullopt;
    }
    if (node < nodes) return tasks;
    node -= nodes;
    if (at == end || *at++ != ',') return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> environment_variable(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

std::string first_host(const std::string& node_list) {
  const size_t bracket = node_list.find_first_of("[,");
  if (bracket == std::string::npos || node_list[bracket] == ',') return node_list.substr(0, bracket);
  const size_t end = node_list.find_first_of("-,]", bracket);
  ADA_USAGE(end != std::string::npos, "[ranks] SLURM_STEP_NODELIST = {}, expected hosts as in node[01-04]",
            shown(node_list));
  const size_t close = node_list.find(']', bracket);
  const size_t after = close == std::string::npos ? std::string::npos : node_list.find(',', close);
  const std::string suffix = close == std::string::npos ? "" : node_list.substr(close + 1, after - close - 1);
  return node_list.substr(0, bracket) + node_list.substr(bracket + 1, end - bracket - 1) + suffix;
}

bool Launch::on_loopback() const { return address == "localhost" || address == "::1" || address.starts_with("127."); }

std::string Launch::text() const {
  if (!distributed()) return "one process: no launcher's variables are set";
  const std::string who =
      fmt::format("rank {} of {} ({}), {} of {} on this machine", rank, size, launcher, local_rank, local_size);
  if (launchers_store) return fmt::format("{}, the launcher's store at {}:{}", who, address, port);
  return fmt::format("{}, store at {}:{}, open to {}", who, address, port,
                     on_loopback() ? "this machine only" : "the network");
}

Launch read_launch(const Variables& variables, std::optional<int> local_rank) {
  Launch launch;
  const Names* names = nullptr;
  for (const Names& candidate : kLaunchers) {
    const bool rank = variables(candidate.rank).has_value(), size = variables(candidate.size).has_value();
    ADA_USAGE(rank == size || candidate.launcher != std::string("by hand"),
              "[ranks] {} is set and {} is not: both say which process of how many this is",
              rank ? candidate.rank : candidate.size, rank ? candidate.size : candidate.rank);
    if (!rank || !size) continue;
    // srun speaks PMI too (--mpi=pmi2), and then says alone who is on which machine.
    if (candidate.launcher == std::string("MPICH") && !variables(candidate.local_size) &&
        variables("SLURM_STEP_NUM_TASKS"))
      continue;
    names = &candidate;
    break;
  }
  if (names == nullptr) return launch;
  launch.launcher = names->launcher;
  launch.size = *number(variables, names->size, 1, kMostRanks);
  launch.rank = *number(variables, names->rank, 0, kMostRanks);
  ADA_USAGE(launch.rank < launch.size, "[ranks] {} = {}, must be below {} = {}", names->rank, launch.rank, names->size,
            launch.size);

  std::optional<int> here = number(variables, names->local_size, 1, launch.size);
  if (!here && launch.launcher == "Slurm") here = slurm_tasks_here(variables);
  const auto address = variables("MASTER_ADDR");
  if (address) launch.address = *address;
  launch.local_size = here.value_or(launch.on_loopback() ? launch.size : 1);
  launch.local_rank = number(variables, names->local_rank, 0, kMostRanks)
                          .value_or(local_rank.value_or(launch.rank % launch.local_size));
  if (launch.launcher == "by hand" && variables("TORCHELASTIC_RUN_ID")) {
    launch.launcher = "torchrun";
    launch.launchers_store = variables("TORCHELASTIC_USE_AGENT_STORE") == "True";
    launch.job = *variables("TORCHELASTIC_RUN_ID") + "/" + variables("TORCHELASTIC_RESTART_COUNT").value_or("0");
  }

  launch.port = number(variables, "MASTER_PORT", 1, 65535).value_or(launch.port);
  if (address) {
    ADA_USAGE(!address->empty(), "[ranks] MASTER_ADDR is empty, must be the address of rank 0's machine");
    return launch;
  }
  if (launch.launcher == "Slurm") {
    const std::string job = variables("SLURM_JOB_ID").value_or("0");
    if (!variables("MASTER_PORT"))
      launch.port = 20000 + number(variables, "SLURM_JOB_ID", 0, 1 << 30).value_or(0) % 10000;
    launch.job = job + "/" + variables("SLURM_STEP_ID").value_or("0");
    if (launch.local_size < launch.size || !here) {
      const auto nodes = variables("SLURM_STEP_NODELIST");
      ADA_USAGE(nodes && !nodes->empty(), "[ranks] Slurm does not say where rank 0 is: set MASTER_ADDR to its machine");
      if (nodes->find_first_of("[,") != std::string::npos) launch.address = first_host(*nodes);
    }
    return launch;
  }
  ADA_USAGE(launch.local_size == launch.size,
            "[ranks] {} of {} ranks are on this machine and MASTER_ADDR is not set: it must be the address of rank 0's "
            "machine",
            launch.local_size, launch.size);
  return launch;
}

}  // namespace adasample
