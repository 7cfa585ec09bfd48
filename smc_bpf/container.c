// SPDX-License-Identifier: MIT
/* What a runtime tells a hook of a container: the state of the OCI runtime specification. */
#include "smc_bpf/container.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#include <jansson.h>

static const char *const wishes[] = {
	[CONTAINER_TCP] = "tcp", [CONTAINER_TRUE] = "true", [CONTAINER_SMC] = "smc",
	[CONTAINER_STRICT] = "strict",
};

/* Without the annotation, or other ones: nothing is wished. */
static int read_wish(struct container *container, const json_t *state, struct smc_err *err)
{
	const json_t *wish = json_object_get(json_object_get(state, "annotations"),
					     CONTAINER_ANNOTATION);
	const char *text = json_string_value(wish);

	container->wish = CONTAINER_NONE;
	if (!wish)
		return 0;
	for (int i = CONTAINER_TCP; text && i <= CONTAINER_STRICT; i++)
		if (!strcmp(text, wishes[i]))
			container->wish = (enum container_wish)i;
	if (container->wish)
		return 0;
	return smc_err_say(err, EINVAL, "annotation " CONTAINER_ANNOTATION ": '%.40s' is neither "
			   "true, tcp, smc nor strict", text ? text : "");
}

static int read_state(struct container *container, const json_t *state, struct smc_err *err)
{
	const char *id = json_string_value(json_object_get(state, "id"));
	const char *status = json_string_value(json_object_get(state, "status"));
	json_int_t pid = json_integer_value(json_object_get(state, "pid"));

	if (!id || !*id || strlen(id) >= sizeof(container->id) || strchr(id, '/'))
		return smc_err_say(err, EINVAL, "the state of the container has no id that is one");
	strcpy(container->id, id);
	container->is_stopped = status && !strcmp(status, "stopped");
	if (container->is_stopped)
		return 0;
	if (read_wish(container, state, err))
		return -EINVAL;
	if (pid < 1 || pid > INT_MAX)
		return smc_err_say(err, EINVAL, "the state of the container has no process id");
	container->pid = (pid_t)pid;
	return 0;
}

int container_read(struct container *container, const char *text, size_t len, struct smc_err *err)
{
	json_t *state = json_loadb(text, len, JSON_REJECT_DUPLICATES, NULL);
	int ret;

	*container = (struct container){ .wish = CONTAINER_NONE };
	if (!json_is_object(state))
		ret = smc_err_say(err, EINVAL, "standard input is not the state of a container, "
				  "which its runtime writes there");
	else
		ret = read_state(container, state, err);
	json_decref(state);
	return ret;
}
