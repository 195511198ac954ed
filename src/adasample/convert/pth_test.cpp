// SPDX-License-Identifier: Apache-2.0
// The files in tests/golden/pth are PyTorch's own (tests/python/make_tiny_checkpoints.py).
#include "adasample/convert/pth.h"

#include <gtest/gtest.h>

#include "adasample/base/files/file_io.h"
#include "adasample/convert/zip_archive.h"
#include "adasample/model/random_weights.h"
#include "tests/support/expect_error.h"

namespace adasample {
namespace {

using testing::expect_error;
using Values = std::vector<float>;
using namespace std::string_literals;

std::string golden(const std::string& name) { return read_text(ADASAMPLE_SOURCE_DIR "/tests/golden/pth/" + name); }
Weights parse(const std::string& bytes) { return parse_pth(bytes, "f.pth"); }

template <typename... Parts>
void expect_pth_refused(const std::string& bytes, const Parts&... parts) {
  expect_error([&] { parse(bytes); }, "[pth] f.pth: ", parts...);
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(Pth, ReadsPyTorchsFiles) {
  const NamedArray weight{{2, 3}, {-0.5f, -0.25f, 0.f, 0.25f, 0.5f, 0.75f}}, bias{{2}, {1.5f, -2.f}},
      tracked{{}, {5.f}};
  for (const char* name : {"nested.pth", "nested_old.pth", "bare_protocol4.pth", "deflated.pth"}) {
    const Weights weights = parse(golden(name));
    EXPECT_EQ(weights.arrays.size(), 3u) << name;
    EXPECT_EQ(weights.at("a.weight"), weight) << name;
    EXPECT_EQ(weights.at("a.bias"), bias) << name;
    EXPECT_EQ(weights.at("n.num_batches_tracked"), tracked) << name;
  }
  const Weights half = parse(golden("half.pth"));
  EXPECT_EQ(half.at("h").values, (Values{1.f, -0.5f}));
  EXPECT_EQ(half.at("b").values, Values{3.f});
  EXPECT_EQ(half.at("d").values, Values{0.25f});
  EXPECT_EQ(parse(golden("parameter.pth")).at("p"), (NamedArray{{1, 1}, {2.f}}));
  const Weights views = parse(golden("transposed_old.pth"));
  EXPECT_EQ(views.at("t"), (NamedArray{{4, 3}, {0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11}}));
  EXPECT_EQ(views.at("tail"), (NamedArray{{2, 3}, {12, 14, 16, 18, 20, 22}}));
}

// As PyTorch 0.2 with Python 2 wrote it: pairs in lists, byte strings, _rebuild_tensor, an array that was on a GPU.
TEST(Pth, ReadsTheFormOfPyTorch02) {
  const std::string object =
      "\x80\x02"
      "ccollections\nOrderedDict\n](](U\x01"
      "wctorch._utils\n_rebuild_tensor\n((U\x07storagectorch\n"
      "FloatStorage\nU\x02"
      "47U\x06"
      "cuda:0K\x02NtQK\x00K\x02\x85K\x01\x85tRee\x85R."s;
  const std::string file =
      "\x80\x02\x8a\x0al\xfc\x9c"
      "F\xf9 j\xa8P\x19.\x80\x02M\xe9\x03."s +
      "\x80\x02}U\x0dlittle_endian\x88s."s + object +
      "\x80\x02](U\x02"
      "47e."s +
      "\x02\x00\x00\x00\x00\x00\x00\x00\x00\x00\x80\x3f\x00\x00\x00\xc0"s;
  EXPECT_EQ(parse(file).at("w"), (NamedArray{{2}, {1.f, -2.f}}));
  expect_pth_refused(replaced(file, "K\x02NtQ", "K\x02)tQ"), "view of another");
}

TEST(Pth, TruncatedAnywhere) {
  for (const char* name : {"nested.pth", "nested_old.pth", "deflated.pth", "transposed_old.pth"}) {
    const std::string whole = golden(name);
    for (size_t size = 0; size < whole.size(); ++size) expect_pth_refused(whole.substr(0, size));
  }
  expect_pth_refused(golden("nested_old.pth") + "x", "expected the end, found 1 more");
}

TEST(Pth, DamagedAnywhereIsReadOrRefused) {
  for (const char* name : {"nested.pth", "nested_old.pth"}) {
    const std::string whole = golden(name);
    for (size_t at = 0; at < whole.size(); ++at) {
      std::string damaged = whole;
      damaged[at] = static_cast<char>(damaged[at] ^ 0x41);
      try {
        parse(damaged);
      } catch (const Error& error) {
        EXPECT_NE(error.kind(), Error::Kind::kBug) << error.what();
      }
    }
  }
}

TEST(Pth, ShapesStayInTheirStorage) {
  const std::string old = golden("nested_old.pth");
  const std::string shape = "K\x02K\x03\x86q\x0cK\x03K\x01\x86"s;  // (2, 3), strides (3, 1)
  const auto with = [&](const std::string& other) { return replaced(old, shape, other); };
  expect_pth_refused(with("K\x02K\x04\x86q\x0cK\x03K\x01\x86"s), "a.weight", "6 numbers");
  expect_pth_refused(with("K\x02K\x03\x86q\x0cK\x04K\x01\x86"s), "a.weight", "6 numbers");
  expect_pth_refused(with("K\xffK\x03\x86q\x0cK\x00K\x01\x86"s), "a.weight", "6");
  expect_pth_refused(with("K\x02K\x03\x86q\x0cK\x03K\x01K\x01\x87"s), "2 sizes and 3 strides");
  expect_pth_refused(with("J\xff\xff\xff\xffK\x03\x86q\x0cK\x03K\x01\x86"s), "whole numbers");
  const std::string large = "\x8a\x08\xff\xff\xff\xff\xff\xff\xff\x7f"s;
  expect_pth_refused(with(large + large + "\x86q\x0c"s + large + large + "\x86"), "beyond its storage");
  expect_pth_refused(with("NN\x86q\x0cK\x03K\x01\x86"s), "whole numbers");
}

TEST(Pth, StoragesAreThereOnceAndWhole) {
  const std::string old = golden("nested_old.pth");
  expect_pth_refused(replaced(old, "\x06\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\xbf"s,
                              "\x07\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\xbf"s),
                     "expected 6 numbers, found 7");
  expect_pth_refused(replaced(old, "FloatStorage", "DoubleStorage"), "storage", "numbers, found");
  expect_pth_refused(replaced(old, "FloatStorage", "ByteStorage"), "refuses to run", "torch.ByteStorage");
  expect_pth_refused(replaced(old, "storage", "garbage"), "persistent id");
  std::string renamed = golden("nested.pth");
  renamed[renamed.rfind("/data/1") + 6] = '7';  // in the directory
  expect_pth_refused(renamed, "/data/1'");
}

TEST(Pth, SaysWhatItIsNot) {
  expect_pth_refused("", "torch.save");
  expect_pth_refused("not a checkpoint", "torch.save");
  expect_pth_refused("\x80\x02K\x01."s, "another pickle");
  expect_pth_refused(replaced(golden("nested_old.pth"), "M\xe9\x03.", "M\xe8\x03."), "protocol 1001");
  expect_pth_refused(replaced(golden("nested_old.pth"), "little_endianq\x02\x88", "little_endianq\x02\x89"),
                     "big-endian");
  const auto zipped = [](const std::string& pickle, const std::string& more = "version") {
    ZipWriter zip;
    zip.add("a/data.pkl", "\x80\x02" + pickle);
    zip.add("a/" + more, "3");
    return std::move(zip).finish();
  };
  expect_pth_refused(zipped("}."), "empty");
  expect_pth_refused(zipped("]."), "dict of tensors");
  expect_pth_refused(zipped("K\x01."), "dict of tensors");
  expect_pth_refused(zipped("}U\x01kK\x01s."), "'k'");
  expect_pth_refused(zipped("}K\x01K\x01s."), "names and tensors");
  expect_pth_refused(zipped("}.", "constants.pkl"), "TorchScript");
  expect_pth_refused(zipped("}.", "byteorder"), "big-endian");
  expect_pth_refused(zipped("cos\nsystem\n."), "os.system");
  ZipWriter other;
  other.add("word/document.xml", "<xml>");
  expect_pth_refused(std::move(other).finish(), "data.pkl", "torch.save");
}

TEST(Pth, WritesWhatItReads) {
  const Weights weights = random_weights(l2net(), 3);
  const Weights again = parse(format_pth(weights));
  EXPECT_EQ(again.arrays.size(), 28u) << "seven layers of weight, mean, variance and counter";
  for (const auto& [name, array] : weights.arrays) EXPECT_EQ(again.at(name), array) << name;
  EXPECT_EQ(again.at("features.1.num_batches_tracked"), (NamedArray{{}, {0.f}}));
  EXPECT_EQ(format_pth(weights), format_pth(weights)) << "no clock, no address";
  Weights other = weights;
  other.arrays.erase("features.0.weight");
  expect_error([&] { format_pth(other); }, "features.0.weight");
}

// Nothing is in it, however large the other extents.
TEST(Pth, EmptyArraysOfAnyShape) {
  Weights weights;
  weights.arrays["e"] = {{0, int64_t{1} << 62, int64_t{1} << 62}, {}};
  weights.arrays["f"] = {{2, 0}, {}};
  EXPECT_EQ(parse(format_state_dict(weights)).arrays, weights.arrays);
}

TEST(Pth, TheHeaderOfAnOldFileIsShort) {
  expect_pth_refused("\x80\x02" + std::string(2000, 'N') + ".", "more than 1000 pickle opcodes");
}

}  // namespace
}  // namespace adasample
