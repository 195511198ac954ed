// SPDX-License-Identifier: Apache-2.0
#include "adasample/train/run/methods.h"

#include <fmt/ranges.h>

#include "adasample/base/error.h"
#include "adasample/base/text.h"
#include "adasample/model/network.h"

namespace adasample {
namespace {

using Settings = std::vector<std::pair<std::string, std::string>>;

// Uniform positives that count alike, no warm-up: what every other method of the field takes for granted.
Settings uniform_and(const Settings& more) {
  Settings all = {{"sampler", "random"}, {"weights", "none"}, {"warmup", "0"}, {"ramp", "0"}};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

Settings hardnet_and(const Settings& more) {
  Settings all = uniform_and({{"loss", "hardnet"},
                              {"negatives", "cross"},
                              {"batch", "1024"},
                              {"pairs", "5000000"},
                              {"epochs", "10"},
                              {"lr", "10"},
                              {"momentum", "0.9"},
                              {"dampening", "0.9"},
                              {"separate-bn", "true"}});
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

std::vector<Method> all_methods() {
  return {
      {"robust",
       "L = max(0, t + d_pos^2 - d_neg^2), angles; positives with p ~ d^(lambda / L_avg)",
       "AdaSample (Zhang et al.) with what keeps it from collapsing: docs/training.md",
       {},
       ""},
      {"paper", "the same; each pair weighted by 1/d, negatives of Eq. 14", "AdaSample (Zhang et al.)", {}, ""},
      {"oracle",
       "as robust; positives with p ~ |grad L| over all weights (Eq. 7), measured for every candidate",
       "AdaSample without its approximation (Eq. 22 to 24)",
       {{"informativeness", "gradient"}, {"alpha", "1"}},
       "one backward pass per candidate: for studies, not for training"},
      {"hardnet", "L = max(0, 1 + d_pos - d_neg), closest cross negative", "HardNet (Mishchuk et al., NIPS 2017)",
       hardnet_and({}), "flips add quarter turns"},
      {"gor", "HardNet's + mean(a.p')^2 + max(0, mean((a.p')^2) - 1/D) over pairs of different points",
       "GOR (Zhang et al., ICCV 2017)", hardnet_and({{"terms", "gor=1"}}),
       "published with a random negative per anchor; here every pair of the batch counts"},
      {"sosnet", "L = max(0, 1 + d_pos - d_neg)^2 + second-order similarity of 8 neighbours",
       "SOSNet (Tian et al., CVPR 2019)",
       uniform_and({{"network", "sosnet"},
                    {"loss", "sosnet"},
                    {"terms", "sos=1"},
                    {"negatives", "all"},
                    {"batch", "512"},
                    {"dropout", "0.1"},
                    {"separate-bn", "true"},
                    {"optimiser", "adam"},
                    {"lr", "0.01"}}),
       "length and schedule are ours"},
      {"dynamic-margin", "L = CDF(d_pos - d_neg) (d_pos - d_neg), the CDF of recent batches",
       "dynamic soft margin (Zhang, Rusinkiewicz, ICCV 2019)",
       uniform_and({{"loss", "dynamic-margin"}, {"batch", "1024"}}), "learning rate and schedule are ours"},
      {"hynet", "L = max(0, 1.2 + h(d_pos) - h(d_neg)), h(d) = d + d^2; + 0.1 (|y| - |y+|)^2",
       "HyNet (Tian et al., NeurIPS 2020)",
       uniform_and({{"network", "hynet"},
                    {"loss", "hynet"},
                    {"margin", "1.2"},
                    {"negatives", "all"},
                    {"batch", "1024"},
                    {"separate-bn", "true"},
                    {"optimiser", "adam"},
                    {"lr", "0.01"}}),
       "length and schedule are ours; means in place of sums"},
      {"l2net", "L = -1/2 (log softmax of rows + of columns of 2 - d); + correlations^2 + the same of two layers' maps",
       "L2-Net (Tian et al., CVPR 2017)",
       uniform_and({{"loss", "l2net"}, {"batch", "256"}, {"lr", "1"}, {"momentum", "0.9"}, {"dropout", "0"}}),
       "maps are scaled to unit length; one matching pair in n, as the batch is"},
      {"cs-l2net", "L2-Net's for two towers: the patch at half its size, and its middle; needs 64x64 patches",
       "L2-Net (Tian et al., CVPR 2017)",
       uniform_and({{"network", "cs-l2net"},
                    {"loss", "l2net"},
                    {"batch", "256"},
                    {"lr", "1"},
                    {"momentum", "0.9"},
                    {"dropout", "0"}}),
       "both towers learn together"},
      {"tfeat", "L = max(0, 1 + d_pos - d_neg), random negative, anchor swap", "TFeat (Balntas et al., BMVC 2016)",
       uniform_and({{"network", "tfeat"}, {"loss", "tfeat"}, {"batch", "128"}, {"lr", "0.1"}, {"momentum", "0.9"}}),
       ""},
      {"tfeat-ratio", "L = 2 sigmoid(d_pos - d_neg)^2, random negative, anchor swap",
       "TFeat (Balntas et al., BMVC 2016)",
       uniform_and(
           {{"network", "tfeat"}, {"loss", "tfeat-ratio"}, {"batch", "128"}, {"lr", "0.1"}, {"momentum", "0.9"}}),
       ""},
      {"deepdesc", "d of matching pairs, max(0, 4 - d) of others; the hardest eighth; needs 64x64 patches",
       "DeepDesc (Simo-Serra et al., ICCV 2015)",
       uniform_and({{"network", "deepdesc"},
                    {"loss", "deepdesc"},
                    {"margin", "4"},
                    {"batch", "1024"},
                    {"lr", "0.01"},
                    {"momentum", "0.9"}}),
       "every channel connected, no subtractive norm"},
      {"doap", "L = 1 - average precision of each patch's ranking of all others, 4 patches a class",
       "DOAP (He et al., CVPR 2018)",
       uniform_and({{"loss", "doap"}, {"members", "4"}, {"batch", "256"}, {"lr", "10"}, {"momentum", "0.9"}}),
       "no spatial transformer"},
      {"matchnet",
       "L = -1/2 (log P(a, p) + log(1 - P(a, p'))), P learned: full connections of two descriptors; needs 64x64 "
       "patches",
       "MatchNet (Han et al., CVPR 2015)",
       uniform_and(
           {{"network", "matchnet"}, {"loss", "matchnet"}, {"batch", "32"}, {"lr", "0.01"}, {"momentum", "0.9"}}),
       "no bottleneck; 4,096 numbers that are compared by the metric alone"},
      {"semi-hard", "L = max(0, 1 + d_pos^2 - d_neg^2), the closest negative beyond the positive",
       "FaceNet (Schroff et al., CVPR 2015)", uniform_and({{"loss", "ht"}, {"mining", "semi-hard"}}),
       "margin 1 and our network"},
      {"distance-weighted", "the same, negatives drawn with p ~ 1/q(d)", "Wu et al., ICCV 2017",
       uniform_and({{"loss", "ht"}, {"mining", "distance-weighted"}}),
       "their margin loss is not: this is the draw alone"},
  };
}

double number(const Method& method, const std::string& option, double usual) {
  double value = usual;
  const std::string text = method.setting(option, "");
  ADA_ASSERT(text.empty() || parse_number(text, value));
  return value;
}

}  // namespace

std::string Method::setting(const std::string& option, const std::string& usual) const {
  for (const auto& [name_of, value] : settings) {
    if (name_of == option) return value;
  }
  return usual;
}

double Method::cost() const {
  constexpr double kCandidates = 15;  // --k
  const double members = number(*this, "members", 2);
  double embedded = setting("sampler", "adasample") == "random" ? 0 : kCandidates;
  if (setting("informativeness", "distance") == "gradient") embedded += 3 * 2 * (kCandidates - 1);
  const auto flops = static_cast<double>(find_network(setting("network", "l2net")).flops_per_patch());
  return (3 * members + embedded) * flops / (6 * static_cast<double>(l2net().flops_per_patch()));
}

const std::vector<Method>& methods() {
  static const std::vector<Method> all = all_methods();
  return all;
}

std::vector<std::string> method_names() {
  std::vector<std::string> names;
  for (const Method& method : methods()) names.push_back(method.name);
  return names;
}

const Method& find_method(const std::string& name) {
  for (const Method& method : methods()) {
    if (method.name == name) return method;
  }
  ADA_THROW_KIND(kUsage, "preset = {}, must be one of {} (`adasample methods` tells of them)", shown(name),
                 fmt::join(method_names(), ", "));
}

}  // namespace adasample
