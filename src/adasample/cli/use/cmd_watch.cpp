// SPDX-License-Identifier: Apache-2.0
// adasample watch: runs in the browser while they train.
#include <fmt/format.h>

#include "adasample/base/error.h"
#include "adasample/base/interrupt.h"
#include "adasample/base/log.h"
#include "adasample/cli/context.h"
#include "adasample/report/live/server.h"

namespace adasample {
namespace {

struct WatchArguments {
  std::vector<std::string> runs;
  int port = LiveOptions{}.port;
};

int watch(const Context& context, const WatchArguments& a) {
  LiveView view({a.runs.begin(), a.runs.end()});
  for (const std::string& run : a.runs) {
    if (!std::filesystem::exists(run)) log_warning("[watch] {}: there is no such folder yet; it is waited for", run);
  }
  const auto started = [&](int port) {
    const std::string address = fmt::format("http://127.0.0.1:{}/", port);
    context.show({{"address", address}}, address + "   (Ctrl-C ends it)");
    std::fflush(stdout);
  };
  const LongGoodbye until_answered;
  serve_live(view, {.port = a.port}, started, stop_requested);
  return 0;  // Ctrl-C is how it is meant to end
}

}  // namespace

void add_watch_command(CLI::App& app, Context& context) {
  CLI::App* command =
      add_command(app, "watch", "Show runs in the browser while they train: curves, speed, time left, picks, alarms",
                  "  adasample watch runs/a                  # then open http://127.0.0.1:6006/\n"
                  "  adasample watch runs/a runs/u --port 8000\n"
                  "  adasample watch results                 # the runs of an experiment, as they appear\n"
                  "  ssh -L 6006:localhost:6006 gpu-machine adasample watch runs/a\n");
  auto a = std::make_shared<WatchArguments>();
  command->add_option("runs", a->runs, "Run folders, or folders of runs; they need not be there yet")
      ->required()
      ->type_name("RUN");
  command->add_option("--port", a->port, "Port on 127.0.0.1; 0: any that is free")
      ->check(CLI::Range(0, 65535))
      ->type_name("N")
      ->option_text(fmt::format("N [{}]", a->port));
  command->callback([&context, a] { context.action = [&context, a] { return watch(context, *a); }; });
}

}  // namespace adasample
