# SPDX-License-Identifier: MIT
# make check          tests for everybody: no root, no network, no guests; SUITES="unit cli" for some of tests/suites
# make check-core     the same without extra/
# make check-source   both compilers without a warning, sanitizers, documents, style, faults of memory and netlink
# make check-vm       the suites that prove function, on real kernels in the lab
# make check-arch     cross builds and emulated tests for ARCH="s390x arm64 armhf i386 riscv64 ppc64el", see tests/arch
# make check-all      all of that and the other suites, on other releases of Debian, kernels and machines, for hours: a table;
#                     ROWS="s390x amd64/7.2" for some of them, see tests/matrix
# make tests          builds the test programs only
# make demo           unmodified programs over SMC-R and SMC-D, in the lab
# make fuzz           clang's libFuzzer on every decoder and parser, for MINUTES=10 in all; only
#                     on some with FUZZ="sock inet" (tests/fuzz/fuzz_NAME.c)
# make soak           long-running programs in the lab for MINUTES=60: nothing grows; over SMC-R with KERNEL=6.12
# make faults         CONNECTIONS=100000 of redis, nginx and a program of known traffic, in the lab, while
#                     devices, memory, descriptors and EIDs come and go, and the peer dies: a table
# make docs           the samples of output in the manual pages and docs/pictures, again from scenes in the lab:
#                     those that differ by more than times, ports and the like; ALL=1 for all of them
# make cheatsheet     smc-tools(7) from docs/cheatsheet.md
# make dashboard      the dashboard, after a change of metrics
# make bench          ratios measured in one run
# make mutate         puts N=300 faults into FILES, lib/smc/*.c, one at a time, and shows those that
#                     no test notices; SEED=1 draws them; MUTATE_TESTS="unit preload" for some tests

# One program has the unit tests, and links to it start one of them. Separate programs replace functions of libc or
# the library's.
UNIT_APART := client cmd columns diag filter genl keys list memory netns_list nursery out pnet_table rates record session verbs \
	$(patsubst tests/unit/test_%.c,%,$(wildcard tests/unit/test_shim_*.c))
