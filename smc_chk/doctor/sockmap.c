// SPDX-License-Identifier: MIT
/* eBPF that takes the input of sockets, by any program of the host. */
#include <linux/bpf.h>
#include <sys/syscall.h>

#include "smc_chk/doctor/facts.h"

/* BPF_SK_SKB_VERDICT of Linux 5.13 */
#define SK_SKB_VERDICT 38
/* Maximum of maps read per program: the kernel's own limit. */
#define MAPS_MAX 64

static int bpf_call(int command, union bpf_attr *attr)
{
	long ret = syscall(SYS_bpf, command, attr, sizeof(*attr));

	return ret < 0 ? -errno : (int)ret;
}

/* Return: -ENOENT at the end. */
static int next_id(int command, uint32_t *id)
{
	union bpf_attr attr;
	int ret;

	memset(&attr, 0, sizeof(attr));
	attr.start_id = *id;
	ret = bpf_call(command, &attr);
	*id = attr.next_id;
	return ret;
}

/* Return: descriptor; -ENOENT if it has gone. */
static int open_id(int command, uint32_t id)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.map_id = id; /* the same member as prog_id */
	return bpf_call(command, &attr);
}

static int get_info(int fd, void *info, size_t size)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.info.bpf_fd = (uint32_t)fd;
	attr.info.info_len = (uint32_t)size;
	attr.info.info = (uint64_t)(uintptr_t)info;
	return bpf_call(BPF_OBJ_GET_INFO_BY_FD, &attr);
}

/* Return: 1 if the map has such a program, 0, -errno. */
static int has_program(int map, uint32_t type)
{
	union bpf_attr attr;
	int ret;

	memset(&attr, 0, sizeof(attr));
	attr.query.target_fd = (uint32_t)map;
	attr.query.attach_type = type;
	ret = bpf_call(BPF_PROG_QUERY, &attr);
	return ret ? ret : attr.query.prog_cnt > 0;
}

/* Return: 1 with @info for a map of sockets with a verdict, 0, -errno */
static int has_verdict(uint32_t id, struct bpf_map_info *info)
{
	int map AUTO_CLOSE = open_id(BPF_MAP_GET_FD_BY_ID, id), ret;

	*info = (struct bpf_map_info){ 0 };
	ret = map < 0 ? map : get_info(map, info, sizeof(*info));
	if (ret)
		return ret == -ENOENT ? 0 : ret;
	if (info->type != BPF_MAP_TYPE_SOCKMAP && info->type != BPF_MAP_TYPE_SOCKHASH)
		return 0;
	ret = has_program(map, BPF_SK_SKB_STREAM_VERDICT);
	return ret ? ret : has_program(map, SK_SKB_VERDICT);
}

static bool is_filler(uint32_t program, uint32_t map, char name[BPF_OBJ_NAME_LEN])
{
	uint32_t maps[MAPS_MAX];
	struct bpf_prog_info info = { .nr_map_ids = MAPS_MAX,
				      .map_ids = (uint64_t)(uintptr_t)maps };
	int fd AUTO_CLOSE = open_id(BPF_PROG_GET_FD_BY_ID, program);

	if (fd < 0 || get_info(fd, &info, sizeof(info)) || info.type != BPF_PROG_TYPE_SOCK_OPS)
		return false;
	for (uint32_t i = 0; i < info.nr_map_ids && i < MAPS_MAX; i++)
		if (maps[i] == map) {
			snprintf(name, BPF_OBJ_NAME_LEN, "%.15s", info.name);
			return true;
		}
	return false;
}

int facts_probe_sockmaps(void *arg __attribute__((unused)), char text[HOST_PROBE_SIZE])
{
	char filler[BPF_OBJ_NAME_LEN] = "";
	struct bpf_map_info info;
	uint32_t id = 0, program;
	int ret, found, count = 0;

	while (!(ret = next_id(BPF_MAP_GET_NEXT_ID, &id))) {
		found = has_verdict(id, &info);
		if (found < 0)
			return found;
		count += found;
		if (!found || *filler)
			continue;
		program = 0;
		while (!next_id(BPF_PROG_GET_NEXT_ID, &program))
			if (is_filler(program, id, filler))
				break;
		snprintf(text, HOST_PROBE_SIZE, "%.15s\n%s", info.name, filler);
	}
	return ret == -ENOENT ? count : ret;
}
