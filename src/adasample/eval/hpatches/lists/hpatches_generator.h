// SPDX-License-Identifier: Apache-2.0
// Draws the lists of the HPatches tasks as the benchmark's own generators do, from the same random numbers: one stream
// of numpy's legacy generator (MT19937, seed 42), so that the patch counts of the release give the published files byte
// for byte. A whole number up to m is a 32-bit word masked to the bits of m, drawn anew while it exceeds m.
#pragma once

#include <cstdint>

#include "adasample/eval/hpatches/lists/hpatches_lists.h"

namespace adasample {

struct VerificationDraw {
  int64_t rows = 1'000'000;
  // The published lists never use image 5, and draw the "inter" negatives from all sequences, so that some show the
  // positive's own sequence or even its own patch. Corrected: all images, and a second sequence other than the first.
  bool corrected = false;
};

// Stage after stage over all rows: the sequence; two different patches; two different images out of 0 to 4, or of those
// all sequences have; the sequence and the patch of the "inter" negative. Throws Error when a sequence has one patch or
// no second image, and when there is no second sequence. Takes seconds: every row shuffles all patches of its
// sequence. Ctrl-C throws Error.
VerificationLists draw_verification(const std::vector<SequenceShape>& shapes, const VerificationDraw& draw = {});

// Four times as many draws as there are to be queries, then 200,000 for the distractors. Kept are textured patches (all
// where texture is not known), the first time they come; distractors also if they are no query; the first 10,000 and
// 20,000 of them. Where the set has fewer than 30,000 patches, a third of it are queries. Throws Error when no
// distractor is left.
RetrievalLists draw_retrieval(const std::vector<SequenceShape>& shapes);

}  // namespace adasample