# Tests of extra/ include its headers. Without it, they are left out.
EXTRA_HEADERS = $(patsubst extra/%,%,$(patsubst extra/lib/%,%,$(wildcard extra/*/*.h extra/*/*/*.h)))
left_out = $(if $(EXTRA),,$(shell grep -lF $(EXTRA_HEADERS:%=-e '"%"') $(1)))
test_names = $(patsubst tests/$(1)_%.c,%,$(filter-out $(call left_out,tests/$(1)_*.c),$(wildcard tests/$(1)_*.c)))
UNIT_TESTS := $(call test_names,unit/test)
UNIT_APART := $(filter $(UNIT_APART),$(UNIT_TESTS))
UNIT_TOGETHER := $(filter-out $(UNIT_APART),$(UNIT_TESTS))
UNIT_LINKS := $(UNIT_TOGETHER:%=$(O)/tests/unit/%)
UNIT_BINS := $(O)/tests/unit/all $(UNIT_APART:%=$(O)/tests/unit/%)
# libFuzzer wants a program for each target, "make check" one for all.
FUZZ_TARGETS := $(call test_names,fuzz/fuzz)
FUZZ_BINS := $(patsubst %,$(O)/tests/fuzz/%,$(if $(FUZZ_LINK),$(FUZZ_TARGETS),all))
PRELOAD_LIBS := $(patsubst tests/preload/%_lib.c,$(O)/tests/preload/%.so,$(filter-out $(if $(EXTRA),,%/spin_lib.c),$(wildcard tests/preload/*_lib.c)))
CLI_LIBS := $(patsubst tests/cli/%_lib.c,$(O)/tests/cli/%.so,$(wildcard tests/cli/*_lib.c))
PRELOAD_BINS := $(patsubst tests/preload/%.c,$(O)/tests/preload/%,\
	$(filter-out %_lib.c,$(wildcard tests/preload/*.c)))
KERNEL_LIBS := $(patsubst tests/kernel/%_lib.c,$(O)/tests/kernel/%.so,$(wildcard tests/kernel/*_lib.c))
KERNEL_BINS := $(patsubst tests/kernel/%.c,$(O)/tests/kernel/%,$(filter-out %_lib.c,$(wildcard tests/kernel/*.c)))
TWIN_OBJS := $(patsubst %.c,$(O)/obj/%.o,$(wildcard tests/twin/*.c))
BENCH_BINS := $(patsubst %.c,$(O)/%,$(wildcard bench/*.c))
TEST_BINS := $(UNIT_BINS) $(UNIT_LINKS) $(FUZZ_BINS) $(PRELOAD_LIBS) $(CLI_LIBS) $(KERNEL_LIBS) $(PRELOAD_BINS) $(KERNEL_BINS) $(O)/twin $(BENCH_BINS)

# All of the tools but their main(): an archive, as tests replace netlink, the network and the
# like. They link only members that they call. Files of the same name are in several directories: no "ar r".
TEST_TOOLS := $(filter-out smc_bpf,$(TOOLS))
TEST_LIBS = $(call once,TEST_LIBS,$(call pc,$(LIBSMC_PKGS) $(foreach tool,$(TEST_TOOLS),$($(tool)_PKGS)) cmocka,--libs) -lm -ldl -pthread)
TEST_PARTS := $(O)/tests/parts.a
$(TEST_PARTS): $(sort $(foreach tool,$(TEST_TOOLS),$(call tool_parts,$(tool))) $(if $(EXTRA),$(call objs,extra/smc_bpf/oci_state.c extra/smc_bpf/show_scopes.c extra/smc_netns/container.c))) $(O)/storeys
	$(mkdir)
	$(call say,AR)
	$(Q)rm -f $@; $(AR) qcs $@ $(filter %.o,$^)

# The whole library, above the fakes of tests/unit/fake_below.h; config.c is there. dl_iterate_phdr.c would hide the test itself from a sanitizer.
SHIM_TESTS := $(filter $(O)/tests/unit/shim_%,$(UNIT_BINS))
$(SHIM_TESTS): $(patsubst %.c,$(O)/obj/shim/%.o,$(filter-out ld_pre_smc/state/config.c ld_pre_smc/calls/dl_iterate_phdr.c,$(SHIM_SRC)))
$(patsubst %.c,$(O)/obj/%.o,$(wildcard tests/unit/test_shim_*.c)): override CFLAGS += $(SHIM_FLAGS)

# Fakes and callbacks have parameters that they need not.
$(patsubst %.c,$(O)/obj/%.o,$(wildcard tests/unit/*.c tests/fuzz/*.c)) $(TWIN_OBJS) $(PRELOAD_LIBS) $(CLI_LIBS) $(KERNEL_LIBS) $(PRELOAD_BINS) $(KERNEL_BINS): \
	private WARN += -Wno-unused-parameter

# Only main.c has a main(), with a list of tests: remade when files come and go.
$(UNIT_TOGETHER:%=$(O)/obj/tests/unit/test_%.o): override CPPFLAGS += -Dmain=$(basename $(@F))
$(O)/obj/tests/unit/main.o: override CPPFLAGS += -DUNIT_TESTS='$(patsubst %,TEST(%),$(UNIT_TOGETHER))'
$(O)/obj/tests/unit/main.o: tests/unit $(O)/storeys
$(O)/tests/unit/all: $(UNIT_TOGETHER:%=$(O)/obj/tests/unit/test_%.o) $(O)/obj/tests/unit/main.o
$(UNIT_APART:%=$(O)/tests/unit/%): $(O)/tests/unit/%: $(O)/obj/tests/unit/test_%.o
$(UNIT_LINKS): $(O)/tests/unit/all
	$(Q)ln -sf all $@

$(FUZZ_TARGETS:%=$(O)/obj/tests/fuzz/fuzz_%.o): override CPPFLAGS += $(if $(FUZZ_LINK),,-DLLVMFuzzerTestOneInput=$(basename $(@F)))
$(O)/obj/tests/fuzz/main.o: override CPPFLAGS += -DFUZZ_TARGETS='$(patsubst %,TARGET(%),$(FUZZ_TARGETS))'
$(O)/obj/tests/fuzz/main.o: tests/fuzz $(O)/storeys
$(O)/tests/fuzz/all: $(FUZZ_TARGETS:%=$(O)/obj/tests/fuzz/fuzz_%.o) $(O)/obj/tests/fuzz/main.o
$(FUZZ_TARGETS:%=$(O)/tests/fuzz/%): $(O)/tests/fuzz/%: $(O)/obj/tests/fuzz/fuzz_%.o

# Both ends of the live test, over a network in memory.
$(patsubst %,$(O)/tests/%,unit/session unit/client fuzz/server fuzz/client fuzz/all): $(O)/obj/tests/fuzz/fake_live.o

$(filter-out $(SHIM_TESTS),$(UNIT_BINS)) $(FUZZ_BINS): $(TEST_PARTS) $(EXTRA:%=$(O)/lib%.a) $(O)/libsmc.a
$(UNIT_BINS) $(FUZZ_BINS):
	$(mkdir)
	$(call say,LD)
	$(Q)$(LINK) $(SANFLAGS) $(FUZZ_LINK) -o $@ $(filter %.o,$^) $(filter %.a,$^) $(TEST_LIBS)

$(PRELOAD_LIBS) $(CLI_LIBS) $(KERNEL_LIBS): $(O)/%.so: %_lib.c $(O)/version.h
	$(mkdir)
	$(call say,CC)
	$(Q)$(COMPILE) -fPIC -shared -o $@ $< -ldl
$(O)/tests/preload/spin.so: $(wildcard extra/ld_pre_smc_spin/*.[ch])
$(O)/tests/preload/spin.so: override CPPFLAGS += -Iextra -U_FORTIFY_SOURCE

$(O)/twin: $(TWIN_OBJS)
	$(call say,LD)
	$(Q)$(LINK) $(SANFLAGS) -o $@ $^ -pthread

# A bare request needs libnl; the rest is libc only (--as-needed).
$(BENCH_BINS): LDLIBS += $(LIBSMC_LIBS)
$(BENCH_BINS): CPPFLAGS += $(PKGFLAGS)
$(PRELOAD_BINS) $(KERNEL_BINS) $(BENCH_BINS): $(O)/%: %.c $(O)/version.h
	$(mkdir)
	$(call say,CC)
	$(Q)$(COMPILE) -Wl,--as-needed -o $@ $< -pthread $(LDLIBS)

# Programs of other kinds than those that the compiler makes. Those that no compiler here makes for the machine are left out.
PROGRAM_DIR := $(O)/tests/programs
MUSL_CC ?= musl-gcc
ifneq ($(filter tests,$(MAKECMDGOALS)),)
GOARCH ?= $(shell echo '$(MACHINE)' | sed 's/-.*//; s/x86_64/amd64/; s/aarch64/arm64/; s/i.86/386/; s/^arm[^6].*/arm/; s/powerpc/ppc/')
HAVE_MUSL := $(or $(wildcard $(PROGRAM_DIR)/sockets-musl),$(filter $(MACHINE),$(shell $(MUSL_CC) -dumpmachine 2>/dev/null)))
HAVE_GO := $(or $(wildcard $(PROGRAM_DIR)/gohttp),$(filter linux/$(GOARCH),$(shell go tool dist list 2>/dev/null)))
MUSL_PROGRAMS := sockets-musl sockets-musl-dynamic
PROGRAMS_LEFT_OUT := $(if $(HAVE_MUSL),,$(MUSL_PROGRAMS)) $(if $(HAVE_GO),,gohttp)
endif
PROGRAM_BINS := $(addprefix $(PROGRAM_DIR)/,sockets-static $(if $(HAVE_MUSL),$(MUSL_PROGRAMS)) $(if $(HAVE_GO),gohttp))
$(PROGRAM_DIR)/sockets-static $(MUSL_PROGRAMS:%=$(PROGRAM_DIR)/%): tests/kernel/sockets.c
	$(mkdir)
	$(call say,CC)
	$(Q)$(if $(findstring -musl,$@),$(MUSL_CC),$(CC)) -std=c17 -D_GNU_SOURCE -O2 $(if $(filter %-dynamic,$@),,-static) -o $@ $<
$(PROGRAM_DIR)/gohttp: tests/kernel/programs/gohttp.go
	$(mkdir)
	$(call say,GO)
	$(Q)CGO_ENABLED=0 GO111MODULE=off GOCACHE='$(abspath $(O))/go-cache' GOARCH=$(GOARCH) \
		go build -trimpath -ldflags='-s -w' -o $@ $<

# Lists of tests depend on it.
ifneq ($(file <$(O)/storeys),core $(EXTRA))
$(O)/storeys: FORCE
endif
$(O)/storeys:
	$(mkdir)
	@echo 'core $(EXTRA)' > $@

# Recorded hosts, which tests read.
HOSTS := $(O)/tests/hosts/s390 $(O)/tests/hosts/x86
$(HOSTS): $(O)/tests/hosts/%: tests/sysfs/% tests/sysfs/tree.sh tests/sysfs/pci.ids
	$(Q)rm -rf $@ && $< $@/sys && mkdir -p $@/usr/share/misc && cp tests/sysfs/pci.ids $@/usr/share/misc && touch $@

tests: $(TEST_BINS) $(PROGRAM_BINS) $(HOSTS)
	@$(foreach name,$(PROGRAMS_LEFT_OUT),echo '$(name) is not built: no compiler for $(MACHINE)';)

# Those of Debian 11, whose C library lacks functions that others use.
unit-tests: $(UNIT_BINS) $(UNIT_LINKS) $(CLI_LIBS) $(HOSTS)
	@:

# Programs started by tests in guests.
guest-tests: $(KERNEL_BINS) $(O)/twin $(O)/bench/life $(KERNEL_LIBS) $(PRELOAD_BINS) $(PROGRAM_DIR)/sockets-static
	@:

# Build on all processors, unless the caller has given a number.
BUILD_ALL = $(MAKE) --no-print-directory $(if $(findstring jobserver,$(MAKEFLAGS)),,-j$$(nproc)) O=$(O) EXTRA=$(EXTRA) all

# Requirements of each tier: kinds of packaging/packages.
check_KINDS := build $(if $(EXTRA),extra bpf) test
check-core_KINDS := $(check_KINDS)
check-source_KINDS := $(check_KINDS) m32 source
check-vm_KINDS := $(check_KINDS) m32 vm
check check-core check-source check-vm:
	$(Q)BUILD='$(abspath $(O))' tests/run --usable
	$(Q)tests/setup $($@_KINDS)
	$(Q)+$(BUILD_ALL) tests
	$(Q)BUILD='$(abspath $(O))' tests/run $(if $(EXTRA),,--core) $(or $(SUITES),--tier $(subst core,check,$(@:check-%=%)))

check-all:
	$(Q)tests/setup $(check-source_KINDS) vm all
	$(Q)BUILD='$(abspath $(O))' tests/all $(ROWS)

ARCH ?= s390x arm64 armhf i386 riscv64 ppc64el
check-arch:
	$(Q)tests/arch $(ARCH)

demo:
	$(Q)tests/setup build extra bpf
	$(Q)+$(BUILD_ALL)
	$(Q)BUILD='$(abspath $(O))' demo/run

# New inputs stay in the build directory; valuable ones go to tests/fuzz/corpus.
FUZZ ?= $(FUZZ_TARGETS)
MINUTES ?= 10
FUZZ_DIR := $(O)/fuzz
FUZZ_CC ?= clang
fuzz:
	$(Q)FUZZ_CC='$(FUZZ_CC)' tests/fuzz/campaign '$(FUZZ_DIR)' '$(MINUTES)' $(FUZZ)

# Called by that, with a clang that has libFuzzer.
fuzz-targets:
	$(Q)$(MAKE) --no-print-directory O=$(FUZZ_DIR) CC='$(FUZZ_CC)' CFLAGS='-g -O1' FUZZ_LINK=-fsanitize=fuzzer \
		SANFLAGS='-fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all' $(FUZZ:%=$(FUZZ_DIR)/tests/fuzz/%)

# "make soak" takes longer than "make fuzz".
soak: MINUTES := 60
soak: KERNEL ?= lo
soak:
	$(Q)tests/setup $(check-vm_KINDS)
	$(Q)+$(BUILD_ALL) tests
	$(Q)BUILD='$(abspath $(O))' tests/soak '$(MINUTES)' '$(KERNEL)'

CONNECTIONS ?= 100000
faults:
	$(Q)tests/setup $(check-vm_KINDS)
	$(Q)+$(BUILD_ALL) tests
	$(Q)BUILD='$(abspath $(O))' tests/faults '$(CONNECTIONS)'

docs:
	$(Q)tests/setup $(check-vm_KINDS)
	$(Q)+$(BUILD_ALL) tests
	$(Q)BUILD='$(abspath $(O))' docs/samples $(if $(ALL),renew,write)

cheatsheet:
	$(Q)docs/cheatsheet <docs/cheatsheet.md >man/smc-tools.7

dashboard:
	$(Q)tests/setup
	$(Q)+$(BUILD_ALL) tests
	$(Q)BUILD='$(abspath $(O))' tests/cli/metrics.t --dashboard

bench:
	$(Q)tests/setup $(check-vm_KINDS)
	$(Q)+$(BUILD_ALL) tests
	$(Q)BUILD='$(abspath $(O))' bench/run

FILES ?= $(wildcard lib/smc/*.c)
N ?= 300
SEED ?= 1
mutate:
	$(Q)tests/setup $(check_KINDS)
	$(Q)tests/mutate -d '$(O)/mutate' -n $(N) -s $(SEED) $(MUTATE_TESTS:%=-t %) $(if $(V),-v) $(FILES)

.PHONY: tests unit-tests guest-tests check check-core check-source check-vm check-all check-arch demo docs cheatsheet dashboard fuzz fuzz-targets soak faults bench mutate
