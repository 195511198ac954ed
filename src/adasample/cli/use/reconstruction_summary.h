// SPDX-License-Identifier: Apache-2.0
// What `adasample reconstruct` shows of a model.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "adasample/cli/context.h"
#include "adasample/data/colmap/colmap_model.h"
#include "adasample/report/reconstruction_page.h"

namespace adasample {

// `models`: that with the most pictures first. A picture that it lacks is told why, as far as the database knows.
ReconstructionPage summarise_reconstruction(const std::string& images, const std::filesystem::path& database,
                                            const std::vector<ColmapModel>& models,
                                            const std::vector<std::string>& commands);

void show_reconstruction(const Context& context, const ReconstructionPage& page, const std::filesystem::path& file,
                         double seconds);

}  // namespace adasample
