// SPDX-License-Identifier: Apache-2.0
#include "adasample/cli/parts.h"

#include <unistd.h>

#include <cerrno>

#include "adasample/base/error.h"
#include "adasample/engine/register_engines.h"

namespace adasample {
namespace {

constexpr const char* kLibexec = "../libexec/adasample";  // from the folder of the program, or its neighbour's

}  // namespace

void continue_as(const HandOver& other, char** arguments) {
  const std::filesystem::path folder = std::filesystem::canonical("/proc/self/exe").parent_path();
  for (const std::filesystem::path& place : {folder / kLibexec / other.program, folder / other.program}) {
    if (!std::filesystem::exists(place)) continue;
    ::execv(place.c_str(), arguments);
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
                          const std::function<int()>& action) {
  CLI::App* command = parent.add_subcommand(name, description);
  command->set_help_flag();
  command->fallthrough(false);  // whatever follows is not looked at
  command->allow_extras();
  command->callback([&context, action] { context.action = action; });
}

}  // namespace adasample
