// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numbers>

#include "adasample/base/files/file_io.h"
#include "adasample/integrate/hloc/hdf5/hdf5_object.h"
#include "adasample/integrate/hloc/hloc_h5.h"
#include "adasample/integrate/hloc/hloc_matches.h"

namespace adasample {
namespace {

using Shape = std::vector<hsize_t>;

// As Python knows float16.
Hdf5Object half_type(const std::string& where) {
  Hdf5Object type(H5Tcopy(H5T_IEEE_F32LE), H5Tclose, where, "copy a type");
  H5Tset_fields(type.id(), /*sign*/ 15, /*exponent*/ 10, 5, /*fraction*/ 0, 10);
  H5Tset_size(type.id(), 2);
  H5Tset_ebias(type.id(), 15);
  return type;
}

Hdf5Object file_type(NumberType type, const std::string& where) {
  if (type == NumberType::kFloat16) return half_type(where);
  return {H5Tcopy(type == NumberType::kUint8 ? H5T_STD_U8LE : H5T_IEEE_F32LE), H5Tclose, where, "copy a type"};
}

Hdf5Object create_file(const std::filesystem::path& path, const std::string& where) {
  set_up_hdf5();
  const Hdf5Object access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, where, "make settings");
  H5Pset_file_locking(access.id(), /*use=*/false, /*ignore_when_disabled=*/true);  // StagedFile has locked it
  return {H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.id()), H5Fclose, where, "create the file"};
}

// (n, d) -> (d, n)
std::vector<uint8_t> transposed(const std::vector<uint8_t>& rows, size_t n, size_t d, size_t item) {
  std::vector<uint8_t> columns(rows.size());
  for (size_t i = 0; i < n; ++i) {
    for (size_t j = 0; j < d; ++j)
      std::copy_n(rows.data() + (i * d + j) * item, item, columns.data() + (j * n + i) * item);
  }
  return columns;
}

class HlocWriter : public FeatureWriter {
 public:
  HlocWriter(const std::filesystem::path& out, int dimension, NumberType type)
      : path_(new_file(out)),
        where_(out.string()),
        dimension_(static_cast<size_t>(dimension)),
        type_(type),
        staged_(out),
        file_(create_file(staged_.work(), where_)),
        numbers_(file_type(type, where_)),
        links_(H5Pcreate(H5P_LINK_CREATE), H5Pclose, where_, "make settings"),
        sets_(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, where_, "make settings") {
    H5Pset_obj_track_times(sets_.id(), false);  // the same features, the same bytes
    H5Pset_create_intermediate_group(links_.id(), 1);
    H5Pset_char_encoding(links_.id(), H5T_CSET_UTF8);
  }

  void add(const PictureFeatures& picture) override {
    const HushedHdf5 hushed;
    const size_t count = picture.keypoints.size();
    ADA_ASSERT(picture.descriptors.size() == count * dimension_);
    std::vector<float> places, scores, scales, angles;
    for (const Keypoint& k : picture.keypoints) {
      places.insert(places.end(), {static_cast<float>(k.x), static_cast<float>(k.y)});
      scores.push_back(static_cast<float>(k.strength));
      scales.push_back(static_cast<float>(k.sigma));
      angles.push_back(static_cast<float>(k.angle * 180 / std::numbers::pi));
    }
    const Hdf5Object group(H5Gcreate2(file_.id(), picture.name.c_str(), links_.id(), H5P_DEFAULT, H5P_DEFAULT),
                           H5Gclose, where_ + ": " + picture.name, "make a group");
    const auto floats = [&](const char* name, const std::vector<float>& values, const Shape& shape) {
      write(group, name, H5T_IEEE_F32LE, shape, values.data());
    };
    floats("keypoints", places, {count, 2});
    floats("scores", scores, {count});
    floats("scales", scales, {count});
    floats("oris", angles, {count});
    const int64_t size[] = {picture.width, picture.height};
    write(group, "image_size", H5T_STD_I64LE, {2}, size);
    const std::vector<uint8_t> rows = encode_numbers(type_, picture.descriptors);
    const Hdf5Object set = write(group, "descriptors", numbers_.id(), {dimension_, count},
                                 transposed(rows, count, dimension_, item_size(type_)).data());
    if (type_ != NumberType::kUint8) return;
    attribute(set, "scale", 1 / kByteScale);
    attribute(set, "zero", kByteZero);
  }

  void finish() override {
    const HushedHdf5 hushed;
    ADA_CHECK(file_.close(), "[hloc] {}: HDF5 cannot finish the file - is the disk full?", where_);
    refuse_existing(path_);
    staged_.commit();
  }

 private:
  static const std::filesystem::path& new_file(const std::filesystem::path& path) {
    refuse_existing(path);
    return path;
  }

