# SPDX-License-Identifier: MIT
# make                builds everything into build/; O=DIR, WERROR=1, SAN=1 (ASan and UBSan), V=1
# make core           builds all but extra/, as does EXTRA= with other targets
# make clean          removes build/
#                     CC='s390x-linux-gnu-gcc --sysroot=DIR' PKG_CONFIG=s390x-linux-gnu-pkg-config: for another machine
# make format         applies .clang-format to all C files, with clang-format 14; "make check-format" shows what differs
# make help           this list
VERSION := $(file <VERSION)

# Programs that core can be used without, and their library; see docs/hacking.md.
EXTRA   ?= $(if $(filter core check-core install-core,$(MAKECMDGOALS)),,$(wildcard extra))
O       ?= build$(if $(SAN),-san)
PREFIX  ?= /usr
BINDIR  ?= $(PREFIX)/bin
MANDIR  ?= $(PREFIX)/share/man
DOCDIR  ?= $(PREFIX)/share/doc/smc-tools
COMPDIR ?= $(PREFIX)/share/bash-completion/completions
# $(call once,NAME,VALUE): sets NAME to VALUE when it is used for the first time; most runs of make do not need it.
once = $(eval $(1) := $(2))$(2)
# The compiler's target machine selects the tools. clang prints it with a vendor.
MACHINE := $(shell $(CC) -dumpmachine 2>/dev/null | sed 's/-[^-]*\(-linux-\)/\1/')
cc_tool = $(or $(shell $(CC) -print-prog-name=$(1) 2>/dev/null),$(1))
ifeq ($(origin AR),default)
AR = $(call once,AR,$(call cc_tool,ar))
endif
PKG_CONFIG ?= pkg-config
SYSROOT := $(patsubst --sysroot=%,%,$(filter --sysroot=%,$(CC)))
# Directory of the libraries for this machine: Debian's multiarch directory, lib64 or lib. Some clangs do not print a
# multiarch directory.
MULTIARCH := $(or $(shell $(CC) -print-multiarch 2>/dev/null),$(notdir $(wildcard /usr/lib/$(MACHINE))))
OSDIR = $(call once,OSDIR,$(notdir $(shell $(CC) -print-multi-os-directory 2>/dev/null)))
LIBDIR  ?= $(PREFIX)/$(if $(MULTIARCH),lib/$(MULTIARCH),$(if $(filter lib64,$(OSDIR)),lib64,lib))
LIBDIR32 ?= $(PREFIX)/$(if $(MULTIARCH),lib/i386-linux-gnu,lib)
LIBEXECDIR ?= $(PREFIX)/libexec/smc-tools
DATADIR ?= $(PREFIX)/share/smc-tools

CFLAGS ?= -O2 -g
WARN := -Wall -Wextra -Wno-missing-field-initializers -Wshadow -Wformat=2 -Wmissing-prototypes -Wvla -Wwrite-strings -Wundef
# Inodes and sizes beyond 32 bits, in 32-bit builds too; __u64 is long long on ppc64el, too.
override CPPFLAGS += -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -D__SANE_USERSPACE_TYPES__ -I$(O) -Ilib -I.
override CFLAGS += -std=c17 $(WARN)
override LDFLAGS += -Wl,-z,relro,-z,now,-z,defs -Wl,--as-needed
ifdef WERROR
override CFLAGS += -Werror
endif
# The shim is never instrumented: a preload library cannot bring a sanitizer into another program's process.
ifdef SAN
SANFLAGS := -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
endif
Q := $(if $(V),,@)
say = $(if $(V),,$(info $()  $(1)	$(patsubst $(O)/%,%,$(@:$(O)/obj/%=%))))
mkdir = $(if $(wildcard $(@D)),,@mkdir -p $(@D))

.DELETE_ON_ERROR:
all: $(O)/profiles
# Programs look for them beside themselves.
$(O)/profiles:
	$(mkdir)
	$(Q)ln -sfn '$(CURDIR)/profiles' $@

