// SPDX-License-Identifier: Apache-2.0
// The shared test main: a logged warning that no test asked for fails the test it came from.
#include <gtest/gtest.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/spdlog.h>

#include <mutex>

#include "tests/support/warnings.h"

namespace adasample::testing {
namespace {

class CaptureSink : public spdlog::sinks::base_sink<std::mutex> {
 public:
  std::vector<std::string> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(warnings_, {});
  }

 protected:
  void sink_it_(const spdlog::details::log_msg& message) override {
    if (message.level >= spdlog::level::warn) warnings_.emplace_back(message.payload.begin(), message.payload.end());
  }
  void flush_() override {}

 private:
  std::vector<std::string> warnings_;
};

std::shared_ptr<CaptureSink> capture = std::make_shared<CaptureSink>();

class FailOnWarning : public ::testing::EmptyTestEventListener {
  void OnTestEnd(const ::testing::TestInfo&) override {
    for (const std::string& warning : capture->take()) ADD_FAILURE() << "unexpected warning: " << warning;
  }
};

}  // namespace

std::vector<std::string> take_warnings() { return capture->take(); }

}  // namespace adasample::testing

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  spdlog::set_default_logger(std::make_shared<spdlog::logger>("test", adasample::testing::capture));
  ::testing::UnitTest::GetInstance()->listeners().Append(new adasample::testing::FailOnWarning);
  return RUN_ALL_TESTS();
}
