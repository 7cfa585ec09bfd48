// SPDX-License-Identifier: MIT
/* smc_netns/container.c: from control groups to containers, and names kept by runtimes. */
#include "scratch.h"
#include "test.h"

#include "smc_netns/container.h"

#define ID "4be7c0ffee4be7c0ffee4be7c0ffee4be7c0ffee4be7c0ffee4be7c0ffeeab01"
#define OTHER "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define POD "1f0c2a31-5b1e-4d2f-9a77-0d3b6c5e8f10"
#define POD_ "1f0c2a31_5b1e_4d2f_9a77_0d3b6c5e8f10"
#define USER "/user.slice/user-1.slice/user@1.service"
#define HASH "0123456789abcdef0123456789abcdef"

static char root[64] = "/tmp/smc-tools-container-XXXXXX";

static const struct {
	const char *path;
	enum container_kind kind;
	const char *name, *id;
} groups[] = {
	{ "/", CONTAINER_NONE, "", "" },
	{ "/system.slice", CONTAINER_NONE, "", "" },
	{ "/init.scope", CONTAINER_UNIT, "init.scope", "" },
	{ "/system.slice/ssh.service", CONTAINER_UNIT, "ssh.service", "" },
	{ "/user.slice/user-0.slice/session-3.scope", CONTAINER_UNIT, "session-3.scope", "" },
	{ "/machine.slice/libpod-" ID ".scope/container", CONTAINER_ID, "4be7c0ffee4b", ID },
	{ "/machine.slice/libpod-conmon-" ID ".scope", CONTAINER_UNIT, "libpod-conmon-" ID ".scope",
	  "" },
	{ "/machine.slice/machine-libpod_pod_" OTHER ".slice/libpod-" ID ".scope", CONTAINER_ID,
	  "4be7c0ffee4b", ID },
	{ "/libpod_parent/" OTHER "/libpod-" ID, CONTAINER_ID, "4be7c0ffee4b", ID },
	{ "/libpod_parent/libpod-" ID, CONTAINER_ID, "4be7c0ffee4b", ID },
	{ "/docker/" ID "/libpod_parent/" OTHER "/libpod-" OTHER, CONTAINER_ID, "4be7c0ffee4b",
	  ID },
	{ "/system.slice/docker-" ID ".scope", CONTAINER_ID, "4be7c0ffee4b", ID },
	{ "/docker/" ID, CONTAINER_ID, "4be7c0ffee4b", ID },
	{ "/system.slice/docker-" ID "0.scope", CONTAINER_UNIT, "docker-" ID "0.scope", "" },
	/* The outermost container counts: names inside are its own choice. */
	{ "/docker/" ID "/docker/" OTHER, CONTAINER_ID, "4be7c0ffee4b", ID },
	{ "/kubepods.slice/kubepods-besteffort.slice/kubepods-besteffort-pod" POD_
	  ".slice/cri-containerd-" ID ".scope",
	  CONTAINER_POD, "pod" POD, ID },
	{ "/kubepods.slice/kubepods-pod" POD_ ".slice/crio-" ID ".scope", CONTAINER_POD, "pod" POD,
	  ID },
	{ "/kubepods/burstable/pod" POD "/" ID, CONTAINER_POD, "pod" POD, ID },
	{ "/kubepods/pod" HASH, CONTAINER_POD, "pod" HASH, "" },
	{ "/kubepods/podium", CONTAINER_NONE, "", "" },
	{ "/system.slice/containerd.service/kubepods-pod" POD_ ".slice:cri-containerd:" ID,
	  CONTAINER_POD, "pod" POD, ID },
	{ "/machine.slice/machine-my\\x2dweb.scope/payload", CONTAINER_MACHINE, "my-web", "" },
	{ "/lxc.payload.web/system.slice/ssh.service", CONTAINER_MACHINE, "web", "" },
	{ "/machine.slice/machine-a.scope/payload/docker/" ID, CONTAINER_MACHINE, "a", "" },
	{ "/machine.slice/machine-host\\x00a.scope", CONTAINER_MACHINE, "host\\x00a", "" },
	/* Names chosen by a user. */
	{ USER, CONTAINER_NONE, "", "" },
	{ USER "/session.slice", CONTAINER_NONE, "", "" },
	{ USER "/machine-host.scope", CONTAINER_MACHINE, "user@1.service/host", "" },
	{ USER "/lxc.payload.web", CONTAINER_MACHINE, "user@1.service/web", "" },
	{ USER "/app.slice/ssh.service", CONTAINER_UNIT, "user@1.service/ssh.service", "" },
	{ USER "/kubepods/pod" POD "/" ID, CONTAINER_POD, "user@1.service/pod" POD, "" },
	{ USER "/user.slice/libpod-" ID ".scope", CONTAINER_ID, "user@1.service/4be7c0ffee4b", "" },
	{ "/lxc.payload.web" USER "/lxc.payload.db", CONTAINER_MACHINE, "web", "" },
};

static struct container container;

TEST(paths)
{
	for (size_t i = 0; i < ARRAY_SIZE(groups); i++) {
		container_parse(&container, groups[i].path, SIZE_MAX);
		assert_string_equal(container.name, groups[i].name);
		assert_int_equal(container.kind, groups[i].kind);
		assert_string_equal(container.id, groups[i].id);
	}
}

