// SPDX-License-Identifier: Apache-2.0
// As the format demands, the arrays must tile the data without gap or overlap.
#include "adasample/model/tensor_table.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <nlohmann/json.hpp>
#include <tuple>

#include "adasample/base/error.h"
#include "adasample/base/json.h"

static_assert(std::endian::native == std::endian::little, "safetensors data is copied as it stands");

namespace adasample {
namespace {

using nlohmann::json;

constexpr uint64_t kLengthBytes = 8;
constexpr uint64_t kMaxHeader = 100'000'000;  // the format's own bound
constexpr const char* kMetadata = "__metadata__";

// Name and bytes of one value; the widths are the format's.
constexpr std::pair<std::string_view, uint64_t> kDtypes[] = {{"F64", 8}, {"F32", 4}, {"F16", 2}, {"BF16", 2},
                                                             {"I64", 8}, {"I32", 4}, {"U8", 1},  {"BOOL", 1}};

// An entry of the header: where one array lies in the data.
struct Extent {
  std::string name;
  std::string_view dtype;
  std::vector<int64_t> shape;
  uint64_t begin, end;  // bytes from the start of the data
};

// Names come from the file: quoted and escaped, so that a message stays one line.
std::string quoted(const std::string& name) { return json(name).dump(); }

json parse_header(std::string_view header, const std::string& label) {
  // The deepest legitimate value is a number of "shape" or "data_offsets", in three brackets.
  ADA_CHECK(!is_too_deep(header, 3), "[safetensors] {}: the header is nested deeper than the format allows", label);
  const std::optional<std::string> twice = repeated_key(header);
  ADA_CHECK(!twice, "[safetensors] {}: the key {} occurs twice", label, quoted(*twice));
  json parsed;
  try {
    parsed = json::parse(header);
  } catch (const json::parse_error& error) {
    ADA_THROW("[safetensors] {}: the header is not JSON: error at its byte {} of {}", label, error.byte, header.size());
  } catch (const json::exception&) {  // a number such as 1e999
    ADA_THROW("[safetensors] {}: the header holds a number out of range", label);
  }
  ADA_CHECK(parsed.is_object(), "[safetensors] {}: expected the header to be a JSON object, found {}", label,
            parsed.type_name());
  return parsed;
}

std::vector<uint64_t> read_counts(const json& entry, const char* key, const std::string& where) {
  ADA_CHECK(entry.contains(key) && entry[key].is_array(), "{}: expected an array \"{}\"", where, key);
  std::vector<uint64_t> counts;
  for (const json& value : entry[key]) {
    ADA_CHECK(value.is_number_unsigned(), "{}: expected whole numbers >= 0 in \"{}\", found {}", where, key,
              value.dump());
    counts.push_back(value.get<uint64_t>());
  }
  return counts;
}

Extent read_extent(const std::string& name, const json& entry, uint64_t data_size, const std::string& label) {
  const std::string where = fmt::format("[safetensors] {}: array {}", label, quoted(name));
  ADA_CHECK(entry.is_object(), "{}: expected an object, found {}", where, entry.type_name());
  ADA_CHECK(entry.contains("dtype") && entry["dtype"].is_string(), "{}: expected a string \"dtype\"", where);
  const auto& dtype_name = entry["dtype"].get_ref<const std::string&>();
  const auto* dtype = std::find_if(std::begin(kDtypes), std::end(kDtypes),
                                   [&](const auto& known) { return known.first == dtype_name; });
  ADA_CHECK(dtype != std::end(kDtypes), "{}: the dtype {} is not supported", where, quoted(dtype_name));

  Extent extent{.name = name, .dtype = dtype->first, .shape = {}, .begin = 0, .end = 0};
  uint64_t size = dtype->second;
  for (const uint64_t count : read_counts(entry, "shape", where)) {
    ADA_CHECK(count <= INT64_MAX && !__builtin_mul_overflow(size, count, &size), "{}: the shape {} overflows 64 bits",
              where, entry["shape"].dump());
    extent.shape.push_back(static_cast<int64_t>(count));
  }

  const std::vector<uint64_t> offsets = read_counts(entry, "data_offsets", where);
  ADA_CHECK(offsets.size() == 2, "{}: expected two data_offsets, found {}", where, offsets.size());
  extent.begin = offsets[0];
  extent.end = offsets[1];
  ADA_CHECK(extent.begin <= extent.end, "{}: data_offsets are reversed: {} > {}", where, extent.begin, extent.end);
  ADA_CHECK(extent.end <= data_size, "{}: ends at byte {}, but the data has {} - truncated download?", where,
            extent.end, data_size);
  ADA_CHECK(extent.end - extent.begin == size, "{}: expected {} bytes of {} for shape {}, found {}", where, size,
            dtype->first, entry["shape"].dump(), extent.end - extent.begin);
  return extent;
}

void check_tiling(std::vector<Extent>& extents, uint64_t data_size, const std::string& label) {
  std::sort(extents.begin(), extents.end(),
            [](const Extent& a, const Extent& b) { return std::tie(a.begin, a.end) < std::tie(b.begin, b.end); });
  uint64_t covered = 0;
  for (const Extent& extent : extents) {
    ADA_CHECK(extent.begin >= covered, "[safetensors] {}: array {} overlaps the one before it", label,
              quoted(extent.name));
    ADA_CHECK(extent.begin == covered, "[safetensors] {}: bytes {} to {} belong to no array", label, covered,
              extent.begin);
    covered = extent.end;
  }
  ADA_CHECK(covered == data_size, "[safetensors] {}: bytes {} to {} belong to no array", label, covered, data_size);
}

std::map<std::string, std::string> read_metadata(const json& entry, const std::string& label) {
  ADA_CHECK(entry.is_object(), "[safetensors] {}: expected {} to be an object, found {}", label, kMetadata,
            entry.type_name());
  std::map<std::string, std::string> metadata;
  for (const auto& [key, value] : entry.items()) {
    ADA_CHECK(value.is_string(), "[safetensors] {}: metadata {}: expected a string, found {}", label, quoted(key),
              value.type_name());
    metadata[key] = value.get<std::string>();
  }
  return metadata;
}

}  // namespace

TensorTable parse_tensor_table(std::string_view bytes, const std::string& label) {
  ADA_CHECK(bytes.size() >= kLengthBytes, "[safetensors] {}: expected at least {} bytes, found {}", label, kLengthBytes,
            bytes.size());
  uint64_t header_size = 0;
  std::memcpy(&header_size, bytes.data(), sizeof header_size);
  const uint64_t rest = bytes.size() - kLengthBytes;
  ADA_CHECK(header_size <= kMaxHeader, "[safetensors] {}: a header of {} bytes exceeds {} - not a safetensors file?",
            label, header_size, kMaxHeader);
  ADA_CHECK(header_size <= rest, "[safetensors] {}: expected a header of {} bytes, found {} - truncated download?",
            label, header_size, rest);
  const json header = parse_header(bytes.substr(kLengthBytes, header_size), label);
  const std::string_view data = bytes.substr(kLengthBytes + header_size);

  TensorTable table;
  std::vector<Extent> extents;
  for (const auto& [name, entry] : header.items()) {
    if (name == kMetadata) {
      table.metadata = read_metadata(entry, label);
    } else {
      extents.push_back(read_extent(name, entry, data.size(), label));
    }
  }
  // Before anybody copies: overlapping arrays could ask for far more memory than the file has bytes.
  check_tiling(extents, data.size(), label);
  for (Extent& extent : extents) {
    table.tensors[extent.name] = {extent.dtype, std::move(extent.shape),
                                  data.substr(extent.begin, extent.end - extent.begin)};
  }
  return table;
}

std::string format_tensor_table(const TensorTable& table) {
  json header = json::object();
  if (!table.metadata.empty()) header[kMetadata] = table.metadata;
  uint64_t size = 0;
  for (const auto& [name, tensor] : table.tensors) {
    ADA_CHECK(name != kMetadata, "[safetensors] no array can be called {}", name);
    header[name] = {
        {"dtype", tensor.dtype}, {"shape", tensor.shape}, {"data_offsets", {size, size + tensor.bytes.size()}}};
    size += tensor.bytes.size();
  }
  std::string text;
  try {
    text = header.dump();
  } catch (const json::exception&) {
    ADA_THROW("[safetensors] a name or a metadata value is not UTF-8");
  }
  text.append((8 - text.size() % 8) % 8, ' ');  // the data starts at a multiple of 8

  const uint64_t header_size = text.size();
  std::string bytes(reinterpret_cast<const char*>(&header_size), sizeof header_size);
  bytes.reserve(sizeof header_size + text.size() + size);
  bytes += text;
  for (const auto& [name, tensor] : table.tensors) bytes += tensor.bytes;
  return bytes;
}

}  // namespace adasample
