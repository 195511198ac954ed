// SPDX-License-Identifier: Apache-2.0
// What every command shares: the common options, and how a result is shown.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>

namespace adasample {

struct Context {
  bool json = false;
  bool quiet = false;
  bool verbose = false;
  uint64_t seed = 0;
  int threads = 0;              // 0: as many as cores
  std::string device = "auto";  // auto | cpu | cuda
  std::string engine = "auto";  // one of engine_choices()

  // For commands that train: --engine is not for them. Throws a usage Error.
  void refuse_engine() const;

  // Set by the chosen command while the command line is parsed; main runs it. The value is the exit code.
  std::function<int()> action;

  // Prints a result on stdout: `object` as one line under --json, else `text`.
  void show(const nlohmann::ordered_json& object, const std::string& text) const;
};

// Binds the common options to the root application.
void add_common_options(CLI::App& app, Context& context);

// One function a command; each binds its options and sets Context::action.
void add_bench_command(CLI::App& app, Context& context);
void add_calibrate_command(CLI::App& app, Context& context);
void add_check_command(CLI::App& app, Context& context);
void add_colmap_command(CLI::App& app, Context& context);
void add_data_command(CLI::App& app, Context& context);
void add_describe_command(CLI::App& app, Context& context);
void add_eval_command(CLI::App& app, Context& context);
void add_export_command(CLI::App& app, Context& context);
void add_import_command(CLI::App& app, Context& context);
void add_methods_command(CLI::App& app, Context& context);
void add_match_command(CLI::App& app, Context& context);
void add_pairs_command(CLI::App& app, Context& context);
void add_reconstruct_command(CLI::App& app, Context& context);
void add_report_command(CLI::App& app, Context& context);
void add_vocabulary_command(CLI::App& app, Context& context);
void add_watch_command(CLI::App& app, Context& context);

// A subcommand whose help ends with examples ("adasample data info S") and a word on the common options.
CLI::App* add_command(CLI::App& parent, const std::string& name, const std::string& description,
                      const std::string& examples);

}  // namespace adasample
