# SPDX-License-Identifier: MIT
# make deb            builds Debian packages of the committed state in build/packages; DEB_BUILD: dpkg-buildpackage;
#                     DEB_BUILD_OPTIONS=nocheck skips "make check", also for RPM packages; as root on Debian this, "make rpm"
#                     and all checks first install what they need, by tests/setup and apt-get
# make rpm            builds RPM packages; RPMBUILD: rpmbuild
# make check-packages builds both twice and compares the bytes; lintian, rpmlint, contents; installs, upgrades and removes them
# make check-installed runs the demo and kernel tests of SUITES with the programs of the Debian packages
DEB_BUILD ?= dpkg-buildpackage
RPMBUILD ?= rpmbuild
PACKAGES := $(abspath $(O))/packages
PACKAGE_KINDS := build extra bpf $(if $(filter nocheck,$(DEB_BUILD_OPTIONS)),,test)

deb:
	$(Q)tests/setup $(PACKAGE_KINDS) deb
	$(Q)$(MAKE) --no-print-directory dist >/dev/null
	$(Q)DEB_BUILD='$(DEB_BUILD)' packaging/build deb '$(CURDIR)/$(DIST).tar.gz' '$(PACKAGES)'

rpm:
	$(Q)tests/setup $(PACKAGE_KINDS) rpm
	$(Q)$(MAKE) --no-print-directory dist >/dev/null
	$(Q)RPMBUILD='$(RPMBUILD)' packaging/build rpm '$(CURDIR)/$(DIST).tar.gz' '$(PACKAGES)'

check-packages:
	$(Q)tests/setup build extra bpf test deb rpm packages
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
