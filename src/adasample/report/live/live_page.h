// SPDX-License-Identifier: Apache-2.0
// The page of `watch`: the report's style and script, and a script that puts in place what the server's events bring.
#pragma once

#include <string>
#include <vector>

#include "adasample/report/live/live_view.h"

namespace adasample {

std::string live_page(const std::vector<LivePart>& parts);
std::string live_content_policy();

}  // namespace adasample
