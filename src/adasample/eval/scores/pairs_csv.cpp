// SPDX-License-Identifier: Apache-2.0
#include "adasample/eval/scores/pairs_csv.h"

#include <algorithm>

#include "adasample/base/error.h"
#include "adasample/base/files/file_io.h"
#include "adasample/base/text.h"

namespace adasample {

LabelledDistances parse_pairs_csv(std::string_view text, const std::string& label) {
  LabelledDistances pairs;
  TextReader reader(text, "pairs", label);
  while (reader.next()) {
    const auto& fields = reader.fields(',');
    if (reader.line_number() == 1 && fields.size() == 2 && fields[0] == "label" && fields[1] == "distance") continue;

    if (fields.size() != 2) reader.fail("'label,distance'", shown(reader.line()));
    if (fields[0] != "0" && fields[0] != "1") reader.fail("the label 0 or 1", shown(fields[0]));
    pairs.labels.push_back(fields[0] == "1" ? 1 : 0);
    pairs.distances.push_back(reader.number<double>(1, "a finite distance"));
  }
  ADA_CHECK(!pairs.labels.empty(), "[pairs] {}: expected lines 'label,distance', found none", label);
  for (const uint8_t kind : {1, 0}) {
    ADA_CHECK(std::count(pairs.labels.begin(), pairs.labels.end(), kind) > 0,
              "[pairs] {}: no pair of label {} among {}; both kinds are needed", label, kind, pairs.labels.size());
  }
  return pairs;
}

LabelledDistances read_pairs_csv(const std::filesystem::path& path) {
  return parse_pairs_csv(read_text(path), path.string());
}

}  // namespace adasample
