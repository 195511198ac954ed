// SPDX-License-Identifier: Apache-2.0
// JSON from elsewhere. The parser itself takes any depth, but copying, comparing and writing such a value again recurse
// and would overflow the stack: so depth is bounded before it is parsed.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace adasample {

inline constexpr int kMostDepth = 64;

// Whether brackets are nested more deeply than `most`; what is in strings does not count.
bool is_too_deep(std::string_view text, int most = kMostDepth);
// Members of all objects together, so many colons. An ordered_json looks through all members for each new one, so
// whoever makes one of foreign text bounds this first.
size_t member_count(std::string_view text);
// The first key that an object holds twice; nothing where there is none, or where the text is no JSON. A callback of
// the parser would be called for as much, but with one the parser looks through all of a list after each entry.
std::optional<std::string> repeated_key(std::string_view text);

// Nothing where it is no JSON, or too deep.
std::optional<nlohmann::json> try_parse_json(std::string_view text);
std::optional<nlohmann::json> try_parse_cbor(std::string_view bytes);

// Throw Error "LABEL: expected JSON, ..": LABEL is what a message begins with, as a rule "[module] file".
nlohmann::json parse_json(std::string_view text, const std::string& label);
nlohmann::json read_json(const std::filesystem::path& path, const std::string& module);  // of kMostJson bytes at most

}  // namespace adasample
