// SPDX-License-Identifier: Apache-2.0
#include "adasample/report/live/run_tail.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <utility>

#include "adasample/base/error.h"
#include "adasample/base/files/open_file.h"

namespace adasample {
namespace {

constexpr uint64_t kEnd = 64;                         // bytes that tell whether a file still is what it was
constexpr uint64_t kMostAtOnce = uint64_t{64} << 20;  // the rest is read the next time

std::string read_part(int descriptor, uint64_t from, uint64_t bytes, const std::filesystem::path& path) {
  std::string text(bytes, '\0');
  size_t got = 0;
  while (got < bytes) {
    const ssize_t n = ::pread(descriptor, text.data() + got, bytes - got, static_cast<off_t>(from + got));
    if (n < 0 && errno == EINTR) continue;
    ADA_CHECK(n >= 0, "[watch] {}: cannot be read: {}", path.string(), errno_text(errno));
    if (n == 0) break;  // it was cut meanwhile
    got += static_cast<size_t>(n);
  }
  text.resize(got);
  return text;
}

std::optional<struct stat> status_of(const std::filesystem::path& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return std::nullopt;
  return status;
}

}  // namespace

RunTail::RunTail(std::filesystem::path folder) : folder_(std::move(folder)), last_news_(Clock::now()) {
  data_.name = folder_name(folder_);
}

// The complete lines behind those read before; true where there were any, or where the file began anew.
template <typename Lines>
bool RunTail::read_on(const char* file, Grown& grown, Lines& lines) {
  const auto path = folder_ / file;
  const auto status = status_of(path);
  if (!status) {
    const bool gone = grown.read > 0;
    grown = {};
    lines = {};
    return gone;
  }
  const OpenedFile opened = open_to_read(path);
  bool changed = false;
  const bool same = status->st_ino == grown.inode && opened.size >= grown.read &&
                    read_part(opened.handle.get(), grown.read - grown.end.size(), grown.end.size(), path) == grown.end;
  if (!same) {
    changed = grown.read > 0;
    troubles_.erase(file);
    grown = {.read = 0, .inode = status->st_ino, .end = {}};
    lines = {};
  }
  const uint64_t fresh = std::min(opened.size - grown.read, kMostAtOnce);
  std::string text = read_part(opened.handle.get(), grown.read, fresh, path);
  const size_t last = text.rfind('\n');
  if (last == std::string::npos) return changed;  // nothing new, or the middle of a line
  text.resize(last + 1);
  grown.read += text.size();
  grown.end = text.substr(text.size() - std::min<size_t>(kEnd, text.size()));
  bool cut = false;
  for (size_t begin = 0; begin < text.size();) {  // one at a time: a malformed one costs no other
    const size_t end = text.find('\n', begin) + 1;
    try {
      lines.add(std::string_view(text).substr(begin, end - begin), path.string(), cut);
    } catch (const Error& error) {
      if (error.kind() == Error::Kind::kBug) throw;
      troubles_[file] = error.what();
    }
    begin = end;
  }
  return true;
}

// Calls `parse` with the file's text, or with nullptr when it is gone, where it is not what it was.
template <typename Parse>
void RunTail::reread(const char* file, const Parse& parse) {
  const auto path = folder_ / file;
  const auto status = status_of(path);
  Stamp stamp;
  if (status) {
    stamp = {static_cast<uint64_t>(status->st_size), status->st_ino,
             status->st_mtim.tv_sec * int64_t{1'000'000'000} + status->st_mtim.tv_nsec};
  }
  if (stamps_[file] == stamp) return;
  stamps_[file] = stamp;
  changed_ = true;
  troubles_.erase(file);
  if (!status) return parse(nullptr, path.string());
  try {
    const std::string text = read_text(path, kMostJson);
    parse(&text, path.string());
  } catch (const Error& error) {
    if (error.kind() == Error::Kind::kBug) throw;
    troubles_[file] = error.what();
  }
}

void RunTail::look() {
  const auto grow = [&](const char* file, Grown& grown, auto& lines) {
    try {
      const bool read = read_on(file, grown, lines);
      changed_ |= read;
      return read;
    } catch (const Error& error) {
      if (error.kind() == Error::Kind::kBug) throw;
      if (std::exchange(troubles_[file], error.what()) != error.what()) changed_ = true;
      return false;
    }
  };
  if (grow("metrics.jsonl", metrics_grown_, metrics_)) {
    data_.metrics = metrics_.all();
    last_news_ = Clock::now();
  }
  if (grow("snapshots.jsonl", snapshots_grown_, snapshots_)) data_.snapshots = snapshots_.all();
  using Text = const std::string*;
  using Name = const std::string&;
  reread("config.toml", [&](Text text, Name) { data_.config = text == nullptr ? "" : *text; });
  reread("result.json", [&](Text text, Name name) {
    data_.result.reset();
    if (text != nullptr) data_.result = parse_run_result(*text, name);
  });
  reread("run.json", [&](Text text, Name name) {
    data_.stores.clear();
    data_.facts.clear();
    info_notes_.clear();
    RunData told;
    if (text != nullptr) parse_run_info(*text, name, told);
    data_.stores = std::move(told.stores);
    data_.facts = std::move(told.facts);
    info_notes_ = std::move(told.notes);
  });
  reread("curves.json", [&](Text text, Name name) {
    data_.curves.reset();
    if (text != nullptr) data_.curves = parse_curves(*text, name);
  });
}

bool RunTail::refresh() {
  changed_ = false;
  look();
  std::vector<std::string> notes = info_notes_;
  if (!status_of(folder_)) {
    notes.push_back("There is no such folder yet.");
  } else if (!status_of(folder_ / "metrics.jsonl")) {
    notes.push_back("There is no metrics.jsonl in it yet.");
  } else if (data_.metrics.empty()) {
    notes.push_back("metrics.jsonl holds no iteration yet.");
  }
  for (const auto& [file, trouble] : troubles_) notes.push_back(trouble);
  changed_ |= notes != data_.notes;
  data_.notes = std::move(notes);
  return changed_;
}

}  // namespace adasample
