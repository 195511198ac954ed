// SPDX-License-Identifier: Apache-2.0
// SHA-1 (FIPS 180-4), only to name a text as git does: git's tree of a published repository then tells whether ours is
// the same.
#pragma once

#include <string>
#include <string_view>

namespace adasample {

// Lower-case hex.
std::string sha1_hex(std::string_view text);

// What `git hash-object` prints for a file of this content.
std::string git_blob_sha1(std::string_view content);

}  // namespace adasample
