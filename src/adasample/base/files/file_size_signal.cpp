// SPDX-License-Identifier: Apache-2.0
#include "adasample/base/files/file_size_signal.h"

#include <signal.h>

#include <csignal>

namespace adasample {

void ignore_file_size_signal() {
  struct sigaction now {};
  if (::sigaction(SIGXFSZ, nullptr, &now) == 0 && now.sa_handler == SIG_DFL) std::signal(SIGXFSZ, SIG_IGN);
}

}  // namespace adasample
