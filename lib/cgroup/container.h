/* SPDX-License-Identifier: MIT */
/* Which container, pod, machine or unit a control group belongs to, and what people call it. */
#pragma once

#include <stdbool.h>

#include "cgroup/cgroup.h"

#define CONTAINER_NAME_SIZE 320 /* a pod's name space and name are 63 + 1 + 253 bytes */

enum container_kind {
	CONTAINER_NONE,
	CONTAINER_UNIT,	   /* of systemd */
	CONTAINER_MACHINE, /* of systemd-machined, or of LXC */
	CONTAINER_POD,	   /* of Kubernetes */
	CONTAINER_ID,	   /* any other container */
};

/**
 * struct container - what the name of a control group says
 * @id: 64 digits of the outermost container; "" for none
 * @pod: UID of the pod, with dashes; ""
 * @name: of the unit or machine; else what is known best: "podUID", twelve digits of the id. A
 *	name that a user chose follows the group that is that user's: "user@1000.service/web"
 * @is_user: such a name; @id and @pod are empty
 */
struct container {
	enum container_kind kind;
	bool is_user;
	char id[CONTAINER_ID_LEN + 1];
	char pod[CONTAINER_ID_LEN + 1];
	char name[CONTAINER_NAME_SIZE];
};

/**
 * container_parse() - take a control group's path apart. Pure
 * @path: "/machine.slice/libpod-4be7....scope/container", see cgroup_of_process()
 * @chosen: length of the part whose names root has chosen, see cgroup_chosen(). That of a user's
 *	own systemd, user@UID.service, ends there in any case
 *
 * Knows libpod-ID.scope, docker-ID.scope, cri-containerd-ID.scope, crio-ID.scope, the same without
 * systemd (docker/ID), kubepods with both drivers, machine-NAME.scope, lxc.payload.NAME, units.
 */
void container_parse(struct container *container, const char *path, size_t chosen);

/** container_names_new() - what runtimes keep about containers, read once: names by id */
struct json_t *container_names_new(void);

/**
 * container_name() - put the name that the runtime has for it into @container->name
 *
 * From files that belong to root: containers.json of podman and CRI-O, config.v2.json of docker,
 * and the config.json of the OCI runtime (annotations of CRI-O and containerd: "space/pod"; else
 * the host name). What cannot be read leaves the name as it is.
 */
void container_name(struct json_t *names, struct container *container);

/** container_names_free() - NULL is allowed */
void container_names_free(struct json_t *names);
