// SPDX-License-Identifier: Apache-2.0
#include <map>

#include "adasample/base/error.h"
#include "adasample/base/text.h"
#include "adasample/convert/pickle.h"
#include "adasample/convert/pth.h"
#include "adasample/convert/zip_archive.h"
#include "adasample/model/float_reader.h"

namespace adasample {
namespace {

using Kind = PickleValue::Kind;

constexpr std::string_view kMagic("\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19", 10);  // 0x1950a86a20f9469cfc6c
constexpr int64_t kProtocol = 1001;
constexpr std::string_view kZip("PK\x03\x04", 4), kLegacy("\x80\x02\x8a\x0a", 4);  // kLegacy: then the magic
constexpr size_t kStepsOfHeader = 1000;  // the machine's sizes take some thirty
constexpr size_t kMostDimensions = 8;

const FloatReader* reader_of(std::string_view storage) {
  return float_reader(storage == "torch.FloatStorage"      ? "F32"
                      : storage == "torch.HalfStorage"     ? "F16"
                      : storage == "torch.BFloat16Storage" ? "BF16"
                      : storage == "torch.DoubleStorage"   ? "F64"
                      : storage == "torch.LongStorage"     ? "I64"
                                                           : "");
}

// The numbers that tensors are views of.
struct Storage {
  const FloatReader* reader;
  uint64_t count;
  std::string owned = {};
  std::string_view bytes = {};
  bool filled = false;
  uint64_t used = 0;  // by tensors so far
};
using Storages = std::map<std::string_view, Storage>;

// All that the pickle mentions. id: ('storage', type, key, device, count[, view])
Storages storages_of(const Pickle& pickle, const std::string& label) {
  Storages storages;
  for (const PickleValue& value : pickle.values()) {
    if (value.kind != Kind::kStorage) continue;
    const PickleValue &type = *value.items[1], &key = *value.items[2], &count = *value.items[4];
    const FloatReader* reader = type.kind == Kind::kGlobal ? reader_of(type.text) : nullptr;
    ADA_CHECK(reader != nullptr && key.kind == Kind::kString && count.kind == Kind::kInteger && count.integer >= 0,
              "{}: a storage of an unknown kind", label);
    ADA_CHECK(value.items.size() == 5 || value.items[5]->kind == Kind::kNone,
              "{}: storage {} is a view of another - save the state dict again with a newer PyTorch", label,
              shown(key.text));
    const auto [known, fresh] =
        storages.emplace(key.text, Storage{.reader = reader, .count = static_cast<uint64_t>(count.integer)});
    ADA_CHECK(fresh || (known->second.reader == reader && known->second.count == static_cast<uint64_t>(count.integer)),
              "{}: storage {} is described in two ways", label, shown(key.text));
  }
  return storages;
}

uint64_t bytes_of(const Storage& storage, std::string_view key, const std::string& label) {
  uint64_t bytes = 0;
  ADA_CHECK(!__builtin_mul_overflow(storage.count, storage.reader->width, &bytes), "{}: storage {} of {} numbers",
            label, shown(key), storage.count);
  return bytes;
}

std::vector<int64_t> integers(const PickleValue& tuple, const std::string& where) {
  ADA_CHECK((tuple.kind == Kind::kTuple || tuple.kind == Kind::kList) && tuple.items.size() <= kMostDimensions,
            "{}: expected a tuple of at most {} numbers for its shape", where, kMostDimensions);
  std::vector<int64_t> numbers;
  for (const PickleValue* item : tuple.items) {
    ADA_CHECK(item->kind == Kind::kInteger && item->integer >= 0, "{}: its shape is not made of whole numbers", where);
    numbers.push_back(item->integer);
  }
  return numbers;
}

// How many numbers a view of this shape has, once it is sure that all lie in the storage.
uint64_t check_view(const std::vector<int64_t>& sizes, const std::vector<int64_t>& strides, uint64_t offset,
                    const Storage& storage, const std::string& where) {
  ADA_CHECK(sizes.size() == strides.size(), "{}: {} sizes and {} strides", where, sizes.size(), strides.size());
  uint64_t count = 1, last = offset;
  bool fits = true;
  for (size_t d = 0; d < sizes.size(); ++d) {
    uint64_t reach = 0;
    fits = fits && !__builtin_mul_overflow(count, static_cast<uint64_t>(sizes[d]), &count) &&
           !__builtin_mul_overflow(static_cast<uint64_t>(sizes[d] > 0 ? sizes[d] - 1 : 0),
                                   static_cast<uint64_t>(strides[d]), &reach) &&
           !__builtin_add_overflow(last, reach, &last);
  }
  ADA_CHECK(fits && (count == 0 || last < storage.count), "{}: it reaches beyond its storage of {} numbers", where,
            storage.count);
  return count;
}

NamedArray to_array(const PickleValue& tensor, Storages& storages, const std::string& where) {
  const PickleValue &source = *tensor.items[0], &offset = *tensor.items[1];
  ADA_CHECK(source.kind == Kind::kStorage && offset.kind == Kind::kInteger && offset.integer >= 0,
            "{}: a tensor without storage", where);
  Storage& storage = storages.at(source.items[2]->text);
  const std::vector<int64_t> sizes = integers(*tensor.items[2], where), strides = integers(*tensor.items[3], where);
  const uint64_t count = check_view(sizes, strides, static_cast<uint64_t>(offset.integer), storage, where);
  // Views can overlap without end; weights do not share numbers.
  ADA_CHECK(count <= storage.count - storage.used, "{}: tensors of one storage have more numbers than its {}", where,
            storage.count);
  storage.used += count;
  NamedArray array{sizes, {}};
  array.values.reserve(count);
  std::vector<int64_t> index(sizes.size());
  for (uint64_t i = 0; i < count; ++i) {
    auto at = static_cast<uint64_t>(offset.integer);
    for (size_t d = 0; d < sizes.size(); ++d) at += static_cast<uint64_t>(index[d] * strides[d]);
    array.values.push_back(storage.reader->read(storage.bytes.data() + at * storage.reader->width));
    for (size_t d = sizes.size(); d-- > 0;) {
      if (++index[d] < sizes[d]) break;
      index[d] = 0;
    }
  }
  return array;
}

Weights arrays_of(const PickleValue& root, Storages& storages, const std::string& label) {
  const PickleValue* inner = root.find("state_dict");
  const PickleValue& dict = inner != nullptr && inner->kind == Kind::kDict ? *inner : root;
  ADA_CHECK(dict.kind == Kind::kDict, "{}: expected a dict of tensors - save net.state_dict()", label);
  Weights weights;
  for (size_t i = 0; i + 1 < dict.items.size(); i += 2) {
    const PickleValue &name = *dict.items[i], &value = *dict.items[i + 1];
    ADA_CHECK(name.kind == Kind::kString && value.kind == Kind::kTensor,
              "{}: expected a dict of names and tensors, found something else under {}", label, shown(name.text));
    const std::string where = fmt::format("{}: tensor {}", label, shown(name.text));
    ADA_CHECK(weights.arrays.emplace(name.text, to_array(value, storages, where)).second, "{}: it is there twice",
              where);
  }
  ADA_CHECK(!weights.arrays.empty(), "{}: the state dict is empty", label);
  return weights;
}

Weights parse_zip(std::string_view bytes, const std::string& label) {
  ZipArchive archive(bytes, label);
  const std::string folder = archive.folder_of("data.pkl");
  ADA_CHECK(!archive.contains(folder + "constants.pkl"),
            "{}: this is a TorchScript file, not a checkpoint - save its state_dict() with torch.save", label);
  ADA_CHECK(!archive.contains(folder + "byteorder") || archive.read(folder + "byteorder") == "little",
            "{}: written by a big-endian machine", label);
  const std::string text = archive.read(folder + "data.pkl");
  ByteCursor cursor(text, label + ": data.pkl");
  const Pickle pickle(cursor);
  Storages storages = storages_of(pickle, label);
  for (auto& [key, storage] : storages) {
    storage.owned = archive.read(fmt::format("{}data/{}", folder, key));
    storage.bytes = storage.owned;
    ADA_CHECK(storage.bytes.size() == bytes_of(storage, key, label),
              "{}: storage {}: expected {} numbers, found {} bytes", label, shown(key), storage.count,
              storage.bytes.size());
  }
  return arrays_of(pickle.root(), storages, label);
}

// The first three pickles; nothing of them is kept.
void read_header(ByteCursor& cursor, const std::string& label) {
  {
    const Pickle magic(cursor, kStepsOfHeader);
    ADA_CHECK(magic.root().kind == Kind::kLong && magic.root().text == kMagic,
              "{}: expected a PyTorch checkpoint, found another pickle", label);
  }
  {
    const Pickle protocol(cursor, kStepsOfHeader);
    ADA_CHECK(protocol.root().kind == Kind::kInteger && protocol.root().integer == kProtocol,
              "{}: expected protocol {} of torch.save", label, kProtocol);
  }
  const Pickle machine(cursor, kStepsOfHeader);
  const PickleValue* little = machine.root().find("little_endian");
  ADA_CHECK(little != nullptr && little->integer == 1, "{}: written by a big-endian machine", label);
}

// Five pickles (magic, protocol, the machine, the object, the storages' keys), then each storage: i64 count, numbers.
Weights parse_legacy(std::string_view bytes, const std::string& label) {
  ByteCursor cursor(bytes, label);
  read_header(cursor, label);
  const Pickle object(cursor), keys(cursor);
  Storages storages = storages_of(object, label);
  ADA_CHECK(keys.root().kind == Kind::kList, "{}: expected the list of storages", label);
  for (const PickleValue* key : keys.root().items) {
    const auto found = storages.find(key->text);
    ADA_CHECK(key->kind == Kind::kString && found != storages.end() && !found->second.filled,
              "{}: storage {} belongs to no tensor or is there twice", label, shown(key->text));
    Storage& storage = found->second;
    const auto count = cursor.number<uint64_t>();
    ADA_CHECK(count == storage.count, "{}: storage {}: expected {} numbers, found {}", label, shown(key->text),
              storage.count, count);
    storage.bytes = cursor.take(bytes_of(storage, key->text, label));
    storage.filled = true;
  }
  for (const auto& [key, storage] : storages) ADA_CHECK(storage.filled, "{}: storage {} is missing", label, shown(key));
  ADA_CHECK(cursor.left() == 0, "{}: byte {}: expected the end, found {} more bytes", label, cursor.position(),
            cursor.left());
  return arrays_of(object.root(), storages, label);
}

}  // namespace

bool begins_as_pth(std::string_view bytes) {
  return bytes.starts_with(kZip) || (bytes.starts_with(kLegacy) && bytes.substr(kLegacy.size()).starts_with(kMagic));
}

Weights parse_pth(std::string_view bytes, const std::string& label) {
  const std::string where = "[pth] " + label;
  if (bytes.starts_with("PK")) return parse_zip(bytes, where);
  ADA_CHECK(bytes.starts_with('\x80'),
            "{}: expected a checkpoint of torch.save, found something else - truncated download?", where);
  return parse_legacy(bytes, where);
}

}  // namespace adasample