# ---- packages: one message for what is missing, only where something is compiled -----------------
# package_names: column of packaging/packages, for the packages in ABSENT
package_names = $(foreach name,$(ABSENT),$(shell awk '$$2 == "$(name)" { print $$$(1) }' packaging/packages))
pc = $(shell $(PKG_CONFIG) $(2) $(1))
LIBSMC_PKGS := libmnl jansson libnl-genl-3.0
ifneq ($(filter-out clean uninstall help dist deb rpm check-packages check-installed demo docs cheatsheet dashboard bench loopback install-loopback uninstall-loopback install-dkms check check-core check-source check-vm check-all check-arch mutate soak faults format check-format,$(or $(MAKECMDGOALS),all)),)
NEEDED := $(shell awk '/^(build$(if $(EXTRA),|extra)) / && $$2 != "-" { print $$2 }' packaging/packages) $(if $(filter tests,$(MAKECMDGOALS)),cmocka)
PKGFLAGS := $(shell $(PKG_CONFIG) --cflags $(NEEDED) 2>/dev/null || echo missing)
ifeq ($(PKGFLAGS),missing)
ifeq ($(shell command -v $(PKG_CONFIG)),)
$(error $(PKG_CONFIG) is missing: install pkg-config (Debian, Ubuntu) or pkgconf-pkg-config (RPM))
endif
ABSENT := $(foreach name,$(NEEDED),$(if $(shell $(PKG_CONFIG) --exists $(name) 2>/dev/null && echo y),,$(name)))
$(error missing: $(ABSENT); install $(call package_names,3) (Debian, Ubuntu) or $(call package_names,4) (RPM), or run tests/setup)
endif
endif

# ---- hardening: the flags that this compiler knows, before the caller's, which win -----------------
accepted = $(shell echo 'int main(void) { return 0; }' | $(CC) -Werror $(1) $(CPPFLAGS) $(CFLAGS) -include stdlib.h \
	-x c -S -o /dev/null - 2>/dev/null && echo '$(1)')
# _FORTIFY_SOURCE of glibc. It needs optimization, and the caller's own level takes precedence. The address sanitizer
# has its own checks.
fortify = $(if $(SANFLAGS)$(filter __OPTIMIZE__,$(shell echo __OPTIMIZE__ | $(CC) $(CFLAGS) -E -P -x c - 2>/dev/null)),, \
	$(or $(call accepted,-D_FORTIFY_SOURCE=3),$(call accepted,-D_FORTIFY_SOURCE=2)))
HARDEN = $(call once,HARDEN,$(foreach flag,-fstack-protector-strong -fstack-clash-protection -fcf-protection \
	-mbranch-protection=standard,$(call accepted,$(flag))) $(fortify))
COMPILE = $(CC) $(HARDEN) $(CPPFLAGS) $(CFLAGS)
LINK = $(CC) $(HARDEN) $(CFLAGS) $(LDFLAGS)

# ---- version, one place --------------------------------------------------------------------------
$(O)/version.h: VERSION
	$(mkdir)
	@printf '#define SMC_TOOLS_VERSION "%s"\n' '$(VERSION)' > $@

# Files that a source includes as bytes. Before the first build no .d file knows which one.
bytes = od -v -An -tx1 | sed 's/ \(..\)/0x\1,/g'
# The page's policy allows only its own style and script, by these hashes. Line 1 is the license.
hash = $$(env printf "$$(sed -n '/^<$(1)>$$/,/^<.$(1)>$$/p' $< | sed '1s/.*//;$$d' | sha256sum | \
	sed 's/ .*//;s/../\\x&/g')" | base64)
PAGE_BYTES := $(O)/page.html.h
$(PAGE_BYTES): smc_chk/doctor/page.html
	$(mkdir)
	$(Q)sed "1d;s|HASH-OF-STYLE|$(call hash,style)|;s|HASH-OF-SCRIPT|$(call hash,script)|" $< | $(bytes) >$@

