// SPDX-License-Identifier: MIT
#include "smc_netns/container.h"

#include <jansson.h>

#include "base/array.h"
#include "base/words.h"
#include "host/file.h"

#define SHORT_ID 12    /* digits that docker and podman show */
#define POD_UID_MIN 32 /* a static pod has a hash without dashes, others a UID of 36 characters */
#define FILE_MAX (16 * 1024 * 1024)
#define STORAGE "/var/lib/containers/storage/overlay-containers"

/* ---- the path ---- */

/* "kubepods-besteffort-pod1f0c_....slice", "pod1f0c-..." */
static void find_pod(struct container *container, const char *part)
{
	for (; !container->pod[0] && (part = strstr(part, "pod")); part += 3) {
		size_t run = strspn(part + 3, "0123456789abcdefABCDEF-_");

		if (run < POD_UID_MIN || run > CONTAINER_ID_LEN)
			continue;
		memcpy(container->pod, part + 3, run);
		for (char *c = container->pod; *c; c++)
			*c = *c == '_' ? '-' : *c;
	}
}

static void find_machine(struct container *container, const char *part)
{
	static const char scope[] = ".scope", machine[] = "machine-", lxc[] = "lxc.payload.";
	size_t machine_len = strlen(machine), lxc_len = strlen(lxc);

	if (!strncmp(part, machine, machine_len) && word_ends_with(part, scope)) {
		snprintf(container->name, sizeof(container->name), "%.*s",
			 (int)(strlen(part) - machine_len - strlen(scope)), part + machine_len);
		word_unescape(container->name); /* "my\x2dweb": systemd.unit(5) */
	} else if (!strncmp(part, lxc, lxc_len) && part[lxc_len]) {
		snprintf(container->name, sizeof(container->name), "%.*s", CONTAINER_NAME_SIZE - 1,
			 part + lxc_len);
	} else {
		return;
	}
	container->kind = CONTAINER_MACHINE;
}

static void find_unit(struct container *container, const char *path)
{
	char part[PATH_MAX];
	bool is_user, is_found = cgroup_unit(path, part, &is_user);

	while (!is_found && *path) {
		path = cgroup_part(path, part);
		is_found = word_ends_with(part, ".scope") && strlen(part) <= NAME_MAX;
	}
	if (!is_found)
		return;
	container->kind = CONTAINER_UNIT;
	strcpy(container->name, part);
}

/* Parse the part of a path that one user has named. */
static void parse_part(struct container *container, const char *path)
{
	char part[PATH_MAX];

	for (const char *rest = path; *rest;) {
		const char *id;

		rest = cgroup_part(rest, part);
		id = cgroup_digits(part);
		/* conmon watches a container from its own group. podman's pods have ids. */
		if (id && !container->id[0] && container->kind == CONTAINER_NONE &&
		    !strstr(part, "conmon") && !strstr(part, "libpod_pod_") &&
		    (strncmp(path, "/libpod_parent/", 15) || !strncmp(part, "libpod-", 7)))
			memcpy(container->id, id, CONTAINER_ID_LEN);
		if (strstr(path, "kubepods"))
			find_pod(container, part);
		if (!container->id[0] && container->kind == CONTAINER_NONE)
			find_machine(container, part);
	}
	if (container->kind == CONTAINER_MACHINE)
		return;
	find_unit(container, path);
	if (container->pod[0]) {
		container->kind = CONTAINER_POD;
		snprintf(container->name, sizeof(container->name), "pod%s", container->pod);
	} else if (container->id[0]) {
		container->kind = CONTAINER_ID;
		snprintf(container->name, sizeof(container->name), "%.*s", SHORT_ID, container->id);
	}
}

/* Return: length of the part that root named: through the group of a user manager. */
static size_t up_to_user(const char *path)
{
	char part[PATH_MAX];

	for (const char *rest = path; *rest;) {
		rest = cgroup_part(rest, part);
		if (!strncmp(part, "user@", 5) && word_ends_with(part, ".service"))
			return (size_t)(rest - path);
	}
	return SIZE_MAX;
}

