# SPDX-License-Identifier: Apache-2.0
# Each target does everything it needs on a fresh Debian machine: packages, configuration, build, run.
PRESET ?= release
JOBS   ?= $(shell nproc)
BUILD  := build/$(PRESET)
BIN    := $(BUILD)/bin/adasample

.PHONY: help all install deb demo test bench compare costs gpu-bench format tidy asan fuzz setup clean
help:
	@echo "make demo    make a data set, train, compare with uniform positives and RootSIFT (about 10 minutes)"
	@echo "make test    build and run every test"
	@echo "make bench   time embedding, one iteration and the data path on this machine"
	@echo "make compare measure adasample and PyTorch in turn on this CPU (about 8 minutes, on an idle machine)"
	@echo "make costs   what an iteration costs against n, k and the size of the store; draws docs/pictures/costs.svg"
	@echo "make install PREFIX=/usr/local  the program, the libraries, their headers and packages, the weights"
	@echo "make deb     Debian packages of the same, in build/deb"
	@echo "make gpu-bench  build for the GPU, test it, measure it beside PyTorch (needs PyTorch with CUDA and nvcc)"
	@echo "make format  clang-format over the tree;  make tidy  clang-tidy over the sources"
	@echo "make asan    the tests under AddressSanitizer and UBSan"
	@echo "make fuzz    libFuzzer over every reader of foreign bytes (RUNS=1000000 executions each)"

all: $(BIN)

setup:
	@tools/setup.sh build

$(BUILD)/build.ninja: CMakePresets.json
	@tools/setup.sh build
	cmake --preset $(PRESET)

# Ninja decides what is out of date; a second run does nothing.
.PHONY: $(BIN)
$(BIN): $(BUILD)/build.ninja
	@cmake --build $(BUILD) -j $(JOBS)

demo: $(BIN)
	$(BIN) demo $(DEMO_FLAGS)

# Configures again: the browser's test is built once its packages are there.
test:
	@tools/setup.sh test
	@cmake --preset $(PRESET) >/dev/null
	@cmake --build $(BUILD) -j $(JOBS)
	ctest --test-dir $(BUILD) --output-on-failure -j $(JOBS)

bench: $(BIN)
	$(BUILD)/bin/adasample_bench

compare: $(BIN)
	@tools/setup.sh compare
	PROGRAM=$(BIN) bench/compare.sh $(BUILD)/compare

costs: $(BIN)
	@tools/setup.sh costs
	PROGRAM=$(BIN) bench/costs.sh $(BUILD)/costs

install: $(BIN)
	cmake --install $(BUILD) $(if $(PREFIX),--prefix $(PREFIX))

# Anew, so that no option and no package of an earlier run is taken along.
deb:
	@tools/setup.sh deb
	rm -f build/deb/CMakeCache.txt build/deb/*.deb
	cmake --preset $(PRESET) -B build/deb -DCMAKE_INSTALL_PREFIX=/usr -DADASAMPLE_TESTS=OFF -DADASAMPLE_BENCH=OFF $(DEB_FLAGS)
	cmake --build build/deb -j $(JOBS)
	cd build/deb && cpack -G DEB

gpu-bench:
	tools/gpu_bench.sh

format:
	@tools/setup.sh format
	git ls-files '*.cpp' '*.h' '*.cu' | xargs clang-format -i

tidy: $(BIN)
	@tools/setup.sh format
	git ls-files 'src/*.cpp' | xargs -P $(JOBS) -n 4 clang-tidy -p $(BUILD) --quiet --extra-arg=-Wno-unknown-warning-option

asan:
	@$(MAKE) PRESET=asan test

RUNS ?= 1000000
fuzz:
	@tools/setup.sh fuzz
	cmake --preset fuzz
	cmake --build build/fuzz -j $(JOBS)
	tools/run_fuzzers.sh build/fuzz $(RUNS)

clean:
	rm -rf build
