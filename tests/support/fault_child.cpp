// SPDX-License-Identifier: Apache-2.0
// What tests/fault_test.cpp runs on a failing disk: fault_child file|append|folder|store|checkpoint PATH. Exit code 1 and
// one line when it throws, as the command line program does.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "adasample/base/error.h"
#include "adasample/base/files/file_io.h"
#include "adasample/data/patch_store.h"
#include "adasample/train/run/checkpoint_store.h"
#include "tests/support/fault_content.h"

int main(int argc, char** argv) try {
  using namespace adasample;
  ADA_USAGE(argc == 3, "usage: fault_child file|append|folder|store|checkpoint PATH");
  const std::string what = argv[1];
  if (what == "file") write_file_atomically(argv[2], testing::fault_content());
  if (what == "append") {
    FileWriter writer(argv[2], /*append=*/true);
    writer.write(testing::fault_content());
    writer.sync();
    writer.write_at(0, "OLD");
    writer.close();
  }
  if (what == "folder") {
    StagedFolder staged(argv[2]);
    std::filesystem::create_directory(staged.work() / "sub");
    std::ofstream(staged.work() / "sub/f") << "not by FileWriter";
    staged.commit();
  }
  if (what == "store") {
    PatchStoreWriter writer(argv[2], 32);
    for (int c = 0; c < 40; ++c) writer.add_class(std::vector<uint8_t>(4 * 1024, static_cast<uint8_t>(c)));
    writer.finish({{"source", "test"}});
  }
  if (what == "checkpoint") {  // of one iteration, in place of the one that is there
    CheckpointStore store(argv[2]);
    store.write(testing::fault_checkpoint(/*best=*/5), [] {});
    store.wait();
  }
  return 0;
} catch (const adasample::Error& error) {
  std::printf("%s\n", error.what());
  return 1;
}
