// SPDX-License-Identifier: Apache-2.0
#include "adasample/report/reconstruction_page.h"

#include <gtest/gtest.h>

namespace adasample {
namespace {

ReconstructionPage two_of_three() {
  ReconstructionPage page{.title = "Reconstruction of <photos>",
                          .pictures = {},
                          .inliers = {0, 90, 0, 90, 0, 0, 0, 0, 0},
                          .positions = {{0, 0, 5}, {1, 0, 5}, {0, 1, 6}, {1, 1, 7}},
                          .observations = 9,
                          .error = 0.25,
                          .other_models = {"2 pictures, 7 points"},
                          .commands = {"colmap mapper --output_path 'a & b'"}};
  for (const char* name : {"a.jpg", "b.jpg", "<c>.jpg"}) {
    ReconstructedPicture picture;
    picture.name = name;
    picture.keypoints = 1234;
    picture.registered = page.pictures.size() < 2;
    picture.centre = {static_cast<double>(page.pictures.size()), 0, 0};
    picture.forward = {0, 0, 1};
    picture.why = picture.registered ? "" : "no verified match with any other picture";
    page.pictures.push_back(picture);
  }
  return page;
}

bool holds(const std::string& html, const std::string& part) { return html.find(part) != std::string::npos; }

TEST(ReconstructionPage, SaysWhatIsThereAndWhatIsNot) {
  const std::string html = reconstruction_html(two_of_three());
  for (const char* part :
       {"2 of 3", "<td>2.25</td>", "0.250", "a.jpg and b.jpg: 90", "no verified match with any other picture",
        "2 pictures, 7 points", "1\u202f234", "Content-Security-Policy"}) {
    EXPECT_TRUE(holds(html, part)) << part;
  }
  EXPECT_FALSE(holds(html, "<photos>") || holds(html, "<c>") || holds(html, "a & b")) << "names are text";
  EXPECT_FALSE(holds(html, "script"));
  EXPECT_FALSE(holds(html, "nan"));
}

TEST(ReconstructionPage, NothingRegistered) {
  ReconstructionPage page = two_of_three();
  for (ReconstructedPicture& picture : page.pictures) picture.registered = false;
  page.positions.clear();
  page.observations = 0;
  const std::string html = reconstruction_html(page);
  EXPECT_TRUE(holds(html, "0 of 3"));
  EXPECT_FALSE(holds(html, "Cameras and points"));
  EXPECT_FALSE(holds(html, "nan"));
}

}  // namespace
}  // namespace adasample
