// SPDX-License-Identifier: MIT
/* Container files of runtimes: containers.json, config.json, config.v2.json of docker. */
#include "fuzz.h"

#include "../unit/scratch.h"
#include "smc_netns/container.h"

#define ID "4be7c0ffee4be7c0ffee4be7c0ffee4be7c0ffee4be7c0ffee4be7c0ffee4be7"

static const char *const files[] = {
	"/var/lib/containers/storage/overlay-containers/containers.json",
	"/run/containers/storage/overlay-containers/" ID "/userdata/config.json",
	"/var/lib/docker/containers/" ID "/config.v2.json",
};

static char root[] = "/tmp/fuzz-container-XXXXXX";

static void clean_up(void)
{
	scratch_remove(root);
}

/* The first byte selects the files that get the rest as their content. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct json_t *names;
	struct container container;

	if (!size)
		return 0;
	if (!getenv("SMC_TOOLS_ROOT"))
		MUST(scratch_make(root) && !setenv("SMC_TOOLS_ROOT", root, 1) && !atexit(clean_up));
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		MUST(scratch_put(root, files[i], data + 1, data[0] >> i & 1 ? size - 1 : 0));
	names = container_names_new();
	MUST(names);
	container_parse(&container, "/machine.slice/libpod-" ID ".scope", SIZE_MAX);
	MUST(!strcmp(container.id, ID));
	container_name(names, &container);
	MUST(*container.name && memchr(container.name, '\0', sizeof(container.name)));
	container_names_free(names);
	return 0;
}