  Hdf5Object write(const Hdf5Object& group, const char* name, hid_t type, const Shape& shape,
                   const void* values) const {
    const Hdf5Object space(H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr), H5Sclose, where_,
                           "make a shape");
    Hdf5Object set(H5Dcreate2(group.id(), name, type, space.id(), H5P_DEFAULT, sets_.id(), H5P_DEFAULT), H5Dclose,
                   where_, "make a dataset");
    const bool empty = H5Sget_simple_extent_npoints(space.id()) == 0;
    ADA_CHECK(empty || H5Dwrite(set.id(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0,
              "[hloc] {}: HDF5 cannot write '{}' - is the disk full?", where_, name);
    return set;
  }

  void attribute(const Hdf5Object& set, const char* name, double value) const {
    const Hdf5Object space(H5Screate(H5S_SCALAR), H5Sclose, where_, "make a shape");
    const Hdf5Object made(H5Acreate2(set.id(), name, H5T_IEEE_F64LE, space.id(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose,
                          where_, "make an attribute");
    ADA_CHECK(H5Awrite(made.id(), H5T_NATIVE_DOUBLE, &value) >= 0, "[hloc] {}: HDF5 cannot write '{}'", where_, name);
  }

  std::filesystem::path path_;
  std::string where_;
  size_t dimension_;
  NumberType type_;
  StagedFile staged_;
  Hdf5Object file_, numbers_, links_, sets_;
};

// Each pair at once, in one group.
class HlocPairWriter : public HlocMatchWriter {
 public:
  explicit HlocPairWriter(const std::filesystem::path& out)
      : path_(out),
        where_(out.string()),
        staged_((refuse_existing(out), out)),
        file_(create_file(staged_.work(), where_)),
        links_(H5Pcreate(H5P_LINK_CREATE), H5Pclose, where_, "make settings"),
        sets_(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, where_, "make settings") {
    H5Pset_obj_track_times(sets_.id(), false);
    H5Pset_create_intermediate_group(links_.id(), 1);
    H5Pset_char_encoding(links_.id(), H5T_CSET_UTF8);
  }

  void add(const std::string& first, const std::string& second, size_t keypoints,
           std::span<const RatedMatch> matches) override {
    const HushedHdf5 hushed;
    std::vector<int32_t> partners(keypoints, -1);
    std::vector<float> scores(keypoints);
    for (const RatedMatch& rated : matches) {
      partners.at(static_cast<size_t>(rated.match.first)) = static_cast<int32_t>(rated.match.second);
      scores.at(static_cast<size_t>(rated.match.first)) = static_cast<float>(1 - rated.ratio);
    }
    const std::string name = flat(first) + "/" + flat(second);
    const Hdf5Object group(H5Gcreate2(file_.id(), name.c_str(), links_.id(), H5P_DEFAULT, H5P_DEFAULT), H5Gclose,
                           where_ + ": " + name, "make a group - are there two pictures of one name?");
    put(group, "matches0", H5T_STD_I32LE, keypoints, partners.data());
    put(group, "matching_scores0", H5T_IEEE_F32LE, keypoints, scores.data());
  }

  void finish() override {
    const HushedHdf5 hushed;
    ADA_CHECK(file_.close(), "[hloc] {}: HDF5 cannot finish the file - is the disk full?", where_);
    refuse_existing(path_);
    staged_.commit();
  }

 private:
  static std::string flat(std::string name) {
    std::replace(name.begin(), name.end(), '/', '-');
    return name;
  }

  void put(const Hdf5Object& group, const char* name, hid_t type, hsize_t count, const void* values) const {
    const Hdf5Object space(H5Screate_simple(1, &count, nullptr), H5Sclose, where_, "make a shape");
    const Hdf5Object set(H5Dcreate2(group.id(), name, type, space.id(), H5P_DEFAULT, sets_.id(), H5P_DEFAULT), H5Dclose,
                         where_, "make a dataset");
    ADA_CHECK(count == 0 || H5Dwrite(set.id(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0,
              "[hloc] {}: HDF5 cannot write '{}' - is the disk full?", where_, name);
  }

  std::filesystem::path path_;
  std::string where_;
  StagedFile staged_;
  Hdf5Object file_, links_, sets_;
};

}  // namespace

bool have_hdf5() { return true; }

std::unique_ptr<HlocMatchWriter> make_hloc_match_writer(const std::filesystem::path& out) {
  return std::make_unique<HlocPairWriter>(out);
}

std::unique_ptr<FeatureWriter> make_hloc_writer(const std::filesystem::path& out, int dimension, NumberType type) {
  return std::make_unique<HlocWriter>(out, dimension, type);
}

}  // namespace adasample