void container_parse(struct container *container, const char *path, size_t chosen)
{
	struct container user = { .kind = CONTAINER_NONE };
	size_t end = up_to_user(path);
	char root[PATH_MAX];
	const char *last;

	*container = user;
	end = end < chosen ? end : chosen;
	if (end >= strlen(path) || end >= sizeof(root)) {
		parse_part(container, path);
		return;
	}
	memcpy(root, path, end);
	root[end] = '\0';
	parse_part(container, root);
	/* Groups within a container of root are not shown. */
	if (container->kind > CONTAINER_UNIT)
		return;
	/* The rest of the path is named by a user. */
	parse_part(&user, path + end);
	container->kind = user.kind;
	container->is_user = true;
	last = strrchr(root, '/');
	if (user.kind != CONTAINER_NONE)
		snprintf(container->name, sizeof(container->name), "%.100s/%.200s",
			 last ? last + 1 : root, user.name);
}

/* ---- names from runtimes ---- */

/* @text: result of host_whole() */
static json_t *parse(char *text)
{
	json_t *json = text ? json_loads(text, 0, NULL) : NULL;

	free(text);
	return json;
}

struct json_t *container_names_new(void)
{
	json_t *names = json_object(), *list, *item;
	size_t i, len;

	list = parse(host_whole(&len, FILE_MAX, STORAGE "/containers.json"));
	json_array_foreach(list, i, item) {
		const char *id = json_string_value(json_object_get(item, "id"));
		json_t *name = json_array_get(json_object_get(item, "names"), 0);

		/* Names by CRI-O's own scheme are internal: "k8s_web_web-0_shop_UID_0". */
		if (id && json_is_string(name) && strncmp(json_string_value(name), "k8s_", 4))
			json_object_set(names, id, name);
	}
	json_decref(list);
	return names;
}

void container_names_free(struct json_t *names)
{
	json_decref(names);
}

static const char *member(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text && *text ? text : NULL;
}

/* Take the name from a configuration of the OCI runtime. Return: true if it has one. */
static bool name_by_config(struct container *container, const json_t *config)
{
	static const char *const keys[][2] = {
		{ "io.kubernetes.cri.sandbox-namespace", "io.kubernetes.cri.sandbox-name" },
		{ "io.kubernetes.pod.namespace", "io.kubernetes.pod.name" },
	};
	const json_t *notes = json_object_get(config, "annotations");
	const char *host = member(config, "hostname");

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		const char *space = member(notes, keys[i][0]), *name = member(notes, keys[i][1]);

		if (space && name)
			return snprintf(container->name, CONTAINER_NAME_SIZE, "%s/%s", space, name);
	}
	/* A pod's host name may be that of the host. */
	if (host && container->kind == CONTAINER_ID)
		snprintf(container->name, sizeof(container->name), "%s", host);
	return host;
}

static void name_by_docker(struct container *container)
{
	size_t len;
	json_t *json = parse(host_whole(
		&len, FILE_MAX, "/var/lib/docker/containers/%s/config.v2.json", container->id));
	const char *name = member(json, "Name");

	if (name && strcmp(name, "/") != 0)
		snprintf(container->name, sizeof(container->name), "%s", name + (*name == '/'));
	json_decref(json);
}

void container_name(struct json_t *names, struct container *container)
{
	static const char *const configs[][2] = {
		{ "/run/containerd/io.containerd.runtime.v2.task/k8s.io", "" },
		{ "/run/k3s/containerd/io.containerd.runtime.v2.task/k8s.io", "" },
		{ "/run/containerd/io.containerd.runtime.v2.task/default", "" },
		{ "/run/containers/storage/overlay-containers", "/userdata" },
		{ STORAGE, "/userdata" },
	};
	const char *stored = member(names, container->id);
	/* podman names the first container of a pod by the pod's id, its host by the pod's name. */
	bool is_named = stored && !word_ends_with(stored, "-infra");

	/* A user could name a group after somebody else's container. */
	if (!container->id[0] || container->is_user)
		return;
	if (stored)
		snprintf(container->name, sizeof(container->name), "%s", stored);
	for (size_t i = 0; !is_named && i < ARRAY_SIZE(configs); i++) {
		size_t len;
		json_t *json = parse(host_whole(&len, FILE_MAX, "%s/%s%s/config.json",
						configs[i][0], container->id, configs[i][1]));

		is_named = json && name_by_config(container, json);
		json_decref(json);
	}
	if (!is_named)
		name_by_docker(container);
}