# Rows of what distributions have.
DISTRIBUTIONS := $(O)/distributions.h
$(DISTRIBUTIONS): smc_chk/doctor/distributions
	$(mkdir)
	$(Q)sed '/^#/d; s/ *| */", "/g; s/.*/{ "&" },/' $< >$@

# Rows for smc_run -d.
$(O)/differences.h: ld_pre_smc/differences
	$(mkdir)
	$(Q)awk '$$1 == "reason" { sub("reason ", ""); why = $$0 } $$1 == "option" { printf \
		"{ %s, %s, \"%s is refused: %s\" },\n", $$2, $$3, $$3, why }' $< >$@

# One line for each row: its identifier, its name, and the kernel that ends it.
$(O)/repairs.h: ld_pre_smc/repairs
	$(mkdir)
	$(Q)awk '$$1 == "row" { row = $$2 } $$1 == "until" { end = 0; if (split($$2, at, ".") == 2) \
		end = "SHIM_RELEASE(" at[1] ", " at[2] ")"; printf "REPAIR(%s, \"%s\", %s)\n", toupper(row), row, end }' $< >$@

BPF_SOURCES := $(wildcard extra/lib/*/*.bpf.c)
BPF_BYTES := $(patsubst %.bpf.c,$(O)/bpf/%.bytes.h,$(notdir $(BPF_SOURCES)))
$(O)/obj/%.o: %.c $(O)/version.h Makefile | $(PAGE_BYTES) $(DISTRIBUTIONS)
	$(mkdir)
	$(call say,CC)
	$(Q)$(COMPILE) $(SANFLAGS) $(PKGFLAGS) -MMD -MP -c -o $@ $<

# Core cannot include anything of extra/. Tests can.
$(foreach dir,extra shim/extra shim32/extra tests,$(O)/obj/$(dir)/%.o): override CPPFLAGS += -Iextra/lib -Iextra
$(patsubst %.c,$(O)/obj/%.o,$(wildcard extra/*/*.c extra/*/*/*.c)): | $(BPF_BYTES)

# ---- smc_bpf: only where its eBPF program can be compiled ----------------------------------------
BPF_CLANG ?= clang
BPFTOOL ?= $(shell PATH="$$PATH:/usr/sbin:/sbin" command -v bpftool)
# Byte order and headers are those of the target machine.
BPF_TARGET = $(if $(filter 4321,$(shell echo __BYTE_ORDER__ | $(CC) -E -P -x c - 2>/dev/null)),bpfeb,bpfel)
# The macro of the target machine by which bpf_tracing.h selects the registers of arguments.
BPF_ARCH = $(shell echo '$(MACHINE)' | sed 's/-.*//; s/x86_64\|i.86/x86/; s/aarch64/arm64/; s/^arm[^6].*/arm/; s/s390x/s390/; s/powerpc.*/powerpc/; s/riscv.*/riscv/; s/loongarch.*/loongarch/')
BPF_CFLAGS = $(call once,BPF_CFLAGS,-target $(BPF_TARGET) -D__TARGET_ARCH_$(BPF_ARCH) -mcpu=v3 -O2 -g '-ffile-prefix-map=$(CURDIR)=.' -Wall -Wextra -Wno-missing-field-initializers -Wno-unused-parameter $(if $(WERROR),-Werror) -Ilib -Iextra/lib \
	$(if $(SYSROOT),-nostdlibinc) $(addprefix -isystem ,$(if $(MULTIARCH),$(SYSROOT)/usr/include/$(MULTIARCH)) \
	$(if $(SYSROOT),$(SYSROOT)/usr/include)))
# An old bpftool links no object of the other byte order. Those that exist were built before.
HAVE_BPF := $(if $(EXTRA),$(if $(wildcard $(O)/smc_bpf),y,$(shell $(PKG_CONFIG) --exists libbpf 2>/dev/null && dir=`mktemp -d 2>/dev/null || TMPDIR= mktemp -d` && echo 'int x;' | \
	$(BPF_CLANG) $(BPF_CFLAGS) -include linux/types.h -x c -c -o "$$dir/x" - 2>/dev/null && $(BPFTOOL) gen object "$$dir/y" "$$dir/x" >/dev/null 2>&1 && \
	echo y; rm -rf "$$dir")))

