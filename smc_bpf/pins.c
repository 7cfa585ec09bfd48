// SPDX-License-Identifier: MIT
/* The eBPF programs: loaded once, pinned, unpinned. */
#include "smc_bpf/smc_bpf.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "bpf/convert.skel.h"
#include "host/smc.h"
#include "sys/bpfmap.h"

#include <bpf/btf.h>

#define HOOK "update_socket_protocol"

static const char *const pin_names[] = { SCOPE_HOOK, SCOPE_FORK, SCOPE_TASKS, SCOPE_SCOPES };
#define PIN_COUNT (sizeof(pin_names) / sizeof(pin_names[0]))

static bool has_capability(const struct __user_cap_data_struct *data, int cap)
{
	return data[CAP_TO_INDEX(cap)].effective & CAP_TO_MASK(cap);
}

/*
 * The kernel asks for the first two, and takes CAP_SYS_ADMIN for them. The third is asked for here:
 * this decides over other people's network.
 */
static int check_capabilities(struct smc_err *err)
{
	static const struct {
		int cap;
		const char *name;
		bool by_admin;
	} caps[] = {
		{ CAP_BPF, "CAP_BPF", true },
		{ CAP_PERFMON, "CAP_PERFMON", true },
		{ CAP_NET_ADMIN, "CAP_NET_ADMIN", false },
	};
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];
	char missing[64] = "";

	if (syscall(SYS_capget, &header, data))
		return smc_err_set(err, errno, "cannot read own capabilities");
	for (size_t i = 0; i < sizeof(caps) / sizeof(caps[0]); i++) {
		size_t len = strlen(missing);

		if (!has_capability(data, caps[i].cap) &&
		    !(caps[i].by_admin && has_capability(data, CAP_SYS_ADMIN)))
			snprintf(missing + len, sizeof(missing) - len, "%s%s", len ? ", " : "",
				 caps[i].name);
	}
	return *missing ? smc_err_say(err, EPERM, "missing capabilities: %s", missing) : 0;
}

static int check_bpffs(struct smc_err *err)
{
	struct statfs fs;

	if (statfs(SCOPE_BPFFS, &fs) || fs.f_type != BPF_FS_MAGIC)
		return smc_err_say(err, ENODEV, "no BPF file system at %s: mount -t bpf bpf %s",
				   SCOPE_BPFFS, SCOPE_BPFFS);
	return 0;
}

static int check_hook(struct smc_err *err)
{
	struct btf *btf = btf__load_vmlinux_btf();
	int id;

	if (!btf)
		return smc_err_say(err, ENOTSUP, "the kernel describes no types for eBPF: no "
				   "/sys/kernel/btf/vmlinux (CONFIG_DEBUG_INFO_BTF)");
	id = btf__find_by_name_kind(btf, HOOK, BTF_KIND_FUNC);
	btf__free(btf);
	return id > 0 ? 0 : smc_err_say(err, ENOTSUP, "the kernel has no " HOOK "(): that is Linux "
					"6.6 or later with CONFIG_MPTCP, and SMC needs 6.11");
}

static int check_smc(struct smc_err *err)
{
	int ret = kernel_ipproto_smc();

	return ret ? smc_err_set(err, -ret, "sockets with IPPROTO_SMC (Linux 6.11 or later, with "
				 "SMC) cannot be opened, so TCP sockets would fail, too") : 0;
}

static int load_error(int ret, const char *what, struct smc_err *err)
{
	if (ret == -E2BIG)
		return smc_err_say(err, E2BIG, "cannot %s: too many other eBPF programs are "
				   "attached to " HOOK "()", what);
	if (ret == -EPERM || ret == -EACCES)
		return smc_err_say(err, -ret, "cannot %s: a lockdown of the kernel, a security "
				   "module or a container forbids it", what);
	return smc_err_set(err, -ret, "cannot %s", what);
}

/* Links come last: without them nothing counts as pinned. */
static int pin_all(struct convert *skel)
{
	int ret = bpf_map__pin(skel->maps.tasks, SCOPE_DIR "/" SCOPE_TASKS);

	if (!ret)
		ret = bpf_map__pin(skel->maps.scopes, SCOPE_DIR "/" SCOPE_SCOPES);
	if (!ret)
		ret = bpf_link__pin(skel->links.smc_fork, SCOPE_DIR "/" SCOPE_FORK);
	if (!ret)
		ret = bpf_link__pin(skel->links.smc_socket, SCOPE_DIR "/" SCOPE_HOOK);
	return ret;
}

static int load(struct smc_err *err)
{
	mode_t mask = umask(077);
	struct convert *skel;
	int ret = -ENOMEM;

	skel = convert__open();
	if (skel)
		ret = convert__load(skel);
	if (ret) {
		load_error(ret, "load the eBPF programs", err);
	} else {
		ret = convert__attach(skel);
		if (ret)
			load_error(ret, "attach the eBPF programs", err);
		else if ((ret = pin_all(skel)))
			smc_err_set(err, -ret, "cannot pin the eBPF programs in " SCOPE_DIR);
	}
	convert__destroy(skel);
	umask(mask);
	return ret;
}

