# SPDX-License-Identifier: MIT
# make deb            Debian packages of the committed state, into build/packages; DEB_BUILD: dpkg-buildpackage
# make rpm            the same as RPM packages; RPMBUILD: rpmbuild
# make check-packages both, twice: lintian, rpmlint, contents, the same bytes; installed, upgraded and removed
DEB_BUILD ?= dpkg-buildpackage
RPMBUILD ?= rpmbuild
PACKAGES := $(abspath $(O))/packages

deb:
	$(Q)tests/setup deb
	$(Q)$(MAKE) --no-print-directory dist >/dev/null
	$(Q)DEB_BUILD='$(DEB_BUILD)' packaging/build deb '$(CURDIR)/$(DIST).tar.gz' '$(PACKAGES)'

rpm:
	$(Q)tests/setup rpm
	$(Q)$(MAKE) --no-print-directory dist >/dev/null
	$(Q)RPMBUILD='$(RPMBUILD)' packaging/build rpm '$(CURDIR)/$(DIST).tar.gz' '$(PACKAGES)'

check-packages:
	$(Q)tests/setup deb rpm packages
	$(Q)$(MAKE) --no-print-directory deb rpm
	$(Q)tests/packages '$(PACKAGES)' '$(CURDIR)/$(DIST).tar.gz'
	$(Q)tests/package-scripts '$(PACKAGES)'

.PHONY: deb rpm check-packages
