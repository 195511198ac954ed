// SPDX-License-Identifier: Apache-2.0
// What every call from Python passes: errors become exceptions, work runs without the GIL, Ctrl-C and a progress
// callback reach it. The public interface, its checks and its documentation stand in python/adasample; this module is
// their private other half.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <chrono>
#include <exception>
#include <span>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include "adasample/base/log.h"
#include "adasample/base/progress.h"

namespace adasample::python {

namespace py = pybind11;

// adasample::Error and what the standard library throws about files, as adasample.Error or adasample.UsageError.
void translate_errors();

// Looks for signals and calls `callback(done, total, what)` on the thread of the call, now and then.
class CallWatcher : public ProgressWatcher {
 public:
  explicit CallWatcher(const py::object& callback) : callback_(callback) {}
  void told(const std::string& title, const std::string& unit, int64_t done, int64_t total) override;
  // With the GIL: raises what the callback or a signal has raised, if anything.
  void raise() const;

 private:
  using Clock = std::chrono::steady_clock;
  const std::thread::id caller_ = std::this_thread::get_id();
  const py::object& callback_;
  Clock::time_point looked_ = Clock::now();
  std::exception_ptr raised_;
};

// With the GIL: Python's warnings of what was logged. A filter may make an exception of one.
void warn(const std::vector<std::string>& texts);

// work() without the GIL. What it returns must not be Python's.
template <typename Work>
auto without_gil(const py::object& callback, Work&& work) {
  CallWatcher watcher(callback);
  WarningCollector collector;
  try {
    const auto released = [&] {
      const py::gil_scoped_release release;
      return work();
    };
    if constexpr (std::is_void_v<decltype(work())>) {
      released();
      warn(collector.warnings);
    } else {
      auto result = released();
      warn(collector.warnings);
      return result;
    }
  } catch (...) {
    watcher.raise();
    throw;
  }
}
template <typename Work>
auto without_gil(Work&& work) {
  return without_gil(py::none(), std::forward<Work>(work));
}

// Arrays come checked from Python: C order, the right type.
template <typename T>
using Array = py::array_t<T, py::array::c_style>;

template <typename T>
std::span<const T> values_of(const Array<T>& array) {
  return {array.data(), static_cast<size_t>(array.size())};
}

// A NumPy array that owns the vector: nothing is copied.
template <typename T>
py::array_t<T> to_array(std::vector<T>&& values, const std::vector<py::ssize_t>& shape) {
  auto* owned = new std::vector<T>(std::move(values));
  const py::capsule owner(owned, [](void* p) { delete static_cast<std::vector<T>*>(p); });
  return py::array_t<T>(shape, owned->data(), owner);
}

void bind_models(py::module_& module);
void bind_pictures(py::module_& module);
void bind_stores(py::module_& module);
void bind_scores(py::module_& module);
void bind_runs(py::module_& module);

}  // namespace adasample::python
