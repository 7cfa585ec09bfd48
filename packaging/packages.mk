# SPDX-License-Identifier: MIT
# make deb            Debian packages of the committed state, into build/packages; DEB_BUILD: dpkg-buildpackage;
#                     DEB_BUILD_OPTIONS=nocheck without "make check", of RPM packages, too
# make rpm            the same as RPM packages; RPMBUILD: rpmbuild
# make check-packages both, twice: lintian, rpmlint, contents, the same bytes; installed, upgraded and removed
# make check-installed the demo, and those tests of SUITES that use a kernel, with the Debian packages' programs in the guests
DEB_BUILD ?= dpkg-buildpackage
RPMBUILD ?= rpmbuild
PACKAGES := $(abspath $(O))/packages
PACKAGE_KINDS := build bpf $(if $(filter nocheck,$(DEB_BUILD_OPTIONS)),,test)

deb:
	$(Q)tests/setup $(PACKAGE_KINDS) deb
	$(Q)$(MAKE) --no-print-directory dist >/dev/null
	$(Q)DEB_BUILD='$(DEB_BUILD)' packaging/build deb '$(CURDIR)/$(DIST).tar.gz' '$(PACKAGES)'

rpm:
	$(Q)tests/setup $(PACKAGE_KINDS) rpm
	$(Q)$(MAKE) --no-print-directory dist >/dev/null
	$(Q)RPMBUILD='$(RPMBUILD)' packaging/build rpm '$(CURDIR)/$(DIST).tar.gz' '$(PACKAGES)'

check-packages:
	$(Q)tests/setup build bpf test deb rpm packages
	$(Q)$(MAKE) --no-print-directory deb rpm
	$(Q)tests/packages '$(PACKAGES)' '$(CURDIR)/$(DIST).tar.gz'
	$(Q)tests/package-scripts '$(PACKAGES)'
	$(Q)tests/autopkgtest '$(PACKAGES)'

check-installed: SUITES ?= $(shell awk '$$4 ~ /(^|,)installed(,|$$)/ { print $$1 }' tests/suites)
check-installed:
	$(Q)tests/setup $(check-vm_KINDS) deb
	$(Q)+$(BUILD_ALL) tests
	$(Q)$(MAKE) --no-print-directory deb
	$(Q)BUILD='$(abspath $(O))' tests/installed '$(PACKAGES)' $(SUITES)

.PHONY: deb rpm check-packages check-installed
