// SPDX-License-Identifier: Apache-2.0
#include "adasample/convert/pickle.h"

#include <gtest/gtest.h>

#include "tests/support/expect_error.h"

namespace adasample {
namespace {

using testing::expect_error;
using Kind = PickleValue::Kind;

// A pickle by hand: its bytes outlive what was read.
struct Read {
  explicit Read(std::string made) : bytes(std::move(made)), cursor(bytes, "[pth] f"), pickle(cursor) {}
  const PickleValue& root() const { return pickle.root(); }
  std::string bytes;
  ByteCursor cursor;
  Pickle pickle;
};

template <typename... Parts>
void expect_pickle_refused(const std::string& bytes, const Parts&... parts) {
  expect_error([&] { Read{bytes}; }, "[pth] f: ", parts...);
}

using namespace std::string_literals;

TEST(Pickle, Values) {
  EXPECT_EQ(Read("\x80\x02N."s).root().kind, Kind::kNone);
  EXPECT_EQ(Read("\x88."s).root().integer, 1);
  EXPECT_EQ(Read("K\xff."s).root().integer, 255);
  EXPECT_EQ(Read("M\x01\x02."s).root().integer, 513);
  EXPECT_EQ(Read("J\xfe\xff\xff\xff."s).root().integer, -2);
  EXPECT_EQ(Read("\x8a\x00."s).root().integer, 0);
  EXPECT_EQ(Read("\x8a\x01\xff."s).root().integer, -1);
  EXPECT_EQ(Read("\x8a\x05\x00\x00\x00\x00\x01."s).root().integer, int64_t{1} << 32);
  EXPECT_EQ(Read("\x8a\x09"
                 "123456789."s)
                .root()
                .text,
            "123456789");
  EXPECT_TRUE(Read("U\x02hi."s).root().is("hi"));
  EXPECT_TRUE(Read("X\x02\x00\x00\x00hi."s).root().is("hi"));
  EXPECT_EQ(Read("K\x01K\x02K\x03\x87."s).root().items[2]->integer, 3);
  EXPECT_EQ(Read("](K\x01K\x02"
                 "eK\x03"
                 "a."s)
                .root()
                .items.size(),
            3u);
}

TEST(Pickle, DictsAndMemo) {
  const Read nested(
      "}q\x05(U\x01"
      "aK\x01U\x01"
      "ah\x05u."s);
  EXPECT_EQ(nested.root().find("a"), &nested.root()) << "the last one counts, and a dict may hold itself";
  EXPECT_EQ(nested.root().find("b"), nullptr);
  const Read ordered("ccollections\nOrderedDict\n)RU\x01kK\x07s}U\x09_metadataNsb."s);
  EXPECT_EQ(ordered.root().find("k")->integer, 7);
  const Read python2(
      "ccollections\nOrderedDict\n](](U\x01kK\x07"
      "e"
      "](U\x01lK\x08"
      "ee\x85R."s);
  EXPECT_EQ(python2.root().find("k")->integer, 7);
  EXPECT_EQ(python2.root().find("l")->integer, 8);
  const Read four(
      "\x80\x04\x95\x00\x00\x00\x00\x00\x00\x00\x00\x8c\x0b"
      "collections\x94\x8c\x0bOrderedDict\x94\x93\x94)R\x94."s);
  EXPECT_EQ(four.root().kind, Kind::kDict);
}

TEST(Pickle, RunsNothing) {
  expect_pickle_refused("cos\nsystem\n(U\x04true\x85R."s, "refuses to run", "os.system");
  expect_pickle_refused("cbuiltins\neval\n."s, "builtins.eval");
  expect_pickle_refused("\x80\x04\x8c\x02os\x8c\x06system\x93."s, "os.system");
  expect_pickle_refused("c\x1b[31m\nred\n."s, "refuses to run '?[31m.red'");
  for (const char opcode : {'i', 'o', 'P', '\x81', '\x82', '\x92', 'B', 'C', '\x8f', 'I', 'L', 'V', 'S', 'd', '2'}) {
    expect_pickle_refused(std::string(1, opcode) + "os\nsystem\n.",
                          fmt::format("opcode 0x{:02x}", static_cast<uint8_t>(opcode)));
  }
  expect_pickle_refused("ctorch\nFloatStorage\n)R."s, "torch.FloatStorage", "0 arguments");
  expect_pickle_refused("K\x01)R."s, "call");
  expect_pickle_refused("ccollections\nOrderedDict\nK\x01R."s, "without arguments");
  expect_pickle_refused("ctorch._utils\n_rebuild_tensor_v2\n)R."s, "0 arguments");
  expect_pickle_refused("ctorch._utils\n_rebuild_parameter\n(K\x01K\x01K\x01tR."s, "3 arguments");
  expect_pickle_refused("K\x01Nb."s, "no dict");
  expect_pickle_refused("U\x01xQ."s, "persistent id");
}

TEST(Pickle, BrokenStacks) {
  for (const std::string& bytes : {"."s, "0."s, "a."s,
                                   "K\x01"
                                   "a."s,
                                   "t."s, "(."s, "K\x01\x86."s, "K\x01(\x85."s, "h\x00."s, "q\x00."s, "}K\x01u."s,
                                   "}(K\x01u."s, "](K\x01u."s, "R."s, "b."s, "Q."s, "K\x01K\x02\x93."s}) {
    SCOPED_TRACE(bytes);
    expect_pickle_refused(bytes, "byte");
  }
  expect_pickle_refused("\x80\x01N."s, "protocol 2 to 5, found 1");
  expect_pickle_refused("", "truncated");
  expect_pickle_refused("X\xff\xff\xff\xffhi.", "truncated");
  expect_pickle_refused("cos", "line has no end");
}

TEST(Pickle, StaysSmallAndShallow) {
  const size_t deep = 500'000;
  EXPECT_EQ(Read(")" + std::string(deep, '\x85') + ".").root().items.size(), 1u) << "half a million tuples in tuples";
  std::string many(Pickle::kMostSteps + 2, 'N');
  many.back() = '.';
  expect_pickle_refused(many, "1048576");
  // A list of 60,000 pairs, made into a dict again and again.
  std::string again = "](U\x01xK\x01\x86q\x00"s;
  for (int i = 0; i < 60'000; ++i) again += "h\x00"s;
  again += "e\x85q\x01"s;
  for (int i = 0; i < 1000; ++i) again += "ccollections\nOrderedDict\nh\x01R"s;
  expect_pickle_refused(again + ".", "1048576");
}

}  // namespace
}  // namespace adasample
