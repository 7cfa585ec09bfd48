// SPDX-License-Identifier: MIT
#include "cgroup/attach.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/vfs.h>

#include "base/array.h"
#include "bpf/bpfmap.h"
#include "bpf/libbpf_load.h"
#include "bpf/rights.h"
#include "host/btf.h"
#include "host/smc.h"

/* Pinned in this order: the hook comes last, because nothing is attached without it. */
static const struct part {
	const char *name, *pin;
	const char *function; /* that the program attaches to; NULL for a map */
	bool is_for_old;      /* not needed since Linux 7.2 */
} parts[] = {
	{ "tasks", SCOPE_DIR "/" SCOPE_TASKS, NULL },
	{ "scopes", SCOPE_DIR "/" SCOPE_SCOPES, NULL },
	{ "smc_fork", SCOPE_DIR "/" SCOPE_FORK, "sched_process_fork" },
	{ "smc_setsockopt", SCOPE_DIR "/" SCOPE_SETSOCKOPT, SCOPE_OPTIONS_FUNCTION },
	{ "smc_getsockopt", SCOPE_DIR "/" SCOPE_GETSOCKOPT, "security_socket_getsockopt", true },
	{ "smc_socket", SCOPE_DIR "/" SCOPE_HOOK, SCOPE_FUNCTION },
};

static const unsigned char object_file[] = {
#include "bpf/convert.bytes.h"
};

/* ---- conditions ---- */

static int check_hook(struct smc_err *err)
{
	const char *missing;

	switch (btf_kernel_has(SCOPE_FUNCTION)) {
	case -1:
		return smc_err_say(err, ENOTSUP,
				   "the kernel has no type information for eBPF: no "
				   "/sys/kernel/btf/vmlinux (CONFIG_DEBUG_INFO_BTF)");
	case 0:
		return smc_err_say(err, ENOTSUP,
				   "the kernel has no " SCOPE_FUNCTION "(): that is Linux 6.6 or "
				   "later with CONFIG_MPTCP, and SMC needs 6.11");
	default:
		/* Without the JIT compiler (Debian's s390x) loading fails with ENOMEM only. */
		missing = bpf_convert_missing();
		return missing ? smc_err_say(err, ENOTSUP, "the kernel lacks %s", missing) : 0;
	}
}

static int check_smc(struct smc_err *err)
{
	int ret = kernel_ipproto_smc();

	if (ret && kernel_af_smc() == -EAFNOSUPPORT)
		return smc_err_say(err, EAFNOSUPPORT, "%s", smc_missing());
	return ret ? smc_err_set(err, -ret,
				 "cannot open sockets with IPPROTO_SMC (Linux 6.11 or "
				 "later, with SMC), so TCP sockets would fail, too") :
		     0;
}

/*
 * The kernel does not require CAP_NET_ADMIN; this tool does, because attaching changes the network
 * of other users' programs.
 */
static int check_host(struct smc_err *err)
{
	int ret = bpf_rights(true, err);
	struct statfs fs;

	if (!ret && (statfs(SCOPE_BPFFS, &fs) || (unsigned int)fs.f_type != BPF_FS_MAGIC))
		return smc_err_say(err, ENODEV, "no BPF file system at %s: mount -t bpf bpf %s",
				   SCOPE_BPFFS, SCOPE_BPFFS);
	/* An attached program proves that the hook exists. */
	if (!ret && access(SCOPE_DIR "/" SCOPE_HOOK, F_OK))
		ret = check_hook(err);
	return ret ? ret : check_smc(err);
}

/* ---- loading ---- */

/** struct loaded - programs and maps, which live as long as they are pinned */
struct loaded {
	struct libbpf lib;
	struct bpf_object *object;
};

static int load(struct loaded *loaded, struct smc_err *err)
{
	int ret;

	if (sizeof(object_file) == 1)
		return smc_err_say(err, ENOTSUP, "this program was built without eBPF");
	ret = libbpf_find(&loaded->lib, err);
	if (ret)
		return ret;
	loaded->object = loaded->lib.bpf_object__open_mem(object_file, sizeof(object_file), NULL);
	ret = loaded->object ? loaded->lib.bpf_object__load(loaded->object) : -ENOMEM;
	return ret ? libbpf_load_error(ret, err) : 0;
}

static void unload(struct loaded *loaded)
{
	if (loaded->object)
		loaded->lib.bpf_object__close(loaded->object);
}

