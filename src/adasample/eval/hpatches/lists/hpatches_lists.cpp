// SPDX-License-Identifier: Apache-2.0
#include "adasample/eval/hpatches/lists/hpatches_lists.h"

#include <fmt/format.h>

#include <unordered_map>

#include "adasample/base/error.h"
#include "adasample/base/text.h"

namespace adasample {
namespace {

constexpr std::string_view kPairHeader = "s1,t1,idx1,s2,t2,idx2", kPatchHeader = "s,idx";

using Places = std::unordered_map<std::string_view, size_t>;

Places places_of(const std::vector<SequenceShape>& shapes) {
  ADA_ASSERT(shapes.size() <= UINT16_MAX);
  Places places;
  for (size_t i = 0; i < shapes.size(); ++i) places.emplace(shapes[i].name, i);
  return places;
}

// The patch that fields `name`, `image` (none: the reference) and `patch` of the line name.
PatchPlace read_place(const TextReader& reader, const std::vector<std::string_view>& fields, size_t name, size_t image,
                      size_t patch, const Places& places, const std::vector<SequenceShape>& shapes) {
  const auto found = places.find(fields[name]);
  if (found == places.end()) reader.fail("a sequence of the split", shown(fields[name]));
  const SequenceShape& shape = shapes[found->second];
  PatchPlace place{.sequence = static_cast<uint16_t>(found->second)};
  if (image != name) {
    const auto number = reader.number<int>(image, "an image number");
    if (number < 0 || number >= shape.images) {
      reader.fail(fmt::format("an image of {}, 0 to {}", shape.name, shape.images - 1), shown(fields[image]));
    }
    place.image = static_cast<uint8_t>(number);
  }
  const auto number = reader.number<int64_t>(patch, "a patch number");
  if (number < 0 || number >= shape.patches) {
    reader.fail(fmt::format("a patch of {}, 0 to {}", shape.name, shape.patches - 1),
                shown(fields[patch]) + " - a list for another version of the data?");
  }
  place.patch = static_cast<uint32_t>(number);
  return place;
}

// Calls row(fields) for every line behind the header.
template <typename Row>
void read_rows(TextReader& reader, std::string_view header, size_t width, const std::string& label, const Row& row) {
  ADA_CHECK(reader.next(), "[tasks] {}: expected the header '{}', found an empty file", label, header);
  if (reader.line() != header) reader.fail(fmt::format("the header '{}'", header), shown(reader.line()));
  while (reader.next()) {
    const auto& fields = reader.fields(',');
    if (fields.size() != width) reader.fail(fmt::format("{} fields '{}'", width, header), shown(reader.line()));
    row(fields);
  }
  ADA_CHECK(reader.line_number() > 1, "[tasks] {}: expected rows below the header, found none", label);
}

}  // namespace

std::string list_file(const std::string& kind, const std::string& split) {
  return fmt::format("{}_split-{}.csv", kind, split);
}

std::vector<PlacePair> parse_pair_list(std::string_view text, const std::string& label,
                                       const std::vector<SequenceShape>& shapes) {
  const Places places = places_of(shapes);
  std::vector<PlacePair> list;
  TextReader reader(text, "tasks", label);
  read_rows(reader, kPairHeader, 6, label, [&](const auto& fields) {
    list.push_back(
        {read_place(reader, fields, 0, 1, 2, places, shapes), read_place(reader, fields, 3, 4, 5, places, shapes)});
  });
  return list;
}

std::vector<PatchPlace> parse_patch_list(std::string_view text, const std::string& label,
                                         const std::vector<SequenceShape>& shapes) {
  const Places places = places_of(shapes);
  std::vector<PatchPlace> list;
  TextReader reader(text, "tasks", label);
  read_rows(reader, kPatchHeader, 2, label,
            [&](const auto& fields) { list.push_back(read_place(reader, fields, 0, 0, 1, places, shapes)); });
  return list;
}

std::string format_list(const std::vector<PlacePair>& list, const std::vector<SequenceShape>& shapes) {
  fmt::memory_buffer text;
  fmt::format_to(std::back_inserter(text), "{}\n", kPairHeader);
  for (const auto& [a, b] : list) {
    fmt::format_to(std::back_inserter(text), "{},{},{},{},{},{}\n", shapes[a.sequence].name, a.image, a.patch,
                   shapes[b.sequence].name, b.image, b.patch);
  }
  return fmt::to_string(text);
}

std::string format_list(const std::vector<PatchPlace>& list, const std::vector<SequenceShape>& shapes) {
  fmt::memory_buffer text;
  fmt::format_to(std::back_inserter(text), "{}\n", kPatchHeader);
  for (const PatchPlace& place : list) {
    fmt::format_to(std::back_inserter(text), "{},{}\n", shapes[place.sequence].name, place.patch);
  }
  return fmt::to_string(text);
}

}  // namespace adasample
