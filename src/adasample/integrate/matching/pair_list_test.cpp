// SPDX-License-Identifier: Apache-2.0
#include "adasample/integrate/matching/pair_list.h"

#include <gtest/gtest.h>

#include <set>

#include "tests/support/expect_error.h"

namespace adasample {
namespace {

const std::vector<std::string> kNames = {"a.jpg", "b.jpg", "c/d.png"};
using Pairs = std::vector<ImagePair>;

TEST(PairList, NamesInPairs) {
  const PairList list = parse_pair_list(
      "# of hloc\nb.jpg a.jpg\n\nc/d.png\ta.jpg\na.jpg b.jpg\na.jpg a.jpg\na.jpg x.jpg\ny z\n", "p", kNames);
  EXPECT_EQ(list.pairs, (Pairs{{0, 1}, {0, 2}})) << "each once, in order, none with itself";
  EXPECT_EQ(list.unknown, (std::vector<std::string>{"x.jpg", "y", "z"}));
  EXPECT_EQ(format_pair_list(list.pairs, kNames), "a.jpg b.jpg\na.jpg c/d.png\n");
  testing::expect_error([] { parse_pair_list("a.jpg b.jpg\na.jpg\n", "p.txt", kNames); },
                        "[pairs] p.txt:2: expected the names of two pictures, found 1 words");
}

TEST(PairList, NamesWithBlanksAreSeparatedByTabs) {
  const std::vector<std::string> names = {"my first.jpg", "b.jpg"};
  EXPECT_EQ(format_pair_list({{0, 1}}, names), "my first.jpg\tb.jpg\n");
  EXPECT_EQ(parse_pair_list("my first.jpg\tb.jpg\n", "p", names).pairs, (Pairs{{0, 1}}));
}

TEST(PairList, AllAndSequential) {
  EXPECT_EQ(all_pairs(3), (Pairs{{0, 1}, {0, 2}, {1, 2}}));
  EXPECT_EQ(sequential_pairs(4, 2), (Pairs{{0, 1}, {0, 2}, {1, 2}, {1, 3}, {2, 3}}));
  EXPECT_TRUE(all_pairs(1).empty());
}

TEST(PairList, AWalkNeedsFewPicturesAtOnce) {
  Pairs pairs = all_pairs(40);
  order_for_few(pairs, 5);
  EXPECT_EQ(pairs.size(), 780u);
  std::set<uint32_t> of_block;
  std::pair<uint32_t, uint32_t> block = {0, 0};
  for (const ImagePair& pair : pairs) {
    const std::pair now(pair.first / 5, pair.second / 5);
    if (now != block) of_block.clear();
    block = now;
    of_block.insert({pair.first, pair.second});
    EXPECT_LE(of_block.size(), 10u);
  }
}

}  // namespace
}  // namespace adasample