# ---- tools: a directory each, one link rule ------------------------------------------------------
objs = $(patsubst %.c,$(O)/obj/%.o,$(wildcard $(1)))
# Sources from other directories; packages and libraries beyond $(LIBSMC_PKGS).
smcd_SHARED := smcdr/*.c
smcr_SHARED := smcdr/*.c
smc_rnics_PKGS := libibverbs
smc_dump_PKGS := libpcap
# zlib: a kernel's configuration is compressed, and so are bundles.
smc_chk_PKGS := zlib libibverbs
smc_chk_LIBS := -lm

# Only the library and other tools start them, so they are not in BINDIR. smc_keep is of libc alone, so that
# LDFLAGS=-static is possible.
EXTRA_HELPERS := $(if $(EXTRA),smc_supervise smc_netns)
HELPERS := smc_keep $(EXTRA_HELPERS)
CORE_TOOLS := smc_run smc_unit smcss smcd smcr smc_pnet smc_rnics smc_chk
EXTRA_TOOLS := $(if $(EXTRA),smc_ab smc_top smc_events smc_setup smc_advise smc_dump smc_conf $(if $(HAVE_BPF),smc_bpf))
TOOLS := $(CORE_TOOLS) $(EXTRA_TOOLS)
tool_dir = $(if $(filter $(1),$(EXTRA_TOOLS) $(EXTRA_HELPERS)),extra/)$(1)
tool_objs = $(call objs,$(call tool_dir,$(1))/*.c $(call tool_dir,$(1))/*/*.c $($(1)_SHARED))
# Parts of a tool that unit tests link: all but its main().
tool_parts = $(filter-out %/main.o,$(call tool_objs,$(1)))

# Each tool links only the members of the archive that it calls; --as-needed drops libraries that only the others need.
$(O)/libsmc.a: $(filter-out %.bpf.o,$(call objs,lib/*/*.c))
$(O)/libextra.a: $(filter-out %.bpf.o,$(call objs,extra/lib/*/*.c))
$(O)/libsmc.a $(O)/libextra.a:
	$(call say,AR)
	$(Q)rm -f $@; $(AR) rcs $@ $^

all core: shim $(TOOLS:%=$(O)/%) $(HELPERS:%=$(O)/%)
	@:
LIBSMC_LIBS = $(call once,LIBSMC_LIBS,$(call pc,$(LIBSMC_PKGS),--libs))
define tool_rule
$(O)/$(1): $(call tool_objs,$(1)) $(if $(filter $(1),$(EXTRA_TOOLS) $(EXTRA_HELPERS)),$(O)/libextra.a) $(O)/libsmc.a
	$$(call say,LD)
	$$(Q)$$(LINK) $$(SANFLAGS) -o $$@ $$^ $(if $(filter $(1),smc_keep),,$$(LIBSMC_LIBS) $(if $($(1)_PKGS),$$(call pc,$($(1)_PKGS),--libs)) \
		$($(1)_LIBS) -pthread -ldl)
endef
$(foreach tool,$(TOOLS) $(HELPERS),$(eval $(call tool_rule,$(tool))))

# The files that know where the library and its helper are installed are compiled again when that changes.
KNOW_DIRS := lib/launch/launch.c lib/process/ask.c lib/process/library.c
LIBDIRS := -DSMC_LIBDIR='"$(LIBDIR)"' -DSMC_LIBDIR32='"$(LIBDIR32)"' -DSMC_BINDIR='"$(BINDIR)"' -DSMC_LIBEXECDIR='"$(LIBEXECDIR)"' \
	-DSMC_DATADIR='"$(DATADIR)"'
