// SPDX-License-Identifier: Apache-2.0
#include "adasample/cli/parts.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>

#include "adasample/base/error.h"
#include "adasample/base/interrupt.h"
#include "adasample/cli/config_file.h"
#include "adasample/engine/register_engines.h"

namespace adasample {
namespace {

constexpr const char* kLibexec = "../libexec/adasample";  // from the folder of the program, or its neighbour's

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

}  // namespace

void continue_as(const HandOver& other, const CLI::App& app, int argc, char** argv) {
  if (stop_requested()) ADA_THROW_KIND(kInterrupted, "interrupted");
  std::vector<std::string> words(argv, argv + argc);
  keep_config(app, words);
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);

  std::error_code error;
  const std::filesystem::path folder = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
  ADA_CHECK(!error, "this command needs the program {}, and where this one lies is unknown: {}", other.program,
            error.message());
  for (const std::filesystem::path& place : {folder / kLibexec / other.program, folder / other.program}) {
    if (!std::filesystem::exists(place, error)) continue;
    ::execv(place.c_str(), arguments.data());
    ADA_THROW("{}: cannot be started: {}", place.string(), errno_text(errno));
  }
  ADA_THROW("this command needs the program {}, which is not in {} - install adasample again", other.program,
            (folder / kLibexec).lexically_normal().string());
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
