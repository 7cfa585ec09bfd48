// SPDX-License-Identifier: MIT
/* The state of a container that a runtime passes to a hook, see the OCI runtime specification. */
#include "smc_bpf/smc_bpf.h"

#include <jansson.h>

#include "launch/variables.h"

/* By enum oci_wish */
static const char *const wishes[] = { NULL, "tcp", "true", "smc", "strict" };

/* Text of an annotation: "" for another type, NULL without it. */
static const char *annotation(const json_t *state, const char *name)
{
	const json_t *value = json_object_get(json_object_get(state, "annotations"), name);

	return !value || json_is_string(value) ? json_string_value(value) : "";
}

/* Without this annotation, there is no wish. */
static int read_wish(struct oci_state *container, const json_t *state, struct smc_err *err)
{
	const char *wish = annotation(state, OCI_ANNOTATION), *mptcp = annotation(state, OCI_MPTCP);

	if (!wish)
		return 0;
	for (int i = OCI_TCP; i <= OCI_STRICT; i++)
		if (!strcmp(wish, wishes[i]))
			container->wish = (enum oci_wish)i;
	if (!container->wish)
		return smc_err_say(err, EINVAL,
				   "annotation " OCI_ANNOTATION
				   ": '%.40s' is neither true, tcp, smc nor strict",
				   wish);
	container->keeps_mptcp = mptcp && !strcmp(mptcp, "keep");
	if (!mptcp || container->keeps_mptcp)
		return 0;
	return smc_err_say(err, EINVAL, "annotation " OCI_MPTCP ": '%.40s' is not keep", mptcp);
}

static int read_buffers(struct oci_state *container, const json_t *state, struct smc_err *err)
{
	const char *size = annotation(state, OCI_BUFFERS);

	if (!size || (!smc_parse_size(size, &container->buffers) && container->buffers))
		return 0;
	return smc_err_say(err, EINVAL,
			   "annotation " OCI_BUFFERS ": '%.40s' is not a size such as 256K", size);
}

static int read_state(struct oci_state *container, const json_t *state, struct smc_err *err)
{
	const char *id = json_string_value(json_object_get(state, "id"));
	const char *status = json_string_value(json_object_get(state, "status"));
	json_int_t pid = json_integer_value(json_object_get(state, "pid"));

	if (!json_is_object(state))
		return smc_err_say(
			err, EINVAL,
			"standard input is not the state of a container: only a container's runtime starts this");
	if (!id || !*id || strlen(id) >= sizeof(container->id) || strchr(id, '/'))
		return smc_err_say(err, EINVAL, "the state of the container has no valid id");
	strcpy(container->id, id);
	container->is_stopped = status && !strcmp(status, "stopped");
	if (container->is_stopped)
		return 0;
	if (read_wish(container, state, err) || read_buffers(container, state, err))
		return -EINVAL;
	if (pid < 1 || pid > INT_MAX)
		return smc_err_say(err, EINVAL, "the state of the container has no process id");
	container->pid = (pid_t)pid;
	return 0;
}

int oci_state_read(struct oci_state *container, const char *text, size_t len, struct smc_err *err)
{
	json_t *state = json_loadb(text, len, JSON_REJECT_DUPLICATES, NULL);
	int ret;

	*container = (struct oci_state){ .wish = OCI_NONE };
	ret = read_state(container, state, err);
	json_decref(state);
	return ret;
}
