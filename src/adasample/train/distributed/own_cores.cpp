// SPDX-License-Identifier: Apache-2.0
#include "adasample/train/distributed/own_cores.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

namespace adasample {
namespace {

// The machine, whatever containers on it are called.
std::string machine() {
  std::string name;
  std::ifstream boot("/proc/sys/kernel/random/boot_id");
  if (std::getline(boot, name) && !name.empty()) return name;
  char host[256] = "";
  ::gethostname(host, sizeof(host) - 1);
  return host;
}

// "0110..": may this process run on core 0, 1, ..
std::string cores() {
  cpu_set_t set;
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return "";
  std::string text;
  for (int i = 0; i < CPU_SETSIZE; ++i) text += CPU_ISSET(i, &set) ? '1' : '0';
  return text;
}

}  // namespace

int ranks_on_own_cores(Communicator& ranks) {
  const std::string mine = machine() + " " + cores();
  const std::vector<std::string> all = gather_texts(ranks, mine);
  return static_cast<int>(std::count(all.begin(), all.end(), mine));
}

}  // namespace adasample