/* A service delegated to a user by root, with its control groups. */
TEST(delegated)
{
	static const struct {
		const char *inside, *name;
	} rows[] = {
		{ "", "web.service" },
		{ "/sub", "web.service" },
		{ "/machine-db.scope", "web.service/db" },
		{ "/docker-" ID ".scope", "web.service/4be7c0ffee4b" },
		{ "/db.service", "web.service/db.service" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char path[200] = "/system.slice/web.service";
		size_t chosen = strlen(path);

		strcat(path, rows[i].inside);
		container_parse(&container, path, chosen);
		assert_string_equal(container.name, rows[i].name);
		assert_string_equal(container.id, "");
		container_parse(&container, path, SIZE_MAX);
		assert_true(!strncmp(rows[i].inside, "/docker", 7) == !!container.id[0]);
	}
	/* Processes of a service may have other user ids. */
	container_parse(&container, "/docker/" ID "/machine-db.scope", strlen("/docker/" ID));
	assert_string_equal(container.name, "4be7c0ffee4b");
	assert_false(container.is_user);
}

TEST(long_paths)
{
	char path[5000];

	memset(path, 'a', sizeof(path) - 1);
	path[0] = '/';
	strcpy(path + sizeof(path) - 7, ".scope");
	container_parse(&container, path, SIZE_MAX);
	assert_int_equal(container.kind, CONTAINER_NONE);
	memcpy(path, "/lxc.payload.", 13);
	container_parse(&container, path, SIZE_MAX);
	assert_int_equal(strlen(container.name), sizeof(container.name) - 1);
}

/* Write a file of the recorded host. */
static void put(const char *path, const char *text)
{
	assert_true(scratch_put(root, path, text, strlen(text)));
}

static void name_is(const char *path, const char *want)
{
	struct json_t *names = container_names_new();

	assert_non_null(names);
	container_parse(&container, path, SIZE_MAX);
	container_name(names, &container);
	assert_string_equal(container.name, want);
	container_names_free(names);
}

FIXTURE(set_up)
{
	return !scratch_make(root) || setenv("SMC_TOOLS_ROOT", root, 1);
}

FIXTURE(tear_down)
{
	unsetenv("SMC_TOOLS_ROOT");
	return scratch_remove(root);
}

#define STORED "/var/lib/containers/storage/overlay-containers/containers.json"
#define CRI "/run/containerd/io.containerd.runtime.v2.task/k8s.io/" ID "/config.json"

TEST(podman)
{
	name_is("/machine.slice/libpod-" ID ".scope", "4be7c0ffee4b");
	put("/run/containers/storage/overlay-containers/" ID "/userdata/config.json",
	    "{\"hostname\": \"web1\"}");
	name_is("/machine.slice/libpod-" ID ".scope", "web1");
	put(STORED, "[{\"id\": \"" OTHER "\", \"names\": [\"db\"]}, {\"id\": \"" ID
		    "\", \"names\": [\"web\"]}, 7, {\"id\": 1}]");
	name_is("/machine.slice/libpod-" ID ".scope", "web");
	/* Any user may give a group such a name. */
	name_is("/user.slice/user-1.slice/user@1.service/user.slice/libpod-" ID ".scope",
		"user@1.service/4be7c0ffee4b");
	put(STORED, "[{\"id\": \"" ID "\", \"names\"");
	name_is("/machine.slice/libpod-" ID ".scope", "web1");
}

/* The first container of a pod has the pod's host name. */
TEST(podman_pods)
{
	put(STORED, "[{\"id\": \"" ID "\", \"names\": [\"0123456789ab-infra\"]}]");
	name_is("/libpod_parent/" OTHER "/libpod-" ID, "0123456789ab-infra");
	put("/var/lib/containers/storage/overlay-containers/" ID "/userdata/config.json",
	    "{\"hostname\": \"shop\"}");
	name_is("/libpod_parent/" OTHER "/libpod-" ID, "shop");
}

TEST(docker)
{
	put("/var/lib/docker/containers/" ID "/config.v2.json", "{\"Name\": \"/proxy\"}");
	name_is("/system.slice/docker-" ID ".scope", "proxy");
	put("/var/lib/docker/containers/" ID "/config.v2.json", "{\"Name\": \"/\"}");
	name_is("/system.slice/docker-" ID ".scope", "4be7c0ffee4b");
	name_is("/docker/" OTHER, "0123456789ab");
}

TEST(pods)
{
	static const char path[] = "/kubepods/burstable/pod" POD "/" ID;

	put(CRI, "{\"hostname\": \"node\", \"annotations\": "
		 "{\"io.kubernetes.cri.sandbox-name\": 5}}");
	name_is(path, "pod" POD);
	put(CRI, "{\"hostname\": \"node\", \"annotations\": {\"io.kubernetes.cri.sandbox-name\": "
		 "\"redis-0\", \"io.kubernetes.cri.sandbox-namespace\": \"shop\"}}");
	name_is(path, "shop/redis-0");
	/* CRI-O uses its names in the storage only internally. */
	put(STORED, "[{\"id\": \"" OTHER "\", \"names\": [\"k8s_POD_web-1_shop_u_0\"]}]");
	put("/run/containers/storage/overlay-containers/" OTHER "/userdata/config.json",
	    "{\"annotations\": {\"io.kubernetes.pod.name\": \"web-1\", "
	    "\"io.kubernetes.pod.namespace\": \"shop\"}}");
	name_is("/kubepods/burstable/pod" POD "/crio-" OTHER, "shop/web-1");
}

static struct fixture fixture = { .setup = set_up, .teardown = tear_down };
