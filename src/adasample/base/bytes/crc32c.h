// SPDX-License-Identifier: Apache-2.0
// CRC-32C (Castagnoli): polynomial 0x1EDC6F41, bits reflected, start and end inverted; "123456789" has 0xE3069283.
#pragma once

#include <cstdint>
#include <string_view>

namespace adasample {

uint32_t crc32c(std::string_view bytes);

}  // namespace adasample
