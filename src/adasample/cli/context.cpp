// SPDX-License-Identifier: Apache-2.0
#include "adasample/cli/context.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>

#include "adasample/base/error.h"
#include "adasample/base/files/open_file.h"
#include "adasample/base/parallel.h"
#include "adasample/base/text.h"
#include "adasample/cli/config_file.h"
#include "adasample/engine/open_model.h"

namespace adasample {

namespace {

constexpr uint64_t kMostConfig = uint64_t{1} << 24;

// CLI11 opens the file by its name and reads it to its end: it must have one. A pipe is what a shell gives for <(..).
std::string problem_of_config(const std::string& path) {
  std::error_code ignored;  // opening says what is wrong
  if (std::filesystem::is_fifo(path, ignored)) return "";
  try {
    ADA_CHECK(open_to_read(path).size <= kMostConfig, "{}: has more than {} MiB", path, kMostConfig >> 20);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

void Context::refuse_engine() const {
  ADA_USAGE(engine == "auto", "--engine {} is for describing and scoring; training takes --sampling-engine", engine);
}

void Context::show(const nlohmann::ordered_json& object, const std::string& text) const {
  // One line, also for names in another encoding: what is not UTF-8 is replaced rather than refused.
  const std::string line = json ? object.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) : text;
  ADA_CHECK(std::fputs((printable(line, /*keep_lines=*/true) + "\n").c_str(), stdout) >= 0 && std::fflush(stdout) == 0,
            "[out] standard output cannot be written: {}", errno_text(errno));
}

void add_common_options(CLI::App& app, Context& context) {
  // Given twice, the last of --seed, --threads, --device and --engine holds: a script's "$@" wins over its own.
  const std::string group = "Common options";
  app.add_flag("--json", context.json, "One JSON object as the last line on stdout; everything else goes to stderr")
      ->group(group)
      ->configurable(false);
  app.add_option("--seed", context.seed, "Seed of every random draw")
      ->group(group)
      ->check(CLI::Range(uint64_t{0}, uint64_t{INT64_MAX}))
      ->take_last()
      ->capture_default_str();
  app.add_option("--threads", context.threads, "Number of threads (default: one per core)")
      ->group(group)
      ->check(CLI::Range(1, kMostThreads))
      ->take_last();
  app.add_option("--device", context.device, "Where to compute: auto, cpu or cuda")
      ->group(group)
      ->check(CLI::IsMember({"auto", "cpu", "cuda"}))
      ->take_last()
      ->capture_default_str();
  app.add_option("--engine", context.engine, "What runs a network that describes patches; auto: the fastest in fp32")
      ->group(group)
      ->check(CLI::IsMember(engine_choices()))
      ->take_last()
      ->capture_default_str();
  app.add_flag("-q,--quiet", context.quiet, "Show warnings only, no progress")->group(group)->configurable(false);
  app.add_flag("-v,--verbose", context.verbose, "Show more messages, and where in the source an error was raised")
      ->group(group)
      ->configurable(false);
  app.set_config("--config", "", "Read options from a TOML file, one `name = value` per line; flags override it")
      ->check([](const std::string& path) { return problem_of_config(path); }, "", "")
      ->group(group)
      ->type_name("FILE");
  app.allow_config_extras(CLI::config_extras_mode::error);
  app.config_formatter(std::make_shared<ConfigFile>(app));
}

CLI::App* add_command(CLI::App& parent, const std::string& name, const std::string& description,
                      const std::string& examples) {
  CLI::App* command = parent.add_subcommand(name, description);
  command->fallthrough();
  command->footer(
      fmt::format("Examples:\n{}\nCommon options (adasample --help): --json --seed --threads --device --engine "
                  "--config --quiet --verbose",
                  examples));
  return command;
}

}  // namespace adasample
