// SPDX-License-Identifier: Apache-2.0
// What goes wrong in long work of many parts: told once, however many parts meet it, kept, and the rest goes on.
#pragma once

#include <fmt/format.h>

#include <exception>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "adasample/base/error.h"
#include "adasample/base/log.h"

namespace adasample {

class Problems {
 public:
  void tell(const std::string& what) {
    if (!told_.insert(what).second) return;
    log_warning("{}", what);
    kept_.push_back(what);
  }

  // Does it, or tells why not. An interruption is no problem; everybody looks at stop_requested().
  template <typename Work>
  bool attempt(const std::string& what, const Work& work) {
    try {
      work();
      return true;
    } catch (const Error& error) {
      if (error.kind() == Error::Kind::kInterrupted) return false;
      if (error.kind() == Error::Kind::kBug) throw;
      tell(fmt::format("{}: {}", what, error.what()));
    } catch (const std::exception& error) {  // LibTorch's: out of memory, as a rule. Its first line says it
      const std::string text = error.what();
      tell(fmt::format("{}: {}", what, text.substr(0, text.find('\n'))));
    }
    return false;
  }

  const std::vector<std::string>& kept() const { return kept_; }
  // What was told since the last call.
  std::vector<std::string> take() { return std::exchange(kept_, {}); }

 private:
  std::set<std::string> told_;
  std::vector<std::string> kept_;
};

}  // namespace adasample
