# SPDX-License-Identifier: Apache-2.0
# Each target does everything it needs on a fresh Debian machine: packages, configuration, build, run.
PRESET ?= release
JOBS   ?= $(shell nproc)
BUILD  := build/$(PRESET)
BIN    := $(BUILD)/bin/adasample

.PHONY: help all install deb wheel release demo test check-all bench compare costs gpu-bench format tidy asan tsan lto lean cross fuzz mutants setup clean
help:
	@echo "make demo    make a data set, train, compare with uniform positives and RootSIFT (about 10 minutes)"
	@echo "make all     build the program, $(BIN)"
	@echo "make test    build and run every test (what CI runs)"
	@echo "make check-all  everything slower: benchmarks, sanitizers, LTO, a build without options, kill loops, fuzzing, mutants (hours)"
	@echo "make bench   time embedding, one iteration and the data path on this machine"
	@echo "make compare measure adasample and PyTorch in turn on this CPU (about 15 minutes, idle); ISA=avx2: as on a lesser one"
	@echo "make costs   what an iteration costs against n, k and the size of the store; draws docs/pictures/costs.svg"
	@echo "make install PREFIX=/usr/local  the program, the libraries, their headers and packages, the weights"
	@echo "make deb     Debian packages of the same, in build/deb"
	@echo "make wheel   the Python package as a wheel, in build/wheel"
	@echo "make release  source archive, Debian packages, changes and checksums, in build/release-VERSION; RELEASE_DEBS=0: no packages"
	@echo "make gpu-bench  build for the GPU, test it, measure it beside PyTorch (needs PyTorch with CUDA and nvcc)"
	@echo "make format  clang-format over the tree;  make tidy  clang-tidy over the sources"
	@echo "make asan    the tests under AddressSanitizer and UBSan;  make tsan  under ThreadSanitizer"
	@echo "make lto     a link-time-optimised build in which a name that means two things is an error"
	@echo "make lean    the build without LibTorch, OpenCV, oneDNN, Highway, SQLite, HDF5 and toml++, and its tests"
	@echo "make cross   compile what needs no LibTorch for 64-bit ARM"
	@echo "make fuzz    libFuzzer over every reader of foreign bytes (RUNS=1000000 executions each)"
	@echo "make mutants make the code wrong in many small ways, one at a time, and see that a test fails each time (an hour)"

all: $(BIN)

setup:
	@tools/setup.sh build

# The program alone: tests and benchmarks are configured by those who run them.
$(BUILD)/build.ninja: CMakePresets.json
	@tools/setup.sh build
	cmake --preset $(PRESET) -DADASAMPLE_TESTS=OFF -DADASAMPLE_BENCH=OFF

# Ninja decides what is out of date; a second run does nothing.
.PHONY: $(BIN)
$(BIN): $(BUILD)/build.ninja
	@cmake --build $(BUILD) -j $(JOBS) --target adasample

demo: $(BIN)
	$(BIN) demo $(DEMO_FLAGS)

test:
	@tools/setup.sh test
	@cmake --preset $(PRESET) -DADASAMPLE_TESTS=ON >/dev/null
	@cmake --build $(BUILD) -j $(JOBS)
	ctest --test-dir $(BUILD) --output-on-failure -j $(JOBS)

# Everything that is too slow for every change. Each part can be run alone.
check-all:
	@tools/setup.sh check
	@$(MAKE) test
	cmake --preset $(PRESET) -DADASAMPLE_BENCH=ON >/dev/null && cmake --build $(BUILD) -j $(JOBS)
	ADASAMPLE_KILLS=100 $(BUILD)/bin/resume_tests --gtest_filter='*RunsKilled*:*DisksThatFail*'
	ADASAMPLE_KILLS=1000 $(BUILD)/bin/kill_tests
	ADASAMPLE_RANK_FAULTS=20 $(BUILD)/bin/distributed_tests
	ADASAMPLE_REPRODUCE=all $(BUILD)/bin/experiment_cli_tests --gtest_filter='ReproduceCli.All'
	@$(MAKE) wheel lto lean cross asan tsan
	@$(MAKE) fuzz RUNS=10000
	@$(MAKE) mutants

bench: $(BUILD)/build.ninja
	@tools/setup.sh bench
	cmake --preset $(PRESET) -DADASAMPLE_BENCH=ON >/dev/null
	@cmake --build $(BUILD) -j $(JOBS) --target adasample adasample_bench make_hpatches_split
	$(BUILD)/bin/adasample_bench

compare: $(BIN)
	@tools/setup.sh compare || true  # what is missing is left out
	PROGRAM=$(BIN) bench/compare.sh $(BUILD)/compare

costs: $(BIN)
	@tools/setup.sh costs
	PROGRAM=$(BIN) bench/costs.sh $(BUILD)/costs

install: $(BIN)
	@cmake --build $(BUILD) -j $(JOBS) --target adasample_installed
	cmake --install $(BUILD) $(if $(PREFIX),--prefix $(PREFIX))

# Anew, so that no option and no package of an earlier run is taken along.
deb:
	@tools/setup.sh deb
	rm -f build/deb/CMakeCache.txt build/deb/*.deb
	cmake --preset $(PRESET) -B build/deb -DCMAKE_INSTALL_PREFIX=/usr -DADASAMPLE_TESTS=OFF -DADASAMPLE_BENCH=OFF $(DEB_FLAGS)
	cmake --build build/deb -j $(JOBS)
	cd build/deb && cpack -G DEB
	tools/check_debs.sh build/deb

# The Python package with all it needs but training; nothing is fetched.
wheel:
	@tools/setup.sh deb
	/usr/bin/python3 -m pip wheel . --no-build-isolation --no-deps -w build/wheel

release:
	@tools/release.sh

gpu-bench:
	tools/gpu_bench.sh

format:
	@tools/setup.sh format
	git ls-files '*.cpp' '*.h' '*.cu' '*.cuh' | xargs clang-format -i

# On files as they stand, not as they are compiled together.
tidy:
	@tools/setup.sh test
	@tools/setup.sh format
	cmake --preset dev -B build/tidy -DADASAMPLE_BATCHES=OFF >/dev/null
	git ls-files 'src/*.cpp' ':!src/*/cuda/*' ':!src/*/no_*' ':!src/*_fuzz.cpp' | xargs -P $(JOBS) -n 4 clang-tidy -p build/tidy --quiet --extra-arg=-Wno-unknown-warning-option

asan tsan:
	@$(MAKE) PRESET=$@ test

lto:
	@tools/setup.sh test
	cmake --preset lto
	cmake --build build/lto -j $(JOBS)
	ctest --test-dir build/lto --output-on-failure -j $(JOBS) -E '_cli_tests|^cli|consumer|resume|browser|colmap'

cross:
	@tools/setup.sh check
	cmake --preset cross
	cmake --build build/cross -j $(JOBS) --target adasample_cli

lean:
	@tools/setup.sh test
	cmake --preset lean
	cmake --build build/lean -j $(JOBS)
	ctest --test-dir build/lean --output-on-failure -j $(JOBS)

RUNS ?= 1000000
fuzz:
	@tools/setup.sh fuzz
	cmake --preset fuzz
	cmake --build build/fuzz -j $(JOBS)
	tools/run_fuzzers.sh build/fuzz $(RUNS)

mutants:
	@tools/setup.sh test
	tools/mutants.sh --jobs $(JOBS)

clean:
	rm -rf build
