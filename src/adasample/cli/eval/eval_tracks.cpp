// SPDX-License-Identifier: Apache-2.0
// adasample eval tracks: points that were really found in several pictures, matched picture by picture.
#include "adasample/cli/eval/eval_commands.h"
#include "adasample/cli/model_argument.h"
#include "adasample/cli/result_file.h"
#include "adasample/eval/tracks/track_evaluation.h"

namespace adasample {

void add_eval_tracks(CLI::App& eval, Context& context) {
  CLI::App* command = add_command(
      eval, "tracks", "Points found in several pictures (data redetected, data colmap): matching, top 1, FPR95",
      "  adasample eval tracks --data again --model runs/a\n"
      "  adasample eval tracks --data fountain --model rootsift --trained-on train photos --out rootsift.json\n");
  struct Arguments {
    std::string data, model;
    std::vector<std::string> trained_on;
    TrackOptions options;
    ResultFile out;
  };
  auto a = std::make_shared<Arguments>();
  command->add_option("--data", a->data, "Patch store whose patches know their pictures")->required()->type_name("S");
  add_model_option(*command, a->model);
  command->add_option("--min-shared", a->options.min_shared, "Minimum classes that two pictures must share")
      ->capture_default_str();
  command
      ->add_option("--trained-on", a->trained_on,
                   "Stores that the model was trained on: refuses --data if it may show a scene of theirs")
      ->type_name("S..");
  a->out.add_option(*command);
  command->callback([&context, a] {
    context.action = [&context, a] {
      a->options.validate();
      a->out.refuse_existing_file();
      const PatchStore store = PatchStore::open(a->data);
      track_scenes(store, a->options);  // what cannot be scored is refused before the model is opened
      refuse_trained_on(store, a->trained_on);
      const OpenedModel opened = open_model(a->model, context);
      double seconds = 0;
      nlohmann::ordered_json object = evaluate_tracks(store, *opened.descriptor, a->options, &seconds);
      object["data"] = a->data;
      object["data_sha256"] = store.fingerprint();
      object.update(model_record(opened));
      object["seconds_describing"] = seconds;
      a->out.show(context, object, tracks_table(object));
      return 0;
    };
  });
}

}  // namespace adasample
