// SPDX-License-Identifier: Apache-2.0
// Which process of how many this one is, as the launcher's variables say it:
//   torchrun, or by hand   RANK WORLD_SIZE LOCAL_RANK LOCAL_WORLD_SIZE MASTER_ADDR MASTER_PORT
//   mpirun of Open MPI     OMPI_COMM_WORLD_RANK _SIZE _LOCAL_RANK _LOCAL_SIZE
//   mpirun of MPICH        PMI_RANK PMI_SIZE MPI_LOCALRANKID MPI_LOCALNRANKS
//   srun                   SLURM_PROCID SLURM_STEP_NUM_TASKS SLURM_LOCALID SLURM_STEP_NODELIST
// The first of these that says both rank and size is believed. Reads variables, and nothing else.
#pragma once

#include <functional>
#include <optional>
#include <string>

namespace adasample {

struct Launch {
  std::string launcher = "none";  // "torchrun", "by hand", "Open MPI", "MPICH", "Slurm"; "none": one process
  int rank = 0, size = 1;
  int local_rank = 0, local_size = 1;  // among those on this machine
  std::string address = "127.0.0.1";   // where rank 0 keeps the store
  int port = 29500;
  bool launchers_store = false;  // the launcher keeps a store there already: nobody of us listens
  std::string job;               // tells this start of the job from others that use the same store

  bool distributed() const { return launcher != "none"; }
  // Whether the store is for this machine only.
  bool on_loopback() const;
  // "rank 1 of 4 (Open MPI), 1 of 2 on this machine, store at 10.0.0.1:29500"
  std::string text() const;
};

// Value of a variable; none where it is not set.
using Variables = std::function<std::optional<std::string>(const std::string&)>;
std::optional<std::string> environment_variable(const std::string& name);

// local_rank: of --local-rank, where it was given; LOCAL_RANK wins. Throws a usage Error for what is no number, a rank
// beyond the size, a port that is none, or several machines without an address.
Launch read_launch(const Variables& variables, std::optional<int> local_rank = std::nullopt);

// The first host of Slurm's compressed list: "node[03-07,9],x" -> "node03".
std::string first_host(const std::string& node_list);

}  // namespace adasample
