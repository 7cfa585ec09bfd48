# SPDX-License-Identifier: MIT
# make install        DESTDIR, PREFIX, BINDIR, LIBDIR, LIBDIR32, LIBEXECDIR, MANDIR, DOCDIR, DATADIR, ANSIBLEDIR, COMPDIR,
#                     ZSHDIR, FISHDIR, UNITDIR, PRESETDIR, UDEVDIR, HOOKDIR (empty: no container hook), APPARMORDIR (empty: no abstraction,
#                     the default unless PREFIX=/usr); INSTALL_LIB32=1: also install the library for 32-bit programs, and
#                     for musl programs on Debian; INSTALL_SETUID_SHIM=1: see SECURITY.md
# make install-core   the same without extra/
# make uninstall      removes installed files; takes the same variables
# make dist           smc-tools-VERSION.tar.gz of the committed state, the same bytes every time

INSTALL ?= install
UNITDIR ?= $(PREFIX)/lib/systemd/system
PRESETDIR ?= $(UNITDIR:%/system=%/system-preset)
UDEVDIR ?= $(PREFIX)/lib/udev/rules.d
HOOKDIR ?= $(PREFIX)/share/containers/oci/hooks.d
APPARMORDIR ?= $(if $(filter /usr,$(PREFIX)),/etc/apparmor.d)
INSTALL_UNITS := $(if $(EXTRA),smc-conf.service smc-conf-watch.service smc-metrics.service smc-metrics.timer)
INSTALL_PRESETS := $(if $(EXTRA),90-smc-tools.preset)
INSTALL_RULES := $(if $(EXTRA),90-smc-conf.rules)
# Runtimes start it only for containers with the annotation smc-tools/attach.
INSTALL_HOOKS := $(if $(and $(HAVE_BPF),$(HOOKDIR)),smc-tools.json)
# The file that profiles include, and profiles that units name.
INSTALL_APPARMOR := $(if $(APPARMORDIR),abstractions/smc-tools smc_chk-serve $(if $(EXTRA),smc_conf))
# Files for Prometheus, Grafana, sos, tuned and SELinux.
INSTALL_SHARED := packaging/selinux/smc_tools.cil $(if $(EXTRA),\
	$(addprefix packaging/metrics/,smc-tools.rules.yml smc-tools.dashboard.json) docs/runbook.md) packaging/sos/smc_tools.py \
	packaging/tuned/tuned.conf
