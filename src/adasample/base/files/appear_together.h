// SPDX-License-Identifier: Apache-2.0
// Two files or folders that belong together (descriptors and their keypoints, a store and its held-out part). Names
// change one at a time, so the companion appears first and the main one last: where the main one stands, all is there.
// A process that dies between the two leaves a companion alone. That this is so stands in a hidden note, written
// before; whoever makes the two anew finds it and takes the companion away.
#pragma once

#include <filesystem>
#include <functional>

namespace adasample {

class AppearTogether {
 public:
  // Removes a companion that a killed process left; to be made before anybody asks whether the names are free.
  AppearTogether(std::filesystem::path main, std::filesystem::path companion);

  // Makes both appear. `companion_work` is where the companion stands until then. When the main one fails the companion
  // is removed again.
  void commit(const std::filesystem::path& companion_work, const std::function<void()>& commit_companion,
              const std::function<void()>& commit_main) const;

 private:
  std::filesystem::path note() const;

  std::filesystem::path main_, companion_;
};

}  // namespace adasample
