// SPDX-License-Identifier: Apache-2.0
#include "adasample/loss/terms.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "adasample/base/error.h"

namespace adasample {
namespace {

struct NamedTerm {
  const char* name;
  std::unique_ptr<BatchTerm> (*make)();
};

constexpr NamedTerm kTerms[] = {{"gor", make_gor}, {"sos", make_sos}};

class LossWithTerms : public Loss {
 public:
  LossWithTerms(std::unique_ptr<Loss> loss, const std::vector<LossTerm>& terms) : loss_(std::move(loss)) {
    for (const LossTerm& term : terms) {
      const auto* entry =
          std::find_if(std::begin(kTerms), std::end(kTerms), [&](const NamedTerm& e) { return e.name == term.name; });
      ADA_ASSERT(entry != std::end(kTerms));  // LossOptions::validate() has looked
      terms_.push_back({term.name, term.factor, entry->make()});
    }
  }

  LossOutput operator()(const LossInput& input) override {
    LossOutput out = (*loss_)(input);
    for (const Part& part : terms_) {
      const at::Tensor value = part.factor * (*part.term)(input);
      out.batch_term = out.batch_term.defined() ? out.batch_term + value : value;
    }
    return out;
  }

  Metric metric() const override { return loss_->metric(); }
  bool wants_activations() const override { return loss_->wants_activations(); }
  bool wants_noise() const override { return loss_->wants_noise(); }

  LossState state() const override {
    LossState all = loss_->state();
    for (const Part& part : terms_) {
      for (const auto& [name, tensor] : part.term->state()) all.emplace(part.name + "." + name, tensor);
    }
    return all;
  }

 private:
  struct Part {
    std::string name;
    double factor;
    std::unique_ptr<BatchTerm> term;
  };
  std::unique_ptr<Loss> loss_;
  std::vector<Part> terms_;
};

}  // namespace

std::vector<std::string> term_names() {
  std::vector<std::string> names;
  for (const NamedTerm& entry : kTerms) names.emplace_back(entry.name);
  return names;
}

std::unique_ptr<Loss> add_terms(std::unique_ptr<Loss> loss, const std::vector<LossTerm>& terms) {
  if (terms.empty()) return loss;
  return std::make_unique<LossWithTerms>(std::move(loss), terms);
}

}  // namespace adasample
