// SPDX-License-Identifier: Apache-2.0
#include "adasample/base/log.h"

#include <spdlog/sinks/base_sink.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <mutex>

#include "adasample/base/console.h"
#include "adasample/base/text.h"

namespace adasample {
namespace {

class ConsoleSink : public spdlog::sinks::base_sink<std::mutex> {
 protected:
  void sink_it_(const spdlog::details::log_msg& message) override {
    const bool yellow = message.level >= spdlog::level::warn && console_is_terminal();
    const std::string line = printable({message.payload.data(), message.payload.size()}, /*keep_lines=*/true);
    write_console(yellow ? "\x1b[33m" + line + "\x1b[0m\n" : line + "\n");
  }
  void flush_() override {}
};

thread_local WarningCollector* collector_of_thread = nullptr;

}  // namespace

WarningCollector::WarningCollector() : before_(collector_of_thread) { collector_of_thread = this; }
WarningCollector::~WarningCollector() { collector_of_thread = before_; }

void set_up_logging(int verbosity) {
  auto logger = std::make_shared<spdlog::logger>("adasample", std::make_shared<ConsoleSink>());
  logger->set_level(verbosity < 0 ? spdlog::level::warn : verbosity == 0 ? spdlog::level::info : spdlog::level::debug);
  spdlog::set_default_logger(std::move(logger));
}

void log_info_text(const std::string& text) { spdlog::info("{}", text); }
void log_warning_text(const std::string& text) {
  if (collector_of_thread != nullptr) {
    collector_of_thread->warnings.push_back(text);
  } else {
    spdlog::warn("{}", text);
  }
}

void log_first_warnings(const std::vector<std::string>& messages, std::string_view things) {
  constexpr size_t kNamed = 20;
  for (size_t i = 0; i < std::min(messages.size(), kNamed); ++i) log_warning_text(messages[i]);
  if (messages.size() > kNamed) log_warning("left out {} more {}", messages.size() - kNamed, things);
}

}  // namespace adasample