static int pin_part(const struct loaded *loaded, const struct part *part, struct smc_err *err)
{
	const struct libbpf *lib = &loaded->lib;
	struct bpf_link *link;
	int ret;

	if (!part->function) {
		ret = bpfmap_pin(lib->bpf_object__find_map_fd_by_name(loaded->object, part->name),
				 part->pin);
	} else {
		link = lib->bpf_program__attach(
			lib->bpf_object__find_program_by_name(loaded->object, part->name));
		ret = -errno;
		if (!link && ret == -E2BIG)
			return smc_err_say(err, E2BIG,
					   "cannot attach the eBPF programs: too many other eBPF "
					   "programs are attached to %s()",
					   part->function);
		if (!link)
			return bpf_load_error(ret, "attach the eBPF programs", err);
		ret = lib->bpf_link__pin(link, part->pin);
		lib->bpf_link__destroy(link);
	}
	return ret ? smc_err_set(err, -ret, "cannot pin the eBPF programs in " SCOPE_DIR) : 0;
}

static bool is_old_kernel(void)
{
	unsigned int major = 0, minor = 0;
	struct utsname host;

	uname(&host);
	sscanf(host.release, "%3u.%6u", &major, &minor);
	return major < 7 || (major == 7 && minor < 2);
}

static int load_and_pin(struct smc_err *err)
{
	struct loaded loaded AUTO(unload) = { .object = NULL };
	bool is_old = is_old_kernel();
	mode_t mask = umask(077);
	int ret = load(&loaded, err);

	for (size_t i = 0; !ret && i < ARRAY_SIZE(parts); i++)
		if (is_old || !parts[i].is_for_old)
			ret = pin_part(&loaded, &parts[i], err);
	umask(mask);
	return ret;
}

static int open_maps(struct pins *pins, bool writable, struct smc_err *err)
{
	int ret;

	pins->tasks = bpfmap_open(SCOPE_DIR "/" SCOPE_TASKS, writable, sizeof(uint64_t));
	pins->scopes = bpfmap_open(SCOPE_DIR "/" SCOPE_SCOPES, writable, sizeof(struct smc_scope));
	ret = pins->tasks < 0 ? pins->tasks : pins->scopes;
	if (ret >= 0)
		ret = access(SCOPE_DIR "/" SCOPE_HOOK, F_OK) ? -errno : 0;
	switch (ret) {
	case 0: return 0;
	case -ENOENT: return smc_err_say(err, ENOENT, "nothing is attached");
	case -ESTALE:
		return smc_err_say(err, ESTALE,
				   "the eBPF programs were loaded by another version: "
				   "'smc_bpf detach --all' removes them");
	default: return smc_err_set(err, -ret, "cannot open the maps in " SCOPE_DIR);
	}
}

/* In a world-writable BPF file system, another user may have created it. */
static int check_owner(const struct stat *st, struct smc_err *err)
{
	if (st->st_uid == geteuid() && !(st->st_mode & S_IWOTH))
		return 0;
	return smc_err_say(err, EPERM, SCOPE_DIR " belongs to user %u", (unsigned int)st->st_uid);
}

int pins_read(struct pins *pins, struct smc_err *err)
{
	struct stat st;

	if (!lstat(SCOPE_DIR, &st) && st.st_uid && check_owner(&st, err))
		return -EPERM;
	return open_maps(pins, false, err);
}

/* Another process may remove and recreate the directory between our open and lock. */
static int lock(struct pins *pins, bool create, struct smc_err *err)
{
	struct stat locked, now;

	for (;;) {
		if (create && mkdir(SCOPE_DIR, 0700) && errno != EEXIST)
			return smc_err_set(err, errno, "cannot create " SCOPE_DIR);
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
	return check_owner(&locked, err);
}

static int remove_files(void)
{
	int ret = 0;

	for (size_t i = ARRAY_SIZE(parts); i-- > 0;)
		if (unlink(parts[i].pin) && errno != ENOENT)
			ret = -errno;
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
	ret = load_and_pin(err);
	ret = ret ?: open_maps(pins, true, err);
	if (ret)
		pins_remove(&ignored);
	return ret;
}

/* Only an actual load shows whether lockdown or a security module forbids it. */
int pins_check(struct smc_err *err)
{
	struct loaded loaded AUTO(unload) = { .object = NULL };
	int ret = check_host(err);

	return ret || !access(SCOPE_DIR "/" SCOPE_HOOK, F_OK) ? ret : load(&loaded, err);
}

int pins_change(struct pins *pins, bool may_load, struct smc_err *err)
{
	int ret = may_load ? check_host(err) : bpf_rights(true, err);

	ret = ret ?: lock(pins, may_load, err);
	ret = ret ?: open_maps(pins, true, err);
	return ret == -ENOENT && may_load ? load_first(pins, err) : ret;
}

void pins_close(struct pins *pins)
{
	close_maps(pins);
	if (pins->dir >= 0)
		close(pins->dir);
	pins->dir = -1;
}
