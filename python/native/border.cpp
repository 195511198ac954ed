// SPDX-License-Identifier: Apache-2.0
#include "python/native/border.h"

#include <filesystem>
#include <nlohmann/json.hpp>

#include "adasample/base/error.h"

namespace adasample::python {
namespace {

constexpr std::chrono::milliseconds kBetweenLooks{50};

void raise_as(const char* name, const char* message) {
  PyErr_SetString(py::module_::import("adasample.errors").attr(name).ptr(), message);
}

}  // namespace

void translate_errors() {
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const Error& error) {
      raise_as(error.kind() == Error::Kind::kUsage ? "UsageError" : "Error", error.what());
    } catch (const std::filesystem::filesystem_error& error) {
      raise_as("Error", error.what());
    } catch (const nlohmann::json::exception& error) {
      raise_as("Error", error.what());
    }
  });
}

void warn(const std::vector<std::string>& texts) {
  for (const std::string& text : texts) {
    if (PyErr_WarnEx(PyExc_UserWarning, text.c_str(), 1) != 0) throw py::error_already_set();
  }
}

void CallWatcher::told(const std::string& title, const std::string& unit, int64_t done, int64_t total) {
  if (std::this_thread::get_id() != caller_) return;  // the caller works too, and looks itself
  const Clock::time_point now = Clock::now();
  if (now - looked_ < kBetweenLooks && !raised_) return;
  looked_ = now;
  {
    const py::gil_scoped_acquire held;
    try {
      if (!raised_ && PyErr_CheckSignals() != 0) throw py::error_already_set();
      if (!raised_ && !callback_.is_none()) callback_(done, total, title.empty() ? unit : title);
    } catch (const py::error_already_set&) {
      raised_ = std::current_exception();
    }
  }
  if (raised_) ADA_THROW_KIND(kInterrupted, "interrupted");
}

void CallWatcher::raise() const {
  if (raised_) std::rethrow_exception(raised_);
}

}  // namespace adasample::python
