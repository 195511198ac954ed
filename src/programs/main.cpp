// SPDX-License-Identifier: Apache-2.0
// adasample: where exceptions that end a command are caught; docs/architecture.md names who else catches, and why. Exit
// codes: 0 done, 1 the work failed, 2 bad usage, 130 interrupted.
#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <new>

#include "adasample/base/console.h"
#include "adasample/base/error.h"
#include "adasample/base/interrupt.h"
#include "adasample/base/log.h"
#include "adasample/base/parallel.h"
#include "adasample/base/progress.h"
#include "adasample/base/text.h"
#include "adasample/cli/context.h"
#include "adasample/cli/parts.h"
#include "adasample/features/match/product_search.h"

namespace adasample {
namespace {

constexpr int kFailed = 1, kUsage = 2;

int report(const std::string& message, int code) {
  std::fputs(fmt::format("adasample: {}\n", message_line(message)).c_str(), stderr);
  return code;
}

// What may be done about it where memory is short, by the command that ran.
std::string memory_hint(const std::string& command) {
  if (command == "train" || command == "demo" || command == "experiment") return "try a smaller --batch or --k";
  if (command == "eval" || command == "bench") return "try fewer --pairs or --threads";
  return "try fewer --threads, or smaller pictures";
}

// CLI11 says "INI was not able to parse train.lamda".
std::string problem_in_config(const CLI::App& app, const CLI::ConfigError& error) {
  constexpr std::string_view kUnknown = "INI was not able to parse ";
  std::string what = error.what();
  if (what.starts_with(kUnknown)) what = what.substr(kUnknown.size()) + ": no such option";
  return fmt::format("[config] {}: {} (see --help)", app.get_config_ptr()->as<std::string>(), what);
}

int hand_over(const HandOver& other, const CLI::App& app, int argc, char** argv) {
  try {
    continue_as(other, app, argc, argv);
  } catch (const Error& error) {
    return report(error.what(), error.kind() == Error::Kind::kInterrupted ? kInterruptedExitCode : kFailed);
  }
}

int run(int argc, char** argv) {
  register_parts();
  CLI::App app("adasample: learn local image descriptors with AdaSample, measure them as the field does, use them.");
  Context context;
  app.name("adasample");
  app.set_version_flag("--version", std::string("adasample ") + ADASAMPLE_VERSION);
  app.require_subcommand(1);
  app.footer("Start with: adasample demo\nEach command has its own help: adasample train --help");
  add_common_options(app, context);
  add_training_commands(app, context);
  add_data_command(app, context);
  add_describe_command(app, context);
  add_match_command(app, context);
  add_pairs_command(app, context);
  add_reconstruct_command(app, context);
  add_colmap_command(app, context);
  add_eval_command(app, context);
  add_check_command(app, context);
  add_calibrate_command(app, context);
  add_export_command(app, context);
  add_import_command(app, context);
  add_vocabulary_command(app, context);
  add_methods_command(app, context);
  add_report_command(app, context);
  add_watch_command(app, context);
  add_bench_command(app, context);
  try {
    catch_interrupts();
    app.parse(argc, argv);
    set_up_logging(context.quiet ? -1 : context.verbose ? 1 : 0);
    Progress::set_enabled(!context.quiet);
    if (context.threads > 0) set_thread_count(context.threads);
    allow_matching_on_gpu(context.device != "cpu");
    return context.action();
  } catch (const HandOver& other) {
    return hand_over(other, app, argc, argv);
  } catch (const CLI::Success& help) {
    const int code = app.exit(help);
    return std::cout.flush() ? code : report("[out] standard output cannot be written: " + errno_text(errno), kFailed);
  } catch (const CLI::RequiredError& error) {
    const auto unknown = app.remaining();
    return report(
        (unknown.empty() ? std::string(error.what()) : "no such command: " + unknown.front()) + " (see --help)",
        kUsage);
  } catch (const CLI::ConfigError& error) {
    return report(problem_in_config(app, error), kUsage);
  } catch (const CLI::ParseError& error) {
    return report(std::string(error.what()) + " (see --help)", kUsage);
  } catch (const Error& error) {
    if (context.verbose)
      std::fputs(fmt::format("raised at {}:{}\n", error.source_file(), error.source_line()).c_str(), stderr);
    return report(error.what(), error.kind() == Error::Kind::kUsage         ? kUsage
                                : error.kind() == Error::Kind::kInterrupted ? kInterruptedExitCode
                                                                            : kFailed);
  } catch (const std::filesystem::filesystem_error& error) {  // asking for a file that is somewhere odd
    return report(fmt::format("[file] {}: {}", error.path1().string(), error.code().message()), kFailed);
  } catch (const std::exception& error) {
    // A library's own words: LibTorch's go on with a backtrace, the first line says it. Alone they would not say of
    // what.
    const std::string first = std::string(error.what()).substr(0, std::string(error.what()).find('\n'));
    const auto commands = app.get_subcommands();
    const std::string command = commands.empty() ? "adasample" : commands.front()->get_name();
    const bool memory = dynamic_cast<const std::bad_alloc*>(&error) != nullptr ||
                        first.find("allocate memory") != std::string::npos ||
                        first.find("out of memory") != std::string::npos;
    return report(memory ? fmt::format("{}: not enough memory ({}) - {}", command, first, memory_hint(command))
                         : fmt::format("{}: failed in a library, which says: {}", command, first),
                  kFailed);
  }
}

}  // namespace
}  // namespace adasample

int main(int argc, char** argv) {
  adasample::open_standard_descriptors();
  return adasample::run(argc, argv);
}
