// SPDX-License-Identifier: Apache-2.0
#include "adasample/data/hpatches/hpatches_sequences.h"

namespace adasample {
namespace {

constexpr HpatchesCount kSequences[] = {
    {"i_crownnight", 1962, 1962},  {"i_table", 2000, 2000},
    {"i_objects", 2000, 2000},     {"i_nescafe", 851, 851},
    {"i_nijmegen", 1999, 1999},    {"i_whitebuilding", 1950, 1950},
    {"i_porta", 409, 409},         {"i_santuario", 1710, 1710},
    {"i_dc", 1983, 1983},          {"i_castle", 613, 613},
    {"i_steps", 815, 815},         {"i_contruction", 1994, 1994},
    {"i_melon", 555, 555},         {"i_yellowtent", 869, 871},
    {"i_miniature", 881, 883},     {"i_troulos", 298, 298},
    {"i_veggies", 1194, 1194},     {"i_zion", 2000, 2000},
    {"i_gonnenberg", 552, 552},    {"i_autannes", 1091, 1091},
    {"i_boutique", 1025, 1025},    {"i_fruits", 636, 636},
    {"i_pool", 767, 767},          {"i_fog", 726, 726},
    {"i_fenis", 547, 548},         {"i_village", 675, 675},
    {"i_ajuntament", 853, 853},    {"i_partyfood", 723, 723},
    {"i_kurhaus", 1995, 1995},     {"i_school", 515, 515},
    {"i_chestnuts", 901, 901},     {"i_smurf", 1387, 1387},
    {"i_indiana", 1997, 2000},     {"i_pinard", 506, 506},
    {"i_lionnight", 471, 471},     {"i_kions", 710, 710},
    {"i_ski", 623, 623},           {"i_greenhouse", 880, 880},
    {"i_ktirio", 528, 528},        {"i_tools", 1002, 1002},
    {"i_toy", 785, 786},           {"i_bridger", 1983, 1983},
    {"i_lionday", 714, 714},       {"i_brooklyn", 1998, 1998},
    {"i_crownday", 1857, 1859},    {"i_londonbridge", 1772, 1772},
    {"i_greentea", 1060, 1061},    {"i_leuven", 596, 596},
    {"i_nuts", 784, 786},          {"i_resort", 1682, 1682},
    {"i_bologna", 345, 345},       {"i_duda", 815, 815},
    {"i_dome", 1706, 1706},        {"i_pencils", 1995, 1995},
    {"i_books", 474, 474},         {"i_parking", 487, 487},
    {"i_salon", 1102, 1102},       {"v_circus", 1907, 1908},
    {"v_charing", 528, 528},       {"v_colors", 258, 258},
    {"v_astronautis", 1955, 1955}, {"v_maskedman", 1072, 1072},
    {"v_talent", 1997, 1997},      {"v_london", 1999, 1999},
    {"v_underground", 1592, 1592}, {"v_coffeehouse", 1998, 1998},
    {"v_calder", 1924, 1926},      {"v_grace", 1599, 1603},
    {"v_yard", 1617, 1617},        {"v_dogman", 590, 593},
    {"v_laptop", 790, 790},        {"v_eastsouth", 1646, 1646},
    {"v_boat", 1523, 1527},        {"v_strand", 1816, 1816},
    {"v_busstop", 2000, 2000},     {"v_artisans", 1999, 1999},
    {"v_machines", 1969, 1969},    {"v_soldiers", 1530, 1530},
    {"v_home", 1597, 1608},        {"v_wapping", 2000, 2000},
    {"v_wounded", 927, 927},       {"v_weapons", 1466, 1466},
    {"v_adam", 764, 764},          {"v_there", 944, 944},
    {"v_vitro", 1464, 1464},       {"v_cartooncity", 1620, 1623},
    {"v_abstract", 1891, 1891},    {"v_dirtywall", 2000, 2000},
    {"v_beyus", 1538, 1539},       {"v_apprentices", 1993, 1993},
    {"v_sunseason", 1998, 1998},   {"v_wall", 1777, 1778},
    {"v_war", 1991, 1991},         {"v_bricks", 1997, 2000},
    {"v_fest", 1810, 1810},        {"v_churchill", 1241, 1241},
    {"v_blueprint", 1997, 1997},   {"v_tempera", 1407, 1407},
    {"v_samples", 1995, 1999},     {"v_man", 1657, 1657},
    {"v_bees", 1991, 1991},        {"v_pomegranate", 1995, 1995},
    {"v_bip", 1322, 1322},         {"v_feast", 2000, 2000},
    {"v_azzola", 2000, 2000},      {"v_woman", 1049, 1049},
    {"v_yuri", 713, 713},          {"v_posters", 1999, 1999},
    {"v_bird", 1272, 1274},        {"v_graffiti", 1123, 1123},
    {"v_bark", 1173, 1175},        {"v_wormhole", 1097, 1097},
    {"v_tabletop", 2000, 2000},    {"v_courses", 1506, 1506},
    {"v_birdwoman", 2000, 2000},   {"v_gardens", 1964, 1964},
};

}  // namespace

std::span<const HpatchesCount> hpatches_release_sequences() { return kSequences; }

}  // namespace adasample
