// SPDX-License-Identifier: Apache-2.0
// Foreign text and pictures inside an HTML page.
#pragma once

#include <string>
#include <string_view>

#include "adasample/image/image.h"

namespace adasample {

// As text or inside a quoted attribute: & < > " ' become references, bytes that are no UTF-8 and control characters
// other than tab and newline become U+FFFD.
std::string escaped(std::string_view text);

// A grey picture as a PNG in a data: address.
std::string picture_uri(const ByteImage& image);

// A figure for people: six digits at most, "-" where it is not finite.
std::string figure(double value);
// Whole numbers with narrow spaces between thousands: 25 856.
std::string grouped(int64_t value);
std::string percent(double share);

// As a browser computes it of what stands between two tags, for a page's policy: nothing else on the page is obeyed.
std::string content_hash(const std::string& text);

}  // namespace adasample