static int open_maps(struct pins *pins, bool writable, struct smc_err *err)
{
	int ret = 0;

	pins->tasks = bpfmap_open(SCOPE_DIR "/" SCOPE_TASKS, writable, sizeof(uint64_t));
	pins->scopes = bpfmap_open(SCOPE_DIR "/" SCOPE_SCOPES, writable, sizeof(struct smc_scope));
	if (pins->tasks < 0 || pins->scopes < 0)
		ret = pins->tasks < 0 ? pins->tasks : pins->scopes;
	if (!ret && access(SCOPE_DIR "/" SCOPE_HOOK, F_OK))
		ret = -errno;
	switch (ret) {
	case 0:
		return 0;
	case -ENOENT:
		return smc_err_say(err, ENOENT, "nothing is attached");
	case -ESTALE:
		return smc_err_say(err, ESTALE, "the eBPF programs were loaded by another version: "
				   "'smc_bpf detach --all' removes them");
	default:
		return smc_err_set(err, -ret, "cannot open the maps in " SCOPE_DIR);
	}
}

int pins_read(struct pins *pins, struct smc_err *err)
{
	return open_maps(pins, false, err);
}

/* The folder may be removed between opening and locking it, and made again by somebody else. */
static int lock(struct pins *pins, bool create, struct smc_err *err)
{
	struct stat locked, now;

	for (;;) {
		if (create && mkdir(SCOPE_DIR, 0700) && errno != EEXIST)
			return smc_err_set(err, errno, "cannot make " SCOPE_DIR);
		pins->dir = open(SCOPE_DIR, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
		if (pins->dir < 0 && errno == ENOENT && create)
			continue;
		if (pins->dir < 0 && errno == ENOENT)
			return smc_err_say(err, ENOENT, "nothing is attached");
		if (pins->dir < 0 || flock(pins->dir, LOCK_EX) || fstat(pins->dir, &locked))
			return smc_err_set(err, errno, "cannot open " SCOPE_DIR);
		if (!stat(SCOPE_DIR, &now) && now.st_ino == locked.st_ino)
			break;
		close(pins->dir);
	}
	/* In a BPF file system that anybody may write to, somebody else may have been first. */
	if (locked.st_uid != geteuid() || locked.st_mode & S_IWOTH)
		return smc_err_say(err, EPERM, SCOPE_DIR " belongs to user %u",
				   (unsigned int)locked.st_uid);
	return 0;
}

static int remove_files(void)
{
	char path[128];
	int ret = 0;

	for (size_t i = 0; i < PIN_COUNT; i++) {
		snprintf(path, sizeof(path), "%s/%s", SCOPE_DIR, pin_names[i]);
		if (unlink(path) && errno != ENOENT)
			ret = -errno;
	}
	return ret;
}

int pins_remove(struct smc_err *err)
{
	int ret = remove_files();

	if (!ret && rmdir(SCOPE_DIR) && errno != ENOENT)
		ret = -errno;
	return ret ? smc_err_set(err, -ret, "cannot remove " SCOPE_DIR) : 0;
}

static void close_maps(struct pins *pins)
{
	if (pins->tasks >= 0)
		close(pins->tasks);
	if (pins->scopes >= 0)
		close(pins->scopes);
	pins->tasks = pins->scopes = -1;
}

static int load_first(struct pins *pins, struct smc_err *err)
{
	struct smc_err ignored;
	int ret;

	close_maps(pins);
	remove_files();
	ret = load(err);
	if (!ret)
		ret = open_maps(pins, true, err);
	if (ret)
		pins_remove(&ignored);
	return ret;
}

/* All that could be in the way of attaching. The programs being there proves most of it. */
static int check_host(struct smc_err *err)
{
	int ret = check_capabilities(err);

	/* It would print what is said here. */
	libbpf_set_print(NULL);
	if (!ret)
		ret = check_bpffs(err);
	if (!ret && access(SCOPE_DIR "/" SCOPE_HOOK, F_OK))
		ret = check_hook(err);
	if (!ret)
		ret = check_smc(err);
	return ret;
}

/* Loading tells what is no fact of the host alone: lockdown, security modules. */
int pins_check(struct smc_err *err)
{
	int ret = check_host(err);
	struct convert *skel;

	if (ret || !access(SCOPE_DIR "/" SCOPE_HOOK, F_OK))
		return ret;
	skel = convert__open();
	ret = skel ? convert__load(skel) : -ENOMEM;
	convert__destroy(skel);
	return ret ? load_error(ret, "load the eBPF programs", err) : 0;
}

int pins_change(struct pins *pins, bool may_load, struct smc_err *err)
{
	int ret = may_load ? check_host(err) : check_capabilities(err);

	if (!ret)
		ret = lock(pins, may_load, err);
	if (!ret)
		ret = open_maps(pins, true, err);
	return ret == -ENOENT && may_load ? load_first(pins, err) : ret;
}

/* The group needs to write marks and to read which scopes there are, not to change the programs. */
int pins_allow(gid_t gid, struct smc_err *err)
{
	static const struct {
		const char *path;
		mode_t mode;
	} files[] = {
		{ SCOPE_DIR, 0710 },
		{ SCOPE_DIR "/" SCOPE_TASKS, 0660 },
		{ SCOPE_DIR "/" SCOPE_SCOPES, 0640 },
	};

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		if (chown(files[i].path, (uid_t)-1, gid) || chmod(files[i].path, files[i].mode))
			return smc_err_set(err, errno, "cannot give %s to the group",
					   files[i].path);
	return 0;
}

void pins_close(struct pins *pins)
{
	close_maps(pins);
	if (pins->dir >= 0)
		close(pins->dir);
	pins->dir = -1;
}