INSTALL_PROFILES := $(wildcard profiles/*)
# Ansible's default path, beside which roles are.
ANSIBLEDIR ?= $(PREFIX)/share/ansible/plugins/modules
INSTALL_ROLE := $(if $(EXTRA),$(patsubst packaging/ansible/%,%,$(wildcard packaging/ansible/roles/smc_tools/*/main.yml)))
ROLEDIR = $(patsubst %/plugins/modules,%,$(ANSIBLEDIR))
ZSHDIR ?= $(PREFIX)/share/zsh/site-functions
FISHDIR ?= $(PREFIX)/share/fish/vendor_completions.d
# DOCDIR has the same layout as the tree, so that links between documents work. Packages install the notes
# elsewhere.
INSTALL_DOCS = $(call once,INSTALL_DOCS,README.md $(filter-out docs/hacking.md,$(wildcard SECURITY.md docs/*.md docs/pictures/*.svg)) \
	$(shell find examples -type f) $(addprefix packaging/container/,Containerfile Containerfile.preload))
INSTALL_NOTES := CHANGELOG.md LICENSE
# All pages of man/; the suffix decides the directory: man/smcss.8 goes to man8. Installation adds the version.
EXTRA_PAGES := $(patsubst extra/%,man/%.8,$(wildcard extra/smc_*)) man/smc.conf.5 man/smc-metrics.8
INSTALL_PAGES := $(filter-out $(if $(HAVE_BPF),,man/smc_bpf.8) $(if $(EXTRA),,$(EXTRA_PAGES)),$(wildcard man/*.[1-8]))

# The real file has the name that users put into LD_PRELOAD. Install the soname link, because ldconfig(8), which
# examines every lib*.so, would otherwise create it as a file of no package.
SHIM_NAME := ld_pre_smc.so
SPIN_NAME := $(if $(EXTRA),ld_pre_smc_spin.so)
SHIM_LINKS := ld_pre_smc.so.1 libsmc-preload.so
# ld.so(8) preloads a library into set-uid programs only if it is set-uid itself.
SHIM_MODE := $(if $(filter 1,$(INSTALL_SETUID_SHIM)),4755,0755)

# Only on request: packages of the other architecture install the library into these directories.
LIB32 := $(if $(filter 1,$(INSTALL_LIB32)),$(LIBDIR32))
# smc_run passes the library as PREFIX/$LIB/..., and ld.so expands $LIB. On Debian, libc6:i386 expands it to
# lib/i386-linux-gnu, and libc6-i386 to lib32. Install a link for the latter.
LIB32_LINKDIR := $(if $(filter %/lib/i386-linux-gnu,$(LIB32)),$(LIB32:%/lib/i386-linux-gnu=%/lib32))
# smc_run passes the bare name of the library if it also works with musl; musl's loader on Debian looks here.
MUSL_LINKDIR := $(if $(and $(filter 1,$(INSTALL_LIB32)),$(findstring -linux-gnu,$(LIBDIR))),$(subst -linux-gnu,-linux-musl,$(LIBDIR)))

page_dir = $(DESTDIR)$(MANDIR)/man$(patsubst .%,%,$(suffix $(1)))
# install_shim: library, directory
define install_shim
	$(Q)$(INSTALL) -d '$(DESTDIR)$(2)'
	$(Q)$(INSTALL) -m $(SHIM_MODE) $(1) '$(DESTDIR)$(2)/$(SHIM_NAME)'
	$(if $(SPIN_NAME),$(Q)$(INSTALL) -m $(SHIM_MODE) $(dir $(1))$(SPIN_NAME) '$(DESTDIR)$(2)')
	$(Q)for link in $(SHIM_LINKS); do ln -sf $(SHIM_NAME) '$(DESTDIR)$(2)/'$$link || exit; done

endef
define install_lib32_link
	$(Q)$(INSTALL) -d '$(DESTDIR)$(LIB32_LINKDIR)'
	$(Q)ln -sf $(addprefix ../lib/i386-linux-gnu/,$(SHIM_NAME) $(SPIN_NAME)) '$(DESTDIR)$(LIB32_LINKDIR)'

endef
define install_musl_link
	$(Q)$(INSTALL) -d '$(DESTDIR)$(MUSL_LINKDIR)'
	$(Q)ln -sf $(addprefix ../$(notdir $(LIBDIR))/,$(SHIM_NAME) $(SPIN_NAME)) '$(DESTDIR)$(MUSL_LINKDIR)'

endef
# install_with_paths: file, directory
define install_with_paths
	$(Q)$(INSTALL) -d '$(DESTDIR)$(2)'
	$(Q)$(INSTALL) -m 0644 packaging/$(1) '$(DESTDIR)$(2)'
	$(Q)sed -i 's,@BINDIR@,$(BINDIR),; s,@LIBEXECDIR@,$(LIBEXECDIR),' '$(DESTDIR)$(2)/$(1)'

endef
# Replaces links to files that are not installed by the text of the link. Links to installed files are marked first.
MARK_LINKS = $(foreach file,$(INSTALL_DOCS) $(INSTALL_NOTES) examples/,-e 's,](\(\(\.\./\)*$(file:$(dir $(1))%=%)\(\#[-a-z0-9_]*\)*\)),]<<\1>>,g')
FLATTEN_LINKS := -e 's,\[\([^]]*\)\](\([^):\#]\+[^):]*\)),\1 (in the sources),g' -e 's,\]<<\([^>]*\)>>,](\1),g'
define install_doc
	$(Q)$(INSTALL) -d '$(DESTDIR)$(DOCDIR)/$(dir $(1))'
	$(Q)$(INSTALL) -m 0644 $(1) '$(DESTDIR)$(DOCDIR)/$(1)'
	$(if $(filter %.md,$(1)),$(Q)sed -i $(MARK_LINKS) $(FLATTEN_LINKS) '$(DESTDIR)$(DOCDIR)/$(1)')

endef
define install_page
	$(Q)$(INSTALL) -d '$(call page_dir,$(1))'
	$(Q)$(INSTALL) -m 0644 $(1) '$(call page_dir,$(1))'
	$(Q)sed -i 's/^\.Os smc-tools$$/& $(VERSION)/' '$(call page_dir,$(1))/$(notdir $(1))'

endef

install install-core: all
	$(Q)$(INSTALL) -d '$(DESTDIR)$(BINDIR)' '$(DESTDIR)$(COMPDIR)' '$(DESTDIR)$(ZSHDIR)' '$(DESTDIR)$(FISHDIR)' \
		'$(DESTDIR)$(DOCDIR)' '$(DESTDIR)$(DATADIR)' $(if $(EXTRA),'$(DESTDIR)$(ANSIBLEDIR)')
	$(Q)$(INSTALL) -m 0755 $(TOOLS:%=$(O)/%) '$(DESTDIR)$(BINDIR)'
	$(Q)$(INSTALL) -d '$(DESTDIR)$(LIBEXECDIR)'
	$(Q)$(INSTALL) -m 0755 $(HELPERS:%=$(O)/%) $(if $(EXTRA),packaging/metrics/smc-metrics) '$(DESTDIR)$(LIBEXECDIR)'
	$(Q)$(INSTALL) -m 0644 $(INSTALL_SHARED) '$(DESTDIR)$(DATADIR)'
	$(Q)$(INSTALL) -d '$(DESTDIR)$(DATADIR)/profiles'
	$(Q)$(INSTALL) -m 0644 $(INSTALL_PROFILES) '$(DESTDIR)$(DATADIR)/profiles'
	$(call install_shim,$(O)/$(SHIM_NAME),$(LIBDIR))
	$(if $(and $(HAVE_32),$(LIB32)),$(call install_shim,$(O)/32/$(SHIM_NAME),$(LIB32)))
	$(if $(and $(HAVE_32),$(LIB32_LINKDIR)),$(install_lib32_link))
	$(if $(MUSL_LINKDIR),$(install_musl_link))
	$(foreach unit,$(INSTALL_UNITS),$(call install_with_paths,$(unit),$(UNITDIR)))
	$(foreach preset,$(INSTALL_PRESETS),$(call install_with_paths,$(preset),$(PRESETDIR)))
	$(foreach rule,$(INSTALL_RULES),$(call install_with_paths,$(rule),$(UDEVDIR)))
	$(foreach hook,$(INSTALL_HOOKS),$(call install_with_paths,$(hook),$(HOOKDIR)))
	$(if $(INSTALL_APPARMOR),$(Q)$(INSTALL) -d '$(DESTDIR)$(APPARMORDIR)/abstractions' && \
		$(INSTALL) -m 0644 packaging/apparmor/abstractions/* '$(DESTDIR)$(APPARMORDIR)/abstractions' && \
		$(INSTALL) -m 0644 $(patsubst %,packaging/apparmor/%,$(filter smc_%,$(INSTALL_APPARMOR))) '$(DESTDIR)$(APPARMORDIR)')
	$(foreach page,$(INSTALL_PAGES),$(call install_page,$(page)))
	$(if $(EXTRA),$(Q)$(INSTALL) -m 0644 packaging/ansible/smc_conf.py '$(DESTDIR)$(ANSIBLEDIR)')
	$(if $(EXTRA),$(Q)for file in $(INSTALL_ROLE); do \
		$(INSTALL) -D -m 0644 packaging/ansible/$$file '$(DESTDIR)$(ROLEDIR)/'$$file || exit; done)
	$(Q)$(INSTALL) -m 0644 completions/smc-tools '$(DESTDIR)$(COMPDIR)'
	$(Q)$(INSTALL) -m 0644 completions/_smc-tools '$(DESTDIR)$(ZSHDIR)'
	$(Q)$(INSTALL) -m 0644 completions/smc-tools.fish '$(DESTDIR)$(FISHDIR)'
	$(Q)for tool in $(TOOLS); do ln -sf smc-tools '$(DESTDIR)$(COMPDIR)/'$$tool && \
		ln -sf smc-tools.fish '$(DESTDIR)$(FISHDIR)/'$$tool.fish || exit; done
	$(foreach file,$(INSTALL_DOCS) $(INSTALL_NOTES),$(call install_doc,$(file)))

# ld.so(8) complains in every process of a service whose drop-in names a missing library.
DROPINS := '$(DESTDIR)'/etc/systemd/system/*.service.d/zz-smc-tools.conf
# Remove only the directories of documents, data and helpers: all others are shared.
uninstall:
	$(Q)for file in $(DROPINS); do [ ! -e "$$file" ] || { echo "make uninstall: services use smc-tools: first" \
		"run 'smc_unit disable --all', or remove $$file" >&2; exit 1; }; done
	$(Q)for dir in '$(DESTDIR)$(LIBDIR)' $(if $(LIB32),'$(DESTDIR)$(LIB32)') \
			$(if $(LIB32_LINKDIR),'$(DESTDIR)$(LIB32_LINKDIR)') $(if $(MUSL_LINKDIR),'$(DESTDIR)$(MUSL_LINKDIR)'); do \
		(cd "$$dir" 2>/dev/null && rm -f $(SHIM_NAME) $(SPIN_NAME) $(SHIM_LINKS)) || :; done
	$(Q)rm -f $(foreach tool,$(TOOLS),'$(DESTDIR)$(BINDIR)/$(tool)' '$(DESTDIR)$(COMPDIR)/$(tool)' '$(DESTDIR)$(FISHDIR)/$(tool).fish')
	$(Q)rm -f '$(DESTDIR)$(ZSHDIR)/_smc-tools' '$(DESTDIR)$(FISHDIR)/smc-tools.fish'
	$(Q)rm -f '$(DESTDIR)$(COMPDIR)/smc-tools' $(HELPERS:%='$(DESTDIR)$(LIBEXECDIR)/%') '$(DESTDIR)$(LIBEXECDIR)/smc-metrics'
	$(Q)rm -f $(foreach file,$(notdir $(INSTALL_SHARED)) $(INSTALL_PROFILES),'$(DESTDIR)$(DATADIR)/$(file)')
	$(Q)rmdir '$(DESTDIR)$(DATADIR)/profiles' 2>/dev/null || :
	$(Q)rm -f $(foreach page,$(INSTALL_PAGES),'$(call page_dir,$(page))/$(notdir $(page))')
	$(Q)rm -f $(INSTALL_UNITS:%='$(DESTDIR)$(UNITDIR)/%') $(INSTALL_RULES:%='$(DESTDIR)$(UDEVDIR)/%')
	$(Q)rm -f $(INSTALL_APPARMOR:%='$(DESTDIR)$(APPARMORDIR)/%')
	$(Q)rm -f $(INSTALL_PRESETS:%='$(DESTDIR)$(PRESETDIR)/%') $(INSTALL_HOOKS:%='$(DESTDIR)$(HOOKDIR)/%')
	$(Q)rm -f $(foreach file,$(INSTALL_DOCS) $(INSTALL_NOTES),'$(DESTDIR)$(DOCDIR)/$(file)')
	$(Q)rm -f '$(DESTDIR)$(ANSIBLEDIR)/smc_conf.py' $(INSTALL_ROLE:%='$(DESTDIR)$(ROLEDIR)/%')
	$(Q)[ ! -d '$(DESTDIR)$(DOCDIR)' ] || find '$(DESTDIR)$(DOCDIR)' -depth -type d -exec rmdir {} + 2>/dev/null || :
	$(Q)rmdir '$(DESTDIR)$(DATADIR)' '$(DESTDIR)$(LIBEXECDIR)' 2>/dev/null || :

DIST := smc-tools-$(VERSION)
dist:
	$(Q)git rev-parse --verify -q HEAD >/dev/null || { echo 'make dist needs a git work tree' >&2; exit 1; }
	$(Q)git diff --quiet HEAD || echo 'make dist: changes that are not committed are left out' >&2
	$(Q)mkdir -p $(O)
	$(Q)git -c tar.umask=0022 archive --format=tar --prefix=$(DIST)/ -o $(O)/$(DIST).tar HEAD
	$(Q)gzip -9n <$(O)/$(DIST).tar >$(DIST).tar.gz.tmp && mv $(DIST).tar.gz.tmp $(DIST).tar.gz
	$(Q)rm -f $(O)/$(DIST).tar
	@echo $(DIST).tar.gz

.PHONY: install install-core uninstall dist