$(call objs,$(KNOW_DIRS)): $(O)/libdirs
$(call objs,$(KNOW_DIRS)): override CPPFLAGS += $(LIBDIRS)
KEEPER_OBJS := $(O)/obj/shim/ld_pre_smc/state/keeper_client.o $(O)/obj/shim32/ld_pre_smc/state/keeper_client.o
KEEPER_OBJS += $(O)/obj/tests/unit/test_shim_keeper.o
$(KEEPER_OBJS): $(O)/libdirs
$(KEEPER_OBJS): override CPPFLAGS += -DSMC_KEEP='"$(LIBEXECDIR)/smc_keep"' -DSMC_HOME='"$(if $(findstring shim32,$@),$(LIBDIR32),$(LIBDIR))"'
ifneq ($(file <$(O)/libdirs),$(LIBDIR):$(LIBDIR32):$(LIBEXECDIR):$(BINDIR):$(DATADIR))
$(O)/libdirs: FORCE
endif
$(O)/libdirs:
	$(mkdir)
	@printf '%s\n' '$(LIBDIR):$(LIBDIR32):$(LIBEXECDIR):$(BINDIR):$(DATADIR)' > $@

# ---- the eBPF programs -----------------------------------------------------------------
BPF_NEEDS = $(shell awk '$$1 == "bpf" { text = text sep last; sep = text == "" ? "" : ", "; \
	last = $$3 == $$4 ? $$3 : $$3 " (Debian, Ubuntu) or " $$4 " (RPM)" } END { print text " and " last }' packaging/packages)
all: $(if $(EXTRA),$(if $(HAVE_BPF),,$(O)/no-smc_bpf))
$(O)/no-smc_bpf:
	$(mkdir)
	@echo 'smc_bpf is not built: it needs $(BPF_NEEDS)$(if $(SYSROOT), that can do $(BPF_TARGET))' | tee $@
vpath %.bpf.c $(sort $(dir $(BPF_SOURCES)))
$(O)/bpf/%.o: %.bpf.c Makefile
	$(mkdir)
	$(call say,BPF)
	$(Q)$(BPF_CLANG) $(BPF_CFLAGS) -MMD -MP -c -o $@ $<
$(O)/bpf/%.bpf.o: $(O)/bpf/%.o
	$(Q)$(BPFTOOL) gen object $@ $<
ifneq ($(HAVE_BPF),)
$(O)/bpf/%.bytes.h: $(O)/bpf/%.bpf.o
	$(Q)<$< $(bytes) >$@
else
# Stands for the object that was not built. The code that loads it reports this.
$(O)/bpf/%.bytes.h:
	$(mkdir)
	$(Q)echo 0 >$@
endif
.SECONDARY: $(BPF_BYTES) $(BPF_BYTES:.bytes.h=.o) $(BPF_BYTES:.bytes.h=.bpf.o)

# ---- the preload library -------------------------------------------------------------------------
SHIM_SRC := $(wildcard ld_pre_smc/*.c ld_pre_smc/*/*.c) lib/launch/learned.c lib/launch/rules.c lib/launch/variables.c
# The names for 64-bit times and large files are not redirected here: the library exports both variants, see next.h.
# Where a long has 64 bits, the plain names are those for large files, and every libc has them; musl has no open64()
# since 1.2.4. Programs of musl load this library as well. musl has no _FORTIFY_SOURCE functions, and no loader of
# glibc; on some machines the stack protector's guard is a variable of that loader. Link-time optimization loses the symbol
# versions in assembler code. These flags come after the caller's.
SHIM_GUARD = $(findstring __stack_chk_guard,$(shell echo 'int f(char *); int g(void) { char text[99]; return f(text); }' | \
	$(CC) -fstack-protector-strong -S -x c -o - - 2>/dev/null))
