// SPDX-License-Identifier: Apache-2.0
#include "adasample/report/html.h"

#include <gtest/gtest.h>

#include <cmath>

#include "adasample/base/bytes/base64.h"
#include "adasample/image/files/png.h"

namespace adasample {
namespace {

TEST(Html, NothingForeignIsMarkup) {
  EXPECT_EQ(escaped("<a href=\"x\" title='y'>&amp;"), "&lt;a href=&quot;x&quot; title=&#39;y&#39;&gt;&amp;amp;");
  EXPECT_EQ(escaped("tab\tline\n"), "tab\tline\n");
  EXPECT_EQ(escaped(std::string_view("a\0b\x1b", 4)),
            "a\xef\xbf\xbd"
            "b\xef\xbf\xbd");
  EXPECT_EQ(escaped("\xff<"), "\xef\xbf\xbd&lt;");
  EXPECT_EQ(escaped("gr\xc3\xbc\xc3\x9f"), "gr\xc3\xbc\xc3\x9f");
}

TEST(Html, PictureComesBack) {
  const ByteImage image{3, 2, {0, 50, 100, 150, 200, 255}};
  const std::string uri = picture_uri(image), prefix = "data:image/png;base64,";
  ASSERT_TRUE(uri.starts_with(prefix));
  const auto file = base64_decode(uri.substr(prefix.size()));
  ASSERT_TRUE(file);
  EXPECT_EQ(parse_png(*file, "uri").pixels, image.pixels);
}

TEST(Html, Figures) {
  EXPECT_EQ(figure(0.1234567), "0.123457");
  EXPECT_EQ(figure(NAN), "-");
  EXPECT_EQ(figure(INFINITY), "-");
  EXPECT_EQ(grouped(7), "7");
  EXPECT_EQ(grouped(25856), "25\u202f856");
  EXPECT_EQ(grouped(-1234567), "-1\u202f234\u202f567");
  EXPECT_EQ(grouped(-123), "-123");
  EXPECT_EQ(percent(0.0595), "5.95\u202f%");
  EXPECT_EQ(percent(NAN), "-");
}

}  // namespace
}  // namespace adasample
