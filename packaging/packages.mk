# SPDX-License-Identifier: MIT
# make deb            builds Debian packages of the committed state in build/packages; DEB_BUILD: dpkg-buildpackage;
#                     DEB_BUILD_OPTIONS=nocheck skips "make check", also for RPM packages; as root on Debian this, "make rpm"
#                     and all checks first install what they need, by tests/setup and apt-get, and on a terminal ask
# make rpm            builds RPM packages; RPMBUILD: rpmbuild
# make check-packages builds both twice and compares the bytes; lintian, rpmlint, contents; installs, upgrades and removes them
# make check-installed runs the demo and kernel tests of SUITES with the programs of the Debian packages, and tests/loopback
# make loopback       builds the kernel's modules smc and smc_diag with SMC-D over loopback, from the distribution's source; KERNEL:
#                     release of an installed kernel, the running one by default; SOURCE: another source, unpacked or a tarball
# make install-loopback   installs them in /lib/modules/KERNEL/updates; "make uninstall-loopback" restores the kernel's own
# make install-dkms   installs what dkms needs to build them again for each kernel: dkms install smc-loopback/VERSION
DEB_BUILD ?= dpkg-buildpackage
RPMBUILD ?= rpmbuild
PACKAGES := $(abspath $(O))/packages
PACKAGE_KINDS := build extra bpf $(if $(filter nocheck,$(DEB_BUILD_OPTIONS)),,test)

LOOPBACK = $(O)/loopback/$(KERNEL)
UPDATES = $(DESTDIR)/lib/modules/$(KERNEL)/updates
loopback install-loopback uninstall-loopback: KERNEL ?= $(shell uname -r)

loopback:
	$(Q)packaging/dkms/smc-loopback check '$(KERNEL)' $(if $(SOURCE),'$(SOURCE)')
	$(Q)rm -rf '$(LOOPBACK)'
	$(Q)packaging/dkms/smc-loopback build '$(KERNEL)' '$(LOOPBACK)' $(if $(SOURCE),'$(SOURCE)')
	@echo '$(LOOPBACK)/net/smc/smc.ko'

# Without types for debuggers, which are ten times as large.
install-loopback:
	$(Q)packaging/dkms/smc-loopback compare '$(KERNEL)' '$(LOOPBACK)'/net/smc/smc.ko '$(LOOPBACK)'/net/smc/smc_diag.ko
	$(Q)$(INSTALL) -d '$(UPDATES)'
	$(Q)for name in smc smc_diag; do strip -g -o '$(UPDATES)'/$$name.ko '$(LOOPBACK)'/net/smc/$$name.ko || exit; done
	$(Q)depmod $(if $(DESTDIR),-b '$(DESTDIR)') '$(KERNEL)'

uninstall-loopback:
	$(Q)rm -f '$(UPDATES)/smc.ko' '$(UPDATES)/smc_diag.ko'
	$(Q)rmdir '$(UPDATES)' 2>/dev/null || :
	$(Q)depmod $(if $(DESTDIR),-b '$(DESTDIR)') '$(KERNEL)'

install-dkms:
	$(Q)$(INSTALL) -d '$(DESTDIR)/usr/src/smc-loopback-$(VERSION)'
	$(Q)$(INSTALL) packaging/dkms/smc-loopback '$(DESTDIR)/usr/src/smc-loopback-$(VERSION)'
	$(Q)sed 's/@VERSION@/$(VERSION)/' packaging/dkms/dkms.conf >'$(DESTDIR)/usr/src/smc-loopback-$(VERSION)/dkms.conf'
	$(Q)$(INSTALL) -d '$(DESTDIR)/usr/lib/modprobe.d'
	$(Q)sed 's/@VERSION@/$(VERSION)/' packaging/dkms/smc-loopback.conf >'$(DESTDIR)/usr/lib/modprobe.d/zz-smc-loopback.conf'

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
	$(Q)BUILD='$(abspath $(O))' tests/loopback '$(PACKAGES)'

.PHONY: loopback install-loopback uninstall-loopback install-dkms deb rpm check-packages check-installed
