// SPDX-License-Identifier: Apache-2.0
#include "adasample/integrate/hloc/hloc_h5.h"
#include "adasample/integrate/hloc/hloc_matches.h"

#include "adasample/base/error.h"

namespace adasample {
namespace {

[[noreturn]] void refuse(const std::string& file) {
  ADA_THROW("[hloc] {}: needs HDF5, and this program was built without it - configure with -DADASAMPLE_HDF5=ON", file);
}

}  // namespace

bool have_hdf5() { return false; }

std::unique_ptr<FeatureWriter> make_hloc_writer(const std::filesystem::path& out, int /*dimension*/,
                                                NumberType /*type*/) {
  refuse(out.string());
}

KeypointReader open_hloc_keypoints(const std::filesystem::path& path) { refuse(path.string()); }

KeypointReader open_hloc_keypoints(std::span<const uint8_t> /*bytes*/, const std::string& name) { refuse(name); }

HlocFeatures open_hloc_features(const std::filesystem::path& path) { refuse(path.string()); }

std::unique_ptr<HlocMatchWriter> make_hloc_match_writer(const std::filesystem::path& out) { refuse(out.string()); }

}  // namespace adasample
