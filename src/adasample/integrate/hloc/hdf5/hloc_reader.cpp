// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <string_view>

#include "adasample/integrate/hloc/hdf5/hdf5_object.h"
#include "adasample/integrate/hloc/hdf5/hloc_arrays.h"
#include "adasample/integrate/hloc/hloc_h5.h"

namespace adasample {
namespace {

class HlocFile {
 public:
  HlocFile(Hdf5Object file, std::string name) : file_(std::move(file)), name_(std::move(name)) {}

  HlocArrays answer(const std::string& question) const {
    if (!question.empty() && question.front() == kWhichPictures) return pictures();
    if (question.empty() || question.front() != kWithDescriptors) return arrays(question);
    const std::string picture = question.substr(1);
    HlocArrays found = arrays(picture);
    if (found.named) found.descriptors = descriptors(picture + "/descriptors");
    return found;
  }

 private:
  HlocArrays arrays(const std::string& picture) const {
    if (!exists(picture)) return {};
    ADA_CHECK(exists(picture + "/keypoints"), "[hloc] {}: {}: expected a group with `keypoints`, found none", name_,
              picture);
    HlocArrays found;
    found.named = true;
    found.places = numbers(picture + "/keypoints", 2);
    found.scales = numbers(picture + "/scales", 1);
    found.oris = numbers(picture + "/oris", 1);
    return found;
  }

  // Groups with keypoints and descriptors; links to other files are not followed.
  HlocArrays pictures() const {
    struct Search {
      std::string names;
      bool too_many = false;
    } search;
    const auto look = [](hid_t, const char* path, const H5L_info_t* link, void* data) -> herr_t {
      auto& found = *static_cast<Search*>(data);
      constexpr std::string_view kEnding = "/descriptors";
      const std::string_view name = path;
      if (link->type != H5L_TYPE_HARD || !name.ends_with(kEnding)) return 0;
      const std::string_view picture = name.substr(0, name.size() - kEnding.size());
      if (picture.find('\n') != std::string_view::npos) return 0;
      found.names += picture;
      found.names += '\n';
      found.too_many = found.names.size() > kMostHlocNames;
      return found.too_many ? 1 : 0;
    };
    ADA_CHECK(H5Lvisit(file_.id(), H5_INDEX_NAME, H5_ITER_NATIVE, look, &search) >= 0,
              "[hloc] {}: HDF5 cannot list its groups", name_);
    ADA_CHECK(!search.too_many, "[hloc] {}: expected at most {} bytes of names, found more", name_, kMostHlocNames);
    HlocArrays found;
    found.names = std::move(search.names);
    return found;
  }

  // [D, N] -> (N, D), as float, or bytes with their scale and zero.
  std::vector<float> descriptors(const std::string& path) const {
    const std::string where = name_ + ": " + path;
    ADA_CHECK(exists(path), "[hloc] {}: expected descriptors, found none", where);
    const Hdf5Object set(H5Dopen2(file_.id(), path.c_str(), H5P_DEFAULT), H5Dclose, where, "open the dataset");
    refuse_other_files(set, where);
    const Hdf5Object type(H5Dget_type(set.id()), H5Tclose, where, "tell the type");
    const H5T_class_t kind = H5Tget_class(type.id());
    ADA_CHECK((kind == H5T_FLOAT && H5Tget_size(type.id()) <= sizeof(long double)) ||
                  (kind == H5T_INTEGER && H5Tget_size(type.id()) == 1),
              "[hloc] {}: expected floating-point numbers or bytes, found another type", where);
    const Hdf5Object space(H5Dget_space(set.id()), H5Sclose, where, "tell the shape");
    hsize_t shape[2] = {0, 0};
    ADA_CHECK(H5Sget_simple_extent_ndims(space.id()) == 2, "[hloc] {}: expected 2 dimensions", where);
    H5Sget_simple_extent_dims(space.id(), shape, nullptr);
    ADA_CHECK(shape[1] <= kMostHlocKeypoints && shape[0] <= kMostHlocNumbers / std::max<hsize_t>(shape[1], 1),
              "[hloc] {}: expected at most {} numbers, found {} x {}", where, kMostHlocNumbers, shape[0], shape[1]);
    const size_t dimension = shape[0], count = shape[1];
    std::vector<float> columns(dimension * count), rows(dimension * count);
    ADA_CHECK(
        columns.empty() || H5Dread(set.id(), H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, columns.data()) >= 0,
        "[hloc] {}: HDF5 cannot read the numbers - truncated, or compressed by a filter that is not here?", where);
    const float scale = kind == H5T_INTEGER ? attribute(set, "scale", 1, where) : 1;
    const float zero = kind == H5T_INTEGER ? attribute(set, "zero", 0, where) : 0;
    for (size_t i = 0; i < count; ++i) {
      for (size_t d = 0; d < dimension; ++d) rows[i * dimension + d] = scale * (columns[d * count + i] - zero);
    }
    return rows;
  }

