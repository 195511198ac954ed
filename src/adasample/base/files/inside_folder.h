// SPDX-License-Identifier: Apache-2.0
// Names of files that another file gives (a COLMAP model, a list of keypoints or sequences) stay inside the folder that
// the user named, whoever wrote that file.
#pragma once

#include <filesystem>
#include <string>

namespace adasample {

// A relative name without "..".
bool is_inner_name(const std::string& name);

// `folder`/`name`; throws Error "[module] .." where that leads out of the folder: by "..", by an absolute name, or by a
// link within it.
std::filesystem::path path_inside(const std::filesystem::path& folder, const std::string& name,
                                  const std::string& module);

}  // namespace adasample
