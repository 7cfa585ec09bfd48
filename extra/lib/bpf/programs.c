// SPDX-License-Identifier: MIT
#include "bpf/programs.h"

#include <sys/stat.h>

#include "base/memory.h"
#include "bpf/bpfmap.h"
#include "bpf/rights.h"

#define LINKS_MAX 16

/* Prefix of cheaper equivalents, used when the kernel has types (BTF). */
#define TYPED "typed_"
#define PLAIN "plain_"

/* Section of a program that is run once, not attached. */
#define RUN_ONCE "syscall"

struct bpf_programs {
	struct libbpf lib;
	struct bpf_object *object;
	struct bpf_link *links[LINKS_MAX];
	size_t n_links;
	struct ring_buffer *ring;
};

static struct bpf_program *next(const struct bpf_programs *programs, struct bpf_program *program)
{
	return programs->lib.bpf_object__next_program(programs->object, program);
}

static bool is_named(const struct bpf_programs *programs, const struct bpf_program *program,
		     const char *prefix)
{
	return !strncmp(programs->lib.bpf_program__name(program), prefix, strlen(prefix));
}

static bool is_run_once(const struct bpf_programs *programs, const struct bpf_program *program)
{
	return !strcmp(programs->lib.bpf_program__section_name(program), RUN_ONCE);
}

static int load_object(struct bpf_programs *programs, const struct bpf_watch *watch,
		       const char *left_out, struct smc_err *err)
{
	struct bpf_program *program = NULL;
	int ret;

	programs->object = programs->lib.bpf_object__open_mem(watch->elf, watch->len, NULL);
	if (!programs->object)
		return libbpf_load_error(-ENOMEM, err);
	while ((program = next(programs, program)))
		if (is_named(programs, program, left_out))
			programs->lib.bpf_program__set_autoload(program, false);
	ret = programs->lib.bpf_object__load(programs->object);
	return ret ? libbpf_load_error(ret, err) : 0;
}

static int run_once(struct bpf_programs *programs, struct smc_err *err)
{
	struct bpf_program *program = NULL;

	while ((program = next(programs, program)))
		if (is_run_once(programs, program) &&
		    programs->lib.bpf_prog_test_run_opts(programs->lib.bpf_program__fd(program),
							 NULL))
			return bpf_load_error(-errno, "run the eBPF programs", err);
	return 0;
}

static int map_of(const struct bpf_programs *programs, const char *name)
{
	return programs->lib.bpf_object__find_map_fd_by_name(programs->object, name);
}

static int attach(struct bpf_programs *programs, const char *left_out, struct smc_err *err)
{
	struct bpf_program *program = NULL;
	char what[128];

	while ((program = next(programs, program))) {
		struct bpf_link *link = NULL;
		int ret;

		if (is_named(programs, program, left_out) || is_run_once(programs, program))
			continue;
		errno = E2BIG;
		if (programs->n_links < LINKS_MAX)
			link = programs->lib.bpf_program__attach(program);
		ret = -errno;
		/* The kernel may lack the function, or the means to trace it. */
		snprintf(what, sizeof(what), "attach an eBPF program to %s",
			 programs->lib.bpf_program__section_name(program));
		if (!link)
			return bpf_load_error(ret, what, err);
		programs->links[programs->n_links++] = link;
	}
	return 0;
}

/* Write this network namespace into the state. */
static int set_state(int map, const struct bpf_watch *watch, struct smc_err *err)
{
	const uint32_t first = 0;
	struct stat netns;
	int ret;

	if (stat("/proc/thread-self/ns/net", &netns))
		return smc_err_set(err, errno, "cannot find out the network namespace");
	*(uint32_t *)watch->value = (uint32_t)netns.st_ino;
	ret = bpfmap_update(map, &first, watch->value);
	return ret ? smc_err_set(err, -ret, "cannot set up the eBPF programs") : 0;
}

static int start_without(struct bpf_programs *programs, const struct bpf_watch *watch,
			 const char *left_out, struct smc_err *err)
{
	int ret = load_object(programs, watch, left_out, err);

	if (!ret)
		ret = set_state(map_of(programs, watch->state), watch, err);
	if (ret)
		return ret;
	programs->ring = programs->lib.ring_buffer__new(map_of(programs, watch->ring), watch->fn,
							watch->arg, NULL);
	if (!programs->ring)
		return smc_err_set(err, errno, "cannot read events from eBPF");
	ret = run_once(programs, err);
	if (!ret)
		ret = attach(programs, left_out, err);
	return ret ? ret : map_of(programs, watch->state);
}

static void stop(struct bpf_programs *programs)
{
	if (programs->ring)
		programs->lib.ring_buffer__free(programs->ring);
	for (size_t i = 0; i < programs->n_links; i++)
		programs->lib.bpf_link__destroy(programs->links[i]);
	if (programs->object)
		programs->lib.bpf_object__close(programs->object);
	*programs = (struct bpf_programs){ .lib = programs->lib };
}

/* True if the module has BTF: trial loading would be slow. vmlinux has types of built-in code. */
static bool has_types(const char *module)
{
	char btf[64], loaded[64];

	snprintf(btf, sizeof(btf), "/sys/kernel/btf/%s", module);
	snprintf(loaded, sizeof(loaded), "/sys/module/%s/sections", module);
	return !access(btf, F_OK) || access(loaded, F_OK);
}

static int start(struct bpf_programs *programs, const struct bpf_watch *watch, struct smc_err *err)
{
	int ret = libbpf_find(&programs->lib, err);

	if (ret)
		return ret;
	if (watch->module && has_types(watch->module)) {
		ret = start_without(programs, watch, PLAIN, err);
		if (ret >= 0)
			return ret;
		stop(programs);
	}
	return start_without(programs, watch, TYPED, err);
}

int bpf_programs_start(struct bpf_programs **result, const struct bpf_watch *watch,
		       struct smc_err *err)
{
	struct bpf_programs *programs;
	int ret;

	if (watch->len == 1)
		return smc_err_say(err, ENOTSUP, "this program was built without eBPF");
	ret = bpf_rights(false, err);
	if (ret)
		return ret;
	programs = xcalloc(1, sizeof(*programs));
	ret = start(programs, watch, err);
	if (ret < 0)
		bpf_programs_close(programs);
	else
		*result = programs;
	return ret;
}

int bpf_programs_fd(const struct bpf_programs *programs)
{
	return programs->lib.ring_buffer__epoll_fd(programs->ring);
}

int bpf_programs_read(struct bpf_programs *programs, struct smc_err *err)
{
	int ret;

	err->code = 0;
	ret = programs->lib.ring_buffer__consume(programs->ring);
	if (ret >= 0)
		return 0;
	if (ret == BPF_ENOUGH)
		return 1;
	return err->code ? ret : smc_err_set(err, -ret, "cannot read events from eBPF");
}

void bpf_programs_close(struct bpf_programs *programs)
{
	if (programs)
		stop(programs);
	free(programs);
}