  static float attribute(const Hdf5Object& set, const char* name, float otherwise, const std::string& where) {
    if (H5Aexists(set.id(), name) <= 0) return otherwise;
    const Hdf5Object found(H5Aopen(set.id(), name, H5P_DEFAULT), H5Aclose, where, "open an attribute");
    const Hdf5Object space(H5Aget_space(found.id()), H5Sclose, where, "tell the shape");
    const Hdf5Object type(H5Aget_type(found.id()), H5Tclose, where, "tell the type");
    float value = otherwise;
    ADA_CHECK(H5Sget_simple_extent_npoints(space.id()) == 1 && H5Tget_class(type.id()) == H5T_FLOAT &&
                  H5Tget_size(type.id()) <= sizeof(long double) && H5Aread(found.id(), H5T_NATIVE_FLOAT, &value) >= 0,
              "[hloc] {}: expected one number as `{}`", where, name);
    return value;
  }

  // Of a path, part by part: HDF5 asks that all but the last be there.
  bool exists(const std::string& path) const {
    for (size_t end = path.find('/'); end != std::string::npos; end = path.find('/', end + 1)) {
      if (end > 0 && !is_here(path.substr(0, end))) return false;
    }
    return is_here(path);
  }

  // A link to another file would let this one name any file of the user's.
  bool is_here(const std::string& path) const {
    if (H5Lexists(file_.id(), path.c_str(), H5P_DEFAULT) <= 0) return false;
    H5L_info_t link{};
    const bool known = path.find_first_not_of('/') == std::string::npos ||
                       H5Lget_info(file_.id(), path.c_str(), &link, H5P_DEFAULT) >= 0;
    ADA_CHECK(known && (link.type == H5L_TYPE_HARD || link.type == H5L_TYPE_SOFT),
              "[hloc] {}: {}: is a link to another file, which is not followed", name_, path);
    return true;
  }

  // Numbers that lie elsewhere are not fetched.
  void refuse_other_files(const Hdf5Object& set, const std::string& where) const {
    const Hdf5Object made(H5Dget_create_plist(set.id()), H5Pclose, where, "tell how it is stored");
    ADA_CHECK(H5Pget_layout(made.id()) != H5D_VIRTUAL && H5Pget_external_count(made.id()) == 0,
              "[hloc] {}: its numbers are stored in other files, which are not read", where);
  }

  // A dataset of floats, [N] or [N, 2]; empty where there is none.
  std::vector<float> numbers(const std::string& path, size_t columns) const {
    if (!exists(path)) return {};
    const std::string where = name_ + ": " + path;
    const Hdf5Object set(H5Dopen2(file_.id(), path.c_str(), H5P_DEFAULT), H5Dclose, where, "open the dataset");
    refuse_other_files(set, where);
    const Hdf5Object type(H5Dget_type(set.id()), H5Tclose, where, "tell the type");
    // A damaged type can claim any size, and HDF5 would take that much memory for every number.
    ADA_CHECK(H5Tget_class(type.id()) == H5T_FLOAT && H5Tget_size(type.id()) <= sizeof(long double),
              "[hloc] {}: expected floating-point numbers, found another type", where);
    const Hdf5Object space(H5Dget_space(set.id()), H5Sclose, where, "tell the shape");
    const int rank = H5Sget_simple_extent_ndims(space.id()), expected = columns == 1 ? 1 : 2;
    ADA_CHECK(rank == expected, "[hloc] {}: expected {} dimensions, found {}", where, expected, rank);
    hsize_t shape[2] = {0, columns};
    H5Sget_simple_extent_dims(space.id(), shape, nullptr);
    ADA_CHECK(shape[0] <= kMostHlocKeypoints && (rank == 1 || shape[1] == columns),
              "[hloc] {}: expected at most {} rows of {}, found {} of {}", where, kMostHlocKeypoints, columns, shape[0],
              rank == 1 ? 1 : shape[1]);
    std::vector<float> values(shape[0] * columns);
    ADA_CHECK(values.empty() || H5Dread(set.id(), H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) >= 0,
              "[hloc] {}: HDF5 cannot read the numbers - truncated, or compressed by a filter that is not here?",
              where);
    return values;
  }

  Hdf5Object file_;
  std::string name_;
};

HlocArrayReader reader_of(Hdf5Object file, const std::string& name) {
  auto opened = std::make_shared<HlocFile>(std::move(file), name);
  return [opened](const std::string& picture) { return opened->answer(picture); };
}

constexpr const char* kOpen = "open it: expected an HDF5 file, found something else, nothing or a part of one";

}  // namespace

HlocArrayReader open_hloc_arrays(const std::filesystem::path& path, const std::string& name) {
  set_up_hdf5();
  return reader_of({H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose, name, kOpen}, name);
}

HlocArrayReader open_hloc_arrays(std::span<const uint8_t> bytes, const std::string& name) {
  set_up_hdf5();
  constexpr size_t kIncrement = 1 << 16;
  const Hdf5Object access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, name, "make settings");
  H5Pset_fapl_core(access.id(), kIncrement, /*backing_store=*/false);
  H5Pset_file_image(access.id(), const_cast<uint8_t*>(bytes.data()), bytes.size());  // copied
  return reader_of({H5Fopen(name.c_str(), H5F_ACC_RDONLY, access.id()), H5Fclose, name, kOpen}, name);
}

KeypointReader open_hloc_keypoints(std::span<const uint8_t> bytes, const std::string& name) {
  return [read = open_hloc_arrays(bytes, name), name](const std::string& picture) -> GivenKeypoints {
    const HlocArrays found = read(picture);
    if (!found.named) return {};
    return hloc_keypoints(found.places, found.scales, found.oris, name + ": " + picture);
  };
}

}  // namespace adasample
