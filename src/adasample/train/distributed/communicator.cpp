// SPDX-License-Identifier: Apache-2.0
#include "adasample/train/distributed/communicator.h"

#include <algorithm>
#include <cstring>

namespace adasample {
namespace {

class SingleProcess : public Communicator {
 public:
  int rank() const override { return 0; }
  int size() const override { return 1; }
  std::string place_of(int) const override { return "this process"; }
  void all_gather(const void* mine, size_t bytes, void* all) override {
    if (bytes > 0) std::memmove(all, mine, bytes);
  }
  void add(double*, size_t) override {}
  void start_add(float*, size_t) override {}
  void wait() override {}
  void broadcast(void*, size_t) override {}
  double waited() const override { return 0; }
  int64_t sent() const override { return 0; }
  void tell(const Error&) override {}
};

}  // namespace

std::unique_ptr<Communicator> make_single_process() { return std::make_unique<SingleProcess>(); }

std::vector<std::string> gather_texts(Communicator& ranks, const std::string& mine) {
  const auto size = static_cast<size_t>(ranks.size());
  const uint64_t length = mine.size();
  std::vector<uint64_t> lengths(size);
  ranks.all_gather(&length, sizeof(length), lengths.data());
  const uint64_t longest = *std::max_element(lengths.begin(), lengths.end());
  std::string padded = mine, all(size * longest, '\0');
  padded.resize(longest);
  ranks.all_gather(padded.data(), longest, all.data());
  std::vector<std::string> texts;
  for (size_t r = 0; r < size; ++r) texts.push_back(all.substr(r * longest, lengths[r]));
  return texts;
}

std::string broadcast_text(Communicator& ranks, std::string text) {
  uint64_t length = text.size();
  ranks.broadcast(&length, sizeof(length));
  text.resize(length);
  ranks.broadcast(text.data(), length);
  return text;
}

}  // namespace adasample
