// SPDX-License-Identifier: Apache-2.0
#include "adasample/base/log.h"

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

namespace adasample {

void set_up_logging(int verbosity) {
  auto logger = std::make_shared<spdlog::logger>("adasample", std::make_shared<spdlog::sinks::stderr_color_sink_mt>());
  logger->set_pattern("%^%v%$");
  logger->set_level(verbosity < 0 ? spdlog::level::warn : verbosity == 0 ? spdlog::level::info : spdlog::level::debug);
  spdlog::set_default_logger(std::move(logger));
}

void log_info_text(const std::string& text) { spdlog::info("{}", text); }
void log_warning_text(const std::string& text) { spdlog::warn("{}", text); }

}  // namespace adasample
