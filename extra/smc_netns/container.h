/* SPDX-License-Identifier: MIT */
/* Container, pod, machine or unit of a control group, and their names. */
#pragma once

#include "cgroup/cgroup.h"
#include "net/netns_list.h"

#define CONTAINER_NAME_SIZE NETNS_NAME_SIZE

enum container_kind {
	CONTAINER_NONE,
	CONTAINER_UNIT,	   /* unit of systemd */
	CONTAINER_MACHINE, /* machine of systemd-machined, or of LXC */
	CONTAINER_POD,	   /* pod of Kubernetes */
	CONTAINER_ID,	   /* any other container */
};

/**
 * struct container - facts in the name of a control group
 * @id: 64 digits of the outermost container; "" for none
 * @pod: UID of the pod, with dashes; "" for none
 * @name: of the unit or machine; else the best one known: "podUID", twelve digits of the id. A name
 *	chosen by a user follows the group of that user: "user@1000.service/web"
 * @is_user: a user chose the name; @id and @pod are empty
 */
struct container {
	enum container_kind kind;
	bool is_user;
	char id[CONTAINER_ID_LEN + 1];
	char pod[CONTAINER_ID_LEN + 1];
	char name[CONTAINER_NAME_SIZE];
};

/**
 * container_parse() - parse the path of a control group. Pure
 * @path: "/machine.slice/libpod-4be7....scope/container", see proc_cgroup()
 * @chosen: length of the part named by root, see cgroup_chosen(). Always ends at a user manager,
 *	user@UID.service
 *
 * Knows libpod-ID.scope, docker-ID.scope, cri-containerd-ID.scope, crio-ID.scope, the same without
 * systemd (docker/ID), kubepods with both drivers, machine-NAME.scope, lxc.payload.NAME, units.
 */
void container_parse(struct container *container, const char *path, size_t chosen);

/** container_names_new() - index of the runtimes' container names by id; files are read once */
struct json_t *container_names_new(void);

/**
 * container_name() - set @container->name to the runtime's name for the container
 *
 * Reads files owned by root: containers.json of podman and CRI-O, config.v2.json of docker, and the
 * config.json of the OCI runtime (annotations of CRI-O and containerd: "space/pod"; else the host
 * name). The name is unchanged if they cannot be read.
 */
void container_name(struct json_t *names, struct container *container);

/** container_names_free() - NULL is allowed */
void container_names_free(struct json_t *names);
