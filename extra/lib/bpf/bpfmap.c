// SPDX-License-Identifier: MIT
#include "bpf/bpfmap.h"

#include <fcntl.h>
#include <linux/bpf.h>
#include <sys/syscall.h>

/* PIDFD_THREAD of <linux/pidfd.h> (Linux 6.9): also accept threads other than the main one. */
#define PIDFD_THREAD_FLAG O_EXCL

int bpf_call(int command, union bpf_attr *attr)
{
	long ret = syscall(SYS_bpf, command, attr, sizeof(*attr));

	return ret < 0 ? -errno : (int)ret;
}

static uint64_t pointer(const void *data)
{
	return (uint64_t)(uintptr_t)data;
}

static int check_size(int map, size_t value_size)
{
	struct bpf_map_info info = { 0 };
	union bpf_attr attr;
	int err;

	memset(&attr, 0, sizeof(attr));
	attr.info.bpf_fd = (uint32_t)map;
	attr.info.info_len = sizeof(info);
	attr.info.info = pointer(&info);
	err = bpf_call(BPF_OBJ_GET_INFO_BY_FD, &attr);
	return !err && info.value_size != value_size ? -ESTALE : err;
}

int bpfmap_open(const char *path, bool writable, size_t value_size)
{
	union bpf_attr attr;
	int map, err;

	memset(&attr, 0, sizeof(attr));
	attr.pathname = pointer(path);
	attr.file_flags = writable ? 0 : BPF_F_RDONLY;
	map = bpf_call(BPF_OBJ_GET, &attr);
	if (map < 0)
		return map;
	err = value_size ? check_size(map, value_size) : 0;
	if (err)
		close(map);
	return err ? err : map;
}

int bpfmap_pin(int map, const char *path)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.pathname = pointer(path);
	attr.bpf_fd = (uint32_t)map;
	return bpf_call(BPF_OBJ_PIN, &attr);
}

static int element(int command, int map, const void *key, const void *value)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.map_fd = (uint32_t)map;
	attr.key = pointer(key);
	attr.value = pointer(value); /* the same member as next_key */
	return bpf_call(command, &attr);
}

int bpfmap_lookup(int map, const void *key, void *value)
{
	return element(BPF_MAP_LOOKUP_ELEM, map, key, value);
}

int bpfmap_update(int map, const void *key, const void *value)
{
	return element(BPF_MAP_UPDATE_ELEM, map, key, value);
}

int bpfmap_delete(int map, const void *key)
{
	return element(BPF_MAP_DELETE_ELEM, map, key, NULL);
}

int bpfmap_next(int map, const void *key, void *next)
{
	return element(BPF_MAP_GET_NEXT_KEY, map, key, next);
}

int bpfmap_marked(int map, pid_t tid, uint64_t *mark)
{
	int fd AUTO_CLOSE = (int)syscall(SYS_pidfd_open, tid, PIDFD_THREAD_FLAG);

	return fd < 0 ? -errno : bpfmap_lookup(map, &fd, mark);
}
