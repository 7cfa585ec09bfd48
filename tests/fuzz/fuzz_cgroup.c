// SPDX-License-Identifier: MIT
/* Control group paths: a container's group never includes its runtime. Also addresses and BTF. */
#include "fuzz.h"

#include "smc_netns/container.h"
#include "host/btf.h"
#include "net/netaddr.h"

/* Next line of the input, truncated to @max bytes; to be freed. */
static char *next_line(const uint8_t **data, size_t *size, size_t max)
{
	const uint8_t *end = *size ? memchr(*data, '\n', *size) : NULL;
	size_t len = end ? (size_t)(end - *data) : *size;
	char *line = strndup((const char *)*data, len < max ? len : max);

	MUST(line);
	*data += len + !!end;
	*size -= len + !!end;
	return line;
}

static void cut(const char *path, const char *own, const char *id)
{
	char group[PATH_MAX];
	size_t len;

	strcpy(group, path);
	if (*path != '/' || !*id || strchr(id, '/') || cgroup_cut(group, own, id))
		return;
	len = strlen(group);
	MUST(len > 1 && !strncmp(group, path, len) && (!path[len] || path[len] == '/'));
	MUST(strncmp(own, group, len) || (own[len] && own[len] != '/'));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *path = next_line(&data, &size, PATH_MAX - 1);
	char *own = next_line(&data, &size, PATH_MAX - 1);
	char *id = next_line(&data, &size, NAME_MAX), unit[NAME_MAX + 1], text[NETADDR_TEXT_SIZE];
	struct container container;
	struct netaddr addr;
	bool is_user;

	cut(path, own, id);
	container_parse(&container, path, SIZE_MAX);
	MUST(memchr(container.name, '\0', sizeof(container.name)));
	MUST(!container.id[0] || strlen(container.id) == CONTAINER_ID_LEN);
	if (cgroup_unit(path, unit, &is_user))
		MUST(strstr(unit, ".service"));
	if (netaddr_parse(&addr, path))
		netaddr_text(text, &addr, true);
	btf_has_name((const char *)data, size, "bpf_loop");
	free(path);
	free(own);
	free(id);
	return 0;
}
