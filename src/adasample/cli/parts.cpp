// SPDX-License-Identifier: Apache-2.0
#include "adasample/cli/parts.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>
#include <utility>

#include <cerrno>

#include "adasample/base/error.h"
#include "adasample/base/helper_program.h"
#include "adasample/base/interrupt.h"
#include "adasample/cli/config_file.h"
#include "adasample/engine/register_engines.h"

namespace adasample {
namespace {

// A configuration that came through a pipe has been read and is gone: the next program finds it in memory.
void keep_config(const CLI::App& app, std::vector<std::string>& words) {
  const auto formatter = std::dynamic_pointer_cast<ConfigFile>(app.get_config_formatter());
  if (app.get_config_ptr() == nullptr || app.get_config_ptr()->count() == 0 || !formatter) return;
  const std::string path = app.get_config_ptr()->as<std::string>(), &text = formatter->text();
  std::error_code ignored;
  if (text.empty() || std::filesystem::is_regular_file(path, ignored)) return;
  const int memory = ::memfd_create("config", 0);
  ADA_CHECK(memory >= 0 && ::write(memory, text.data(), text.size()) == std::ssize(text),
            "--config {}: cannot be passed on: {}", path, errno_text(errno));
  const std::string kept = fmt::format("/proc/self/fd/{}", memory);
  for (std::string& word : words) {
    if (word == path) word = kept;
    if (word == "--config=" + path) word = "--config=" + kept;
  }
}

// Variables that LibTorch and its OpenMP read when they are loaded; whoever has set them knows better.
void set_up_libtorch() {
  constexpr int kKeep = 0;
  // What c10d logs besides what it throws: a failure is one line, ours.
  ::setenv("GLOG_minloglevel", "3", kKeep);
  ::setenv("TORCH_CPP_LOG_LEVEL", "FATAL", kKeep);
  // OpenMP's threads wait for their next loop by turning in circles, on cores that our own threads and other programs
  // need: 10,000 rounds, not its 300,000 (bench/README.md, "Threads that wait").
  if (std::getenv("OMP_WAIT_POLICY") == nullptr) ::setenv("GOMP_SPINCOUNT", "10000", kKeep);
}

}  // namespace

void continue_as(const HandOver& other, const CLI::App& app, int argc, char** argv) {
  std::vector<std::string> words(argv, argv + argc);
  keep_config(app, words);
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);

  const std::filesystem::path program = helper_program(other.program);
  if (other.program == std::string_view(kTorchProgram)) set_up_libtorch();
  hold_interrupts();
  if (stop_requested()) ADA_THROW_KIND(kInterrupted, "interrupted");
  ::execv(program.c_str(), arguments.data());
  ADA_THROW("{}: cannot be started: {}", program.string(), errno_text(errno));
}

void register_parts() {
  register_engines();
  register_torch_part();
  register_opencv_part();
}

void add_deferred_command(CLI::App& parent, Context& context, const std::string& name, const std::string& description,
                          const std::function<int()>& action, bool passes_help) {
  CLI::App* command = parent.add_subcommand(name, description);
  if (passes_help) command->set_help_flag();
  command->fallthrough(false);  // whatever follows is not looked at
  command->allow_extras();
  command->callback([&context, action] { context.action = action; });
}

}  // namespace adasample
