// SPDX-License-Identifier: MIT
#include "cgroup/pins.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/utsname.h>

#include "base/array.h"
#include "bpf/bpfmap.h"
#include "bpf/libbpf_load.h"
#include "bpf/rights.h"
#include "cgroup/scope.h"
#include "host/btf.h"

/* Pinned in this order: the hook is last, as nothing counts as attached without it. */
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
	bool is_old = is_old_kernel();
	struct loaded loaded = { .object = NULL };
	mode_t mask = umask(077);
	int ret = load(&loaded, err);

	for (size_t i = 0; !ret && i < ARRAY_SIZE(parts); i++)
		if (is_old || !parts[i].is_for_old)
			ret = pin_part(&loaded, &parts[i], err);
	unload(&loaded);
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
	if (!ret)
		ret = open_maps(pins, true, err);
	if (ret)
		pins_remove(&ignored);
	return ret;
}

/* Only an actual load shows whether lockdown or a security module forbids it. */
int pins_check(struct smc_err *err)
{
	int ret = check_host(err);
	struct loaded loaded = { .object = NULL };

	if (ret || !access(SCOPE_DIR "/" SCOPE_HOOK, F_OK))
		return ret;
	ret = load(&loaded, err);
	unload(&loaded);
	return ret;
}

int pins_change(struct pins *pins, bool may_load, struct smc_err *err)
{
	int ret = may_load ? check_host(err) : bpf_rights(true, err);

	if (!ret)
		ret = lock(pins, may_load, err);
	if (!ret)
		ret = open_maps(pins, true, err);
	return ret == -ENOENT && may_load ? load_first(pins, err) : ret;
}

void pins_close(struct pins *pins)
{
	close_maps(pins);
	if (pins->dir >= 0)
		close(pins->dir);
	pins->dir = -1;
}
