// SPDX-License-Identifier: Apache-2.0
// The data doctor for HPatches: reads every strip of a root and says what is not as in the patches release. A root is
// taken for (a part of) the release when at least four in five of its sequences bear a name of the release and it has
// no sequences.json; in any other set counts are compared only within a sequence.
#pragma once

#include <filesystem>
#include <string>

#include "adasample/data/doctor/finding.h"

namespace adasample {

// Some folder in it holds at least two of the 16 strips.
bool looks_like_hpatches(const std::filesystem::path& path);

// Problems: missing sequences and strips, strips that are damaged, of another width, cut off within a patch, of another
// count than their neighbours or the release, the same bytes under two names, folders of unknown name. Extras that are
// no strips (*.rotjitter, overlaps) are passed over.
Diagnosis check_hpatches(const std::filesystem::path& root);

// Names the version of the data: sha256 of the lines "<sha256>  <sequence>/<strip>.png\n" of the strips that are there,
// sorted; as `cd ROOT && LC_ALL=C sha256sum */*.png | sha256sum` prints where there are no other pictures.
std::string hpatches_fingerprint(const std::filesystem::path& root);

}  // namespace adasample
