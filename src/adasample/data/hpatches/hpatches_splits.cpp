// SPDX-License-Identifier: Apache-2.0
#include "adasample/data/hpatches/hpatches_splits.h"

#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "adasample/base/error.h"
#include "adasample/base/files/file_io.h"
#include "adasample/base/files/inside_folder.h"
#include "adasample/base/json.h"
#include "adasample/base/text.h"
#include "adasample/data/hpatches/hpatches_sequences.h"

namespace adasample {
namespace {

// clang-format off
constexpr struct { const char *name, *test, *train; } kNamedSplits[] = {
    {"a",
    "i_ajuntament i_resort i_table i_troulos i_bologna i_lionnight i_porta i_zion i_brooklyn i_fruits i_books "
    "i_bridger i_whitebuilding i_kurhaus i_salon i_autannes i_tools i_santuario i_fog i_nijmegen v_courses "
    "v_coffeehouse v_abstract v_feast v_woman v_talent v_tabletop v_bees v_strand v_fest v_yard v_underground "
    "v_azzola v_eastsouth v_yuri v_soldiers v_man v_pomegranate v_birdwoman v_busstop",
    "v_there i_yellowtent i_boutique v_wapping i_leuven i_school i_crownnight v_artisans v_colors i_ski v_circus "
    "v_tempera v_london v_war i_parking v_bark v_charing i_indiana v_weapons v_wormhole v_maskedman v_dirtywall "
    "v_wall v_vitro i_nuts i_londonbridge i_pool i_pinard i_greentea v_calder i_lionday i_crownday i_kions v_posters "
    "i_dome v_machines v_laptop v_boat v_churchill i_pencils v_beyus v_sunseason v_samples v_cartooncity v_gardens "
    "v_bip v_home i_veggies i_nescafe v_wounded i_toy v_dogman i_duda i_contruction v_graffiti i_gonnenberg "
    "v_astronautis i_ktirio i_castle i_greenhouse i_fenis i_partyfood v_adam v_apprentices v_blueprint i_smurf "
    "i_objects v_bird i_melon v_grace i_miniature v_bricks i_chestnuts i_village i_steps i_dc"},
    {"b",
    "i_fruits i_melon i_castle i_resort i_chestnuts i_kions i_kurhaus i_autannes i_duda i_partyfood i_ski i_dome "
    "i_greenhouse i_pencils i_porta i_lionday i_school i_bridger i_village i_fog v_astronautis v_bip v_charing "
    "v_woman v_feast v_yard v_churchill v_graffiti v_london v_sunseason v_posters v_bees v_apprentices v_birdwoman "
    "v_colors v_laptop v_there v_adam v_underground v_war",
    "v_wormhole i_yellowtent i_boutique v_wapping i_leuven i_pinard i_crownnight v_artisans i_toy v_circus v_tempera "
    "i_lionnight i_parking v_soldiers i_contruction i_whitebuilding i_indiana v_azzola v_weapons v_fest v_yuri "
    "v_dirtywall v_eastsouth v_man v_wall v_vitro i_nuts i_londonbridge i_pool v_tabletop i_greentea i_brooklyn "
    "i_smurf v_cartooncity v_wounded v_calder v_coffeehouse v_grace v_machines i_tools v_boat v_beyus v_strand "
    "i_santuario i_crownday v_bark i_veggies i_nescafe v_maskedman v_abstract v_talent i_books i_table v_courses "
    "i_nijmegen i_salon i_gonnenberg v_samples i_ktirio v_gardens i_zion v_pomegranate i_fenis v_home i_ajuntament "
    "i_objects v_bird v_dogman i_troulos i_miniature v_bricks i_bologna v_busstop v_blueprint i_steps i_dc"},
    {"c",
    "i_ski i_table i_troulos i_melon i_tools i_kions i_londonbridge i_nijmegen i_boutique i_parking i_steps i_fog "
    "i_leuven i_dc i_partyfood i_pool i_castle i_bologna i_smurf i_crownnight v_azzola v_tempera v_machines "
    "v_coffeehouse v_graffiti v_artisans v_maskedman v_talent v_bees v_dirtywall v_blueprint v_war v_adam "
    "v_pomegranate v_busstop v_weapons v_gardens v_feast v_man v_wounded",
    "v_there i_yellowtent i_whitebuilding v_wapping v_laptop i_school v_calder i_duda v_circus i_porta v_home "
    "i_lionnight i_chestnuts v_abstract v_soldiers i_contruction v_charing i_indiana v_strand v_fest v_yuri "
    "v_wormhole v_eastsouth i_autannes v_colors v_wall v_vitro i_nuts i_pinard v_tabletop i_brooklyn i_lionday "
    "i_crownday v_bip v_posters v_underground i_dome v_grace i_ajuntament v_cartooncity v_boat v_churchill i_pencils "
    "v_beyus v_sunseason v_samples i_kurhaus i_santuario i_resort i_zion i_veggies i_nescafe i_toy v_dogman i_books "
    "v_courses v_birdwoman v_yard i_salon i_gonnenberg v_astronautis i_ktirio i_bridger i_greenhouse i_fenis v_woman "
    "v_bricks v_apprentices i_greentea i_objects v_bird v_london i_fruits i_miniature i_village v_bark"},
};
// clang-format on

std::vector<std::string> words(const char* text) {
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
}

// The file has no training lists for these two: what one tests on, the other trains on.
void train_on_each_other(HpatchesSplits& splits) {
  const auto illum = splits.find("illum"), view = splits.find("view");
  if (illum == splits.end() || view == splits.end()) return;
  if (illum->second.train.empty()) illum->second.train = view->second.test;
  if (view->second.train.empty()) view->second.train = illum->second.test;
}

std::vector<std::string> parse_names(const nlohmann::json& list, const std::string& where,
                                     std::set<std::string>& seen) {
  ADA_CHECK(list.is_array(), "[splits] {}: expected a list of sequence names, found {}", where, list.type_name());
  std::vector<std::string> names;
  for (const nlohmann::json& name : list) {
    ADA_CHECK(name.is_string(), "[splits] {}: expected the name of a sequence, found {}", where, name.type_name());
    names.push_back(name.get<std::string>());
    ADA_CHECK(is_inner_name(names.back()), "[splits] {}: expected the name of a sequence, found {}, which leads elsewhere",
              where, shown(names.back()));
    ADA_CHECK(seen.insert(names.back()).second, "[splits] {}: sequence {} is in the split twice", where,
              shown(names.back()));
  }
  return names;
}

}  // namespace

const HpatchesSplits& benchmark_splits() {
  static const HpatchesSplits splits = [] {
    HpatchesSplits made;
    for (const auto& [name, test, train] : kNamedSplits) made[name] = {words(test), words(train)};
    for (const HpatchesCount& sequence : hpatches_release_sequences()) {
      made["full"].test.emplace_back(sequence.name);
      made[sequence.name[0] == 'i' ? "illum" : "view"].test.emplace_back(sequence.name);
    }
    train_on_each_other(made);
    return made;
  }();
  return splits;
}

HpatchesSplits parse_splits(std::string_view text, const std::string& name) {
  const nlohmann::json file = parse_json(text, "[splits] " + name);
  ADA_CHECK(file.is_object() && !file.empty(),
            "[splits] {}: expected an object {{\"split\": {{\"test\": [..], \"train\": [..]}}, ..}}, found {}", name,
            file.is_object() ? "an empty one" : file.type_name());
  HpatchesSplits splits;
  for (const auto& [split, parts] : file.items()) {
    const std::string where = fmt::format("{}: split {}", name, shown(split));
    ADA_CHECK(parts.is_object(), "[splits] {}: expected an object, found {}", where, parts.type_name());
    ADA_CHECK(parts.contains("test"), "[splits] {}: expected a list \"test\", found none", where);
    std::set<std::string> seen;  // train and test share nothing
    splits[split].test = parse_names(parts["test"], where, seen);
    if (parts.contains("train")) splits[split].train = parse_names(parts["train"], where, seen);
  }
  train_on_each_other(splits);
  return splits;
}

HpatchesSplits read_splits(const std::filesystem::path& path) { return parse_splits(read_text(path, kMostJson), path.string()); }

const std::vector<std::string>& split_part(const HpatchesSplits& splits, const std::string& split,
                                           const std::string& part) {
  std::vector<std::string> names, with_train;
  for (const auto& [name, lists] : splits) {
    names.push_back(name);
    if (!lists.train.empty()) with_train.push_back(name);
  }
  const auto found = splits.find(split);
  ADA_USAGE(found != splits.end(), "[splits] there is no split {}, only {}", shown(split), fmt::join(names, ", "));
  if (part == "test") return found->second.test;
  ADA_USAGE(part == "train", "[splits] part = {}, must be train or test", shown(part));
  ADA_USAGE(!found->second.train.empty(), "[splits] split {} has no train part: it is for testing only - train on {}",
            split, with_train.empty() ? "another" : fmt::format("{}", fmt::join(with_train, ", ")));
  return found->second.train;
}

}  // namespace adasample