SHIM_FLAGS = $(call once,SHIM_FLAGS,-U_TIME_BITS -U_FORTIFY_SOURCE -fPIC -fno-plt -fno-lto $(if $(SHIM_GUARD),-fno-stack-protector))
SHIM_PLAIN = $(if $(filter 8,$(shell echo __SIZEOF_LONG__ | $(CC) -E -P -x c - 2>/dev/null)),-U_FILE_OFFSET_BITS)
# The 32-bit library needs a compiler that finds every header of the library and links the result.
HAVE_32 := $(if $(filter x86_64-%,$(MACHINE)),$(if $(wildcard $(O)/32/ld_pre_smc.so),y,$(shell \
	grep -h '^\#include <' ld_pre_smc/*.[ch] ld_pre_smc/*/*.[ch] $(EXTRA:%=%/ld_pre_smc_spin/*.[ch]) | \
	$(CC) -m32 $(CPPFLAGS) $(CFLAGS) -fPIC -shared -x c -o /dev/null - 2>/dev/null && echo y)))
SHIMS := ld_pre_smc $(if $(EXTRA),ld_pre_smc_spin)
shim: $(SHIMS:%=$(O)/%.so) $(if $(HAVE_32),$(SHIMS:%=$(O)/32/%.so))
# Each start of a program maps the library: one mapping for its code and constants, not three; and looks up its symbols: none for
# what it exports itself, nor for the start files, as it has nothing that they register.
# shim_link: library, directory of its objects, their sources, options for the machine, version, file with its names
define shim_link
$(1): $(3:%.c=$(2)/%.o) $(6)
	$$(mkdir)
	$$(call say,SHIM)
	$$(Q)$$(LINK) $$(SHIM_FLAGS) $(4) -shared -nostartfiles -Wl,-soname,$(notdir $(1))$(5) \
		-Wl,-z,noseparate-code,-Bsymbolic-functions \
		-Wl,--version-script=$$(filter %.map,$$^) -o $$@ $$(filter %.o,$$^)
endef
# shim_rules: directory of the libraries, of their objects, options for the machine
define shim_rules
$(call shim_link,$(1)/ld_pre_smc.so,$(2),$(SHIM_SRC),$(3),.1,ld_pre_smc/ld_pre_smc.map)
$(call shim_link,$(1)/ld_pre_smc_spin.so,$(2),$(wildcard extra/ld_pre_smc_spin/*.c) lib/launch/variables.c ld_pre_smc/symbol.c,$(3),,extra/ld_pre_smc_spin/ld_pre_smc_spin.map)
$(2)/%.o: %.c $(O)/version.h $(O)/differences.h $(O)/repairs.h Makefile
	$$(mkdir)
	$$(call say,CC)
	$$(Q)$$(COMPILE) $$(SHIM_FLAGS) $(3) -MMD -MP -c -o $$@ $$<
endef
$(eval $(call shim_rules,$(O),$(O)/obj/shim,$$(SHIM_PLAIN)))
$(eval $(call shim_rules,$(O)/32,$(O)/obj/shim32,-m32))

include tests/tests.mk
include packaging/install.mk
include packaging/packages.mk

clean:
	rm -rf $(O)

# Major versions format differently.
FORMAT_VERSION := 14
CLANG_FORMAT ?= $(or $(shell command -v clang-format-$(FORMAT_VERSION)),clang-format)
format: FORMAT := -i
check-format: FORMAT := --dry-run -Werror
format check-format:
	$(Q)$(CLANG_FORMAT) --version 2>/dev/null | grep -q 'version $(FORMAT_VERSION)\.' || \
		{ echo 'make $@: skipped, no clang-format $(FORMAT_VERSION)'; exit; }; \
		git ls-files -z '*.c' '*.h' | xargs -0 -P "$$(nproc)" -n 50 $(CLANG_FORMAT) --style=file $(FORMAT)

help:
	@sed -n 's/^# \(make .*\|        .*\)/\1/p' Makefile tests/tests.mk packaging/install.mk packaging/packages.mk

.PHONY: all core shim clean format check-format help FORCE
-include $(shell find $(O)/obj $(O)/bpf -name '*.d' 2>/dev/null)
