// SPDX-License-Identifier: Apache-2.0
#include "adasample/convert/zip_archive.h"

#include <zlib.h>

#include <algorithm>

#include "adasample/base/error.h"
#include "adasample/base/text.h"
#include "adasample/convert/byte_cursor.h"

namespace adasample {
namespace {

constexpr uint32_t kLocal = 0x04034b50, kCentral = 0x02014b50, kEnd = 0x06054b50, kEnd64 = 0x06064b50,
                   kLocator64 = 0x07064b50;
constexpr size_t kEndBytes = 22, kLocator64Bytes = 20;
constexpr uint32_t kIn64 = 0xFFFFFFFF;  // the number stands in the zip64 part
constexpr uint16_t kEncrypted = 1, kStored = 0, kDeflated = 8, kField64 = 1;

ByteCursor cursor_at(std::string_view bytes, uint64_t offset, const std::string& label) {
  ADA_CHECK(offset <= bytes.size(), "{}: something begins at byte {} of {} - truncated download?", label, offset,
            bytes.size());
  ByteCursor cursor(bytes, label);
  cursor.take(offset);
  return cursor;
}

struct Directory {
  uint64_t count, offset;
};

// The record at the end of the file, before a comment of up to 64 KiB.
Directory find_directory(std::string_view bytes, const std::string& label) {
  const size_t farthest = kEndBytes + 0xFFFF;
  for (size_t back = kEndBytes; back <= std::min(bytes.size(), farthest); ++back) {
    ByteCursor end = cursor_at(bytes, bytes.size() - back, label);
    if (end.number<uint32_t>() != kEnd) continue;
    end.take(6);
    const auto count = end.number<uint16_t>();
    end.take(4);
    const auto offset = end.number<uint32_t>();
    if (end.number<uint16_t>() != end.left()) continue;
    if ((count != 0xFFFF && offset != kIn64) || back + kLocator64Bytes > bytes.size()) return {count, offset};
    ByteCursor locator = cursor_at(bytes, bytes.size() - back - kLocator64Bytes, label);
    if (locator.number<uint32_t>() != kLocator64) return {count, offset};
    locator.take(4);
    ByteCursor end64 = cursor_at(bytes, locator.number<uint64_t>(), label);
    ADA_CHECK(end64.number<uint32_t>() == kEnd64, "{}: the zip64 directory is not where it should be", label);
    end64.take(28);
    const auto count64 = end64.number<uint64_t>();
    end64.take(8);
    return {count64, end64.number<uint64_t>()};
  }
  ADA_THROW("{}: this zip file has no directory at its end - truncated download?", label);
}

std::string inflate_all(std::string_view packed, uint64_t size, const std::string& where) {
  std::string out(size, '\0');
  z_stream stream{};
  ADA_CHECK(inflateInit2(&stream, -MAX_WBITS) == Z_OK, "{}: zlib cannot begin", where);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(size);
  const int result = inflate(&stream, Z_FINISH);
  const bool whole = result == Z_STREAM_END && stream.avail_out == 0 && stream.avail_in == 0;
  inflateEnd(&stream);
  ADA_CHECK(whole, "{}: the deflated bytes do not give the {} promised", where, size);
  return out;
}

uint32_t crc_of(std::string_view bytes) {
  return static_cast<uint32_t>(crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

template <typename... Numbers>
void append(std::string& out, Numbers... numbers) {
  (out.append(reinterpret_cast<const char*>(&numbers), sizeof numbers), ...);
}

}  // namespace

ZipArchive::ZipArchive(std::string_view bytes, std::string label) : bytes_(bytes), label_(std::move(label)) {
  const Directory directory = find_directory(bytes_, label_);
  ByteCursor cursor = cursor_at(bytes_, directory.offset, label_);
  for (uint64_t i = 0; i < directory.count; ++i) {  // each takes bytes of the file, whatever the count says
    ADA_CHECK(cursor.number<uint32_t>() == kCentral, "{}: byte {}: expected entry {} of {}", label_,
              cursor.position() - 4, i + 1, directory.count);
    cursor.take(4);
    const auto flags = cursor.number<uint16_t>();
    Entry entry{};
    entry.method = cursor.number<uint16_t>();
    cursor.take(4);
    entry.crc = cursor.number<uint32_t>();
    entry.packed = cursor.number<uint32_t>();
    entry.size = cursor.number<uint32_t>();
    const auto name_bytes = cursor.number<uint16_t>(), extra_bytes = cursor.number<uint16_t>(),
               comment_bytes = cursor.number<uint16_t>();
    cursor.take(8);
    entry.header = cursor.number<uint32_t>();
    const std::string name(cursor.take(name_bytes));
    ByteCursor extra(cursor.take(extra_bytes), label_);
    cursor.take(comment_bytes);
    while (extra.left() >= 4) {
      const auto kind = extra.number<uint16_t>();
      ByteCursor field(extra.take(extra.number<uint16_t>()), label_);
      if (kind != kField64) continue;
      for (uint64_t* number : {&entry.size, &entry.packed, &entry.header}) {
        if (*number == kIn64) *number = field.number<uint64_t>();
      }
    }
    ADA_CHECK((flags & kEncrypted) == 0, "{}: entry {} is encrypted", label_, shown(name));
    ADA_CHECK(entries_.emplace(name, entry).second, "{}: two entries are called {}", label_, shown(name));
  }
}

std::string ZipArchive::folder_of(std::string_view name) const {
  const std::string* found = nullptr;
  for (const auto& [path, entry] : entries_) {
    if (!path.ends_with(name) || (path.size() > name.size() && path[path.size() - name.size() - 1] != '/')) continue;
    ADA_CHECK(found == nullptr, "{}: expected one {} in this zip file, found two", label_, name);
    found = &path;
  }
  ADA_CHECK(found != nullptr, "{}: this zip file holds no {} - not written by torch.save?", label_, name);
  return found->substr(0, found->size() - name.size());
}

std::string ZipArchive::read(const std::string& name) {
  const auto found = entries_.find(name);
  ADA_CHECK(found != entries_.end(), "{}: this zip file holds no {}", label_, shown(name));
  const Entry& entry = found->second;
  const std::string where = label_ + ": entry " + shown(name);
  given_ += std::min(entry.size, kMostInflation * bytes_.size() + 1);
  ADA_CHECK(given_ <= kMostInflation * bytes_.size(), "{}: with it the entries are more than {} times the file", where,
            kMostInflation);
  ByteCursor local = cursor_at(bytes_, entry.header, where);
  ADA_CHECK(local.number<uint32_t>() == kLocal, "{}: no entry begins at byte {}", where, entry.header);
  local.take(22);
  const auto name_bytes = local.number<uint16_t>(), extra_bytes = local.number<uint16_t>();
  local.take(uint64_t{name_bytes} + extra_bytes);
  const std::string_view packed = local.take(entry.packed);
  ADA_CHECK(entry.method == kStored || entry.method == kDeflated, "{}: expected stored or deflated, found method {}",
            where, entry.method);
  ADA_CHECK(entry.method == kDeflated || entry.packed == entry.size, "{}: stored as {} bytes, promised {}", where,
            entry.packed, entry.size);
  ADA_CHECK(entry.method == kStored || std::max(entry.packed, entry.size) < kIn64,
            "{}: deflated entries of 4 GiB are not read", where);
  std::string content = entry.method == kStored ? std::string(packed) : inflate_all(packed, entry.size, where);
  ADA_CHECK(crc_of(content) == entry.crc, "{}: its checksum is wrong - damaged download?", where);
  return content;
}

void ZipWriter::add(const std::string& name, std::string_view content) {
  constexpr uint16_t kVersion = 20, kNone = 0;
  constexpr uint16_t kDay = 1 << 5 | 1;  // 1 January 1980: the same weights give the same bytes
  constexpr size_t kHeaderBytes = 30, kFieldBytes = 4, kAlign = 64;
  const auto size = static_cast<uint32_t>(content.size()), crc = crc_of(content),
             header = static_cast<uint32_t>(bytes_.size());
  const auto name_bytes = static_cast<uint16_t>(name.size());
  const auto padding =
      static_cast<uint16_t>((kAlign - (bytes_.size() + kHeaderBytes + name.size() + kFieldBytes) % kAlign) % kAlign);
  const auto extra_bytes = static_cast<uint16_t>(kFieldBytes + padding);
  append(bytes_, kLocal, kVersion, kNone, kStored, kNone, kDay, crc, size, size, name_bytes, extra_bytes);
  bytes_ += name;
  append(bytes_, uint16_t{0x4246}, padding);  // "FB", as PyTorch's own
  bytes_.append(padding, 'Z');
  bytes_ += content;
  append(directory_, kCentral, kVersion, kVersion, kNone, kStored, kNone, kDay, crc, size, size, name_bytes, kNone,
         kNone, kNone, kNone, uint32_t{0}, header);
  directory_ += name;
  ++count_;
  ADA_CHECK(bytes_.size() + directory_.size() < kIn64 / 2, "[zip] more than 2 GiB are not written");
}

std::string ZipWriter::finish() && {
  const auto offset = static_cast<uint32_t>(bytes_.size()), size = static_cast<uint32_t>(directory_.size());
  bytes_ += directory_;
  append(bytes_, kEnd, uint16_t{0}, uint16_t{0}, count_, count_, size, offset, uint16_t{0});
  return std::move(bytes_);
}

}  // namespace adasample
