// SPDX-License-Identifier: Apache-2.0
// adasample methods: what can be trained.
#include <fmt/format.h>

#include "adasample/cli/context.h"
#include "adasample/model/network.h"
#include "adasample/train/run/methods.h"

namespace adasample {
namespace {

std::string as_options(const Method& method) {
  std::string text;
  for (const auto& [option, value] : method.settings) {
    text += fmt::format("{}--{}{}", text.empty() ? "" : " ", option, value == "true" ? "" : " " + value);
  }
  return text;
}

nlohmann::ordered_json as_json(const Method& method) {
  nlohmann::ordered_json settings = nlohmann::ordered_json::object();
  for (const auto& [option, value] : method.settings) settings[option] = value;
  return {{"name", method.name},
          {"equation", method.equation},
          {"source", method.source},
          {"settings", settings},
          {"cost", method.cost()},
          {"departs", method.departs},
          {"network", method.setting("network", "l2net")}};
}

int list_methods(const Context& context, const std::string& only) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array(), networks = all;
  std::string text;
  for (const Method& method : methods()) {
    if (!only.empty() && &find_method(only) != &method) continue;
    all.push_back(as_json(method));
    text += fmt::format("{}\n  {}\n  {}\n  {:.2g} x HardNet's arithmetic per pair\n", method.name, method.equation,
                        method.source, method.cost());
    if (!method.settings.empty()) text += fmt::format("  {}\n", as_options(method));
    if (!method.departs.empty()) text += fmt::format("  not as published: {}\n", method.departs);
  }
  if (only.empty()) {
    text += "\nnetworks (--network)\n";
    for (const std::string& name : network_names()) {
      const Network& network = find_network(name);
      networks.push_back({{"name", name},
                          {"summary", network.summary},
                          {"input", network.input_size},
                          {"dimension", network.descriptor_size},
                          {"weights", network.weight_count()},
                          {"flops", network.flops_per_patch()}});
      text +=
          fmt::format("  {:9} {}x{} -> {}, {:.2f} M weights, {:.0f} MFLOP: {}\n", name, network.input_size,
                      network.input_size, network.descriptor_size, static_cast<double>(network.weight_count()) / 1e6,
                      static_cast<double>(network.flops_per_patch()) / 1e6, network.summary);
    }
  }
  context.show({{"methods", all}, {"networks", networks}}, text.substr(0, text.size() - 1));
  return 0;
}

}  // namespace

void add_methods_command(CLI::App& app, Context& context) {
  CLI::App* command = add_command(app, "methods", "List the field's methods that `train --preset` knows",
                                  "  adasample methods\n"
                                  "  adasample methods hynet --json\n"
                                  "  adasample train --preset hardnet --data patches --out runs/hardnet\n");
  auto only = std::make_shared<std::string>();
  command->add_option("NAME", *only, "This one alone");
  command->callback([&context, only] { context.action = [&context, only] { return list_methods(context, *only); }; });
}

}  // namespace adasample
