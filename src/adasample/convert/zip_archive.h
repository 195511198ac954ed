// SPDX-License-Identifier: Apache-2.0
// Zip files as PyTorch writes them. Read: entries that are stored or deflated, zip64, checked by their CRC. Written:
// stored, each entry's bytes at a multiple of 64, below 4 GiB.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace adasample {

class ZipArchive {
 public:
  // Reads the table of contents only. `bytes` must outlive the archive; `label` begins every message ("[pth] net.pth").
  ZipArchive(std::string_view bytes, std::string label);

  bool contains(const std::string& name) const { return entries_.contains(name); }
  // What stands before `name` in the only entry that ends in it ("archive/" for "data.pkl"); throws Error where there
  // is none or more than one.
  std::string folder_of(std::string_view name) const;
  // The bytes of an entry. All calls together give no more than kMostInflation times the file: weights do not shrink
  // so, and a small file cannot ask for all memory.
  std::string read(const std::string& name);

  static constexpr uint64_t kMostInflation = 100;

 private:
  struct Entry {
    uint16_t method;
    uint32_t crc;
    uint64_t packed, size, header;  // bytes; where its local header begins
  };
  std::string_view bytes_;
  std::string label_;
  std::map<std::string, Entry> entries_;
  uint64_t given_ = 0;
};

class ZipWriter {
 public:
  void add(const std::string& name, std::string_view content);
  // The whole file.
  std::string finish() &&;

 private:
  std::string bytes_, directory_;
  uint16_t count_ = 0;
};

}  // namespace adasample
