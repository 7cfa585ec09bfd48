// SPDX-License-Identifier: MIT
/* extra/lib/cgroup: control groups by path, unit and container, in a tree of directories. */
#include "test.h"

#include "cgroup/attach.h"
#include "cgroup/cgroup.h"
#include "process/proc.h"

#define ID "4be7c0ffee4be7c0ffee4be7c0ffee4be7c0ffee4be7c0ffee4be7c0ffeeab"

static char root[64] = "/tmp/smc-tools-cgroup-XXXXXX";

FIXTURE(build)
{
	static const char command[] =
		"cd %s && mkdir -p a.slice/a-b.slice/web@1.service/sub "
		"user.slice/user@5.service/evil.service "
		"machine.slice/libpod-" ID "01.scope/container-" ID "01 "
		"machine.slice/libpod-conmon-" ID "01.scope docker/" ID "02 "
		"a.slice/cafe.service a.slice/_cpu.service outer.scope/hidden.slice && "
		"ln -s / docker/out && touch a.slice/file.service && "
		"printf 'populated 1\\nfrozen 0\\n' >a.slice/cgroup.events && "
		"printf 'populated 0\\nfrozen 0\\n' >docker/cgroup.events";
	char line[sizeof(command) + sizeof(root)];

	if (!mkdtemp(root))
		return -1;
	snprintf(line, sizeof(line), command, root);
	return system(line);
}

FIXTURE(wipe)
{
	char line[128];

	snprintf(line, sizeof(line), "rm -rf %s", root);
	return system(line);
}

static void unit(const char *name, const char *want)
{
	char path[PATH_MAX] = "untouched";

	assert_int_equal(cgroup_of_unit(root, name, path), want ? 0 : -ENOENT);
	assert_string_equal(path, want ? want : "untouched");
}

TEST(units)
{
	unit("web@1", "/a.slice/a-b.slice/web@1.service");
	unit("web@1.service", "/a.slice/a-b.slice/web@1.service");
	unit("cpu", "/a.slice/_cpu.service");
	unit("a-b.slice", "/a.slice/a-b.slice");
	unit("a.slice", "/a.slice");
	unit("outer.scope", "/outer.scope");
	/* In delegated groups users may choose any names. */
	unit("evil", NULL);
	unit("hidden.slice", NULL);
	unit("file", NULL);
	unit("web", NULL);
	unit("", NULL);
}

TEST(containers)
{
	char path[PATH_MAX];

	assert_int_equal(cgroup_of_container(root, ID "01", path), 0);
	assert_string_equal(path, "/machine.slice/libpod-" ID "01.scope");
	assert_int_equal(cgroup_of_container(root, ID "02", path), 0);
	assert_string_equal(path, "/docker/" ID "02");
	assert_int_equal(cgroup_of_container(root, ID, path), -EEXIST);
	assert_int_equal(cgroup_of_container(root, ID "03", path), -ENOENT);
	assert_int_equal(cgroup_of_container(root, "", path), -ENOENT);
	/* A container's name, a substring of every name, and a service that looks like an id. */
	assert_int_equal(cgroup_of_container(root, "web", path), -EINVAL);
	assert_int_equal(cgroup_of_container(root, "docker", path), -EINVAL);
	assert_int_equal(cgroup_of_container(root, "cafe", path), -ENOENT);
}

TEST(paths)
{
	char path[PATH_MAX], typed[PATH_MAX];
	struct stat st;
	uint64_t id;

	snprintf(typed, sizeof(typed), "%s/a.slice/a-b.slice/", root);
	assert_int_equal(cgroup_path(root, typed, path), 0);
	assert_string_equal(path, "/a.slice/a-b.slice");
	assert_int_equal(cgroup_path(root, "a.slice", path), 0);
	assert_string_equal(path, "/a.slice");
	assert_int_equal(cgroup_path(root, "/", path), 0);
	assert_string_equal(path, "/");
	assert_int_equal(cgroup_path(root, "", path), -ENOENT);
	assert_int_equal(cgroup_path(root, "/none", path), -ENOENT);
	assert_int_equal(cgroup_path(root, "/..", path), -EXDEV);
	assert_int_equal(cgroup_path(root, "docker/out", path), -EXDEV);
	assert_int_equal(cgroup_path(root, "a.slice/file.service", path), -ENOTDIR);
	assert_int_equal(cgroup_id(root, "", &id), 0);
	assert_int_equal(stat(root, &st), 0);
	assert_int_equal(id, st.st_ino);
}

TEST(named)
{
	assert_true(cgroup_is_named("/machine.slice/libpod-" ID "01.scope", ID "01"));
	assert_true(cgroup_is_named("/web", "web"));
	assert_true(cgroup_is_named("/crun-web.scope", "web"));
	assert_true(cgroup_is_named("/webweb-web", "web"));
	assert_false(cgroup_is_named("/webs/x", "web"));
	assert_false(cgroup_is_named("/crun-web2.scope", "web"));
	assert_false(cgroup_is_named("/spider-2web.scope", "web"));
	assert_false(cgroup_is_named("/user.slice", "user"));
	assert_false(cgroup_is_named("/web.service", "web"));
	assert_false(cgroup_is_named("/session-1.scope", "scope"));
	assert_false(cgroup_is_named("/", "web"));
	assert_false(cgroup_is_named("", "web"));
}

/* Groups of podman with crun and runc, docker, CRI-O, containerd, and plain runc. */
TEST(cut)
{
	static const struct {
		const char *path, *own, *id, *want;
	} cases[] = {
		{ "/libpod_parent/libpod-" ID, "/command", ID, NULL },
		{ "/machine.slice/libpod-" ID ".scope", "/machine.slice/libpod-conmon-" ID ".scope",
		  ID, NULL },
		{ "/machine.slice/libpod-" ID ".scope/container", "/", ID,
		  "/machine.slice/libpod-" ID ".scope" },
		{ "/system.slice/a.service/libpod-payload-" ID "/container/x",
		  "/system.slice/a.service/supervisor", ID,
		  "/system.slice/a.service/libpod-payload-" ID },
		{ "/system.slice/docker-" ID ".scope", "/system.slice/docker.service", ID, NULL },
		{ "/docker/" ID, "/x", ID, NULL },
		{ "/kubepods.slice/kubepods-pod1_2.slice/crio-" ID ".scope",
		  "/system.slice/crio.service", ID, NULL },
		{ "/kubepods.slice/kubepods-pod1_2.slice/cri-containerd-" ID ".scope", "/", ID,
		  NULL },
		{ "/kubepods/burstable/pod1-2/" ID "/init.scope", "/", ID,
		  "/kubepods/burstable/pod1-2/" ID },
		/* A container inside a container of the same name. */
		{ "/docker/" ID "/web", "/docker/" ID, "web", NULL },
		{ "/web/system.slice/web", "/web/x", "web", NULL },
		/* The configuration of the container chose the group. */
		{ "/mine/here", "/mine/there", "web", NULL },
		{ "/mine/container", "/x", "web", NULL },
		{ "/docker/" ID "02/mine", "/docker/" ID "02/x", ID "01", NULL },
		/* The group of another container. */
		{ "/machine.slice/libpod-" ID "02.scope", "/x", ID "01", "" },
		{ "/docker/" ID "02/mine", "/docker/" ID "03", ID "01", "" },
		{ "/container", "/x", "web", NULL },
		/* The container has no group of its own. */
		{ "/", "/x", "web", "" },
		{ "/user.slice/session-3.scope", "/user.slice/session-3.scope", "web", "" },
		{ "/user.slice/session-3.scope", "/user.slice/session-3.scope/x", "web", "" },
		{ "/user.slice/session-3.scope", "/user.slice/session-3.scope2", "web", NULL },
		{ "/user.slice/user-1.slice/session-3.scope", "/x", "user",
		  "/user.slice/user-1.slice/session-3.scope" },
		{ "/../other", "/", "web", "" },
	};
	char path[PATH_MAX];

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const char *want = cases[i].want ? cases[i].want : cases[i].path;

		strcpy(path, cases[i].path);
		assert_int_equal(cgroup_cut(path, cases[i].own, cases[i].id), *want ? 0 : -EXDEV);
		if (*want)
			assert_string_equal(path, want);
	}
}

TEST(populated)
{
	assert_int_equal(cgroup_is_populated(root, "/"), 1);
	assert_int_equal(cgroup_is_populated(root, "/a.slice"), 1);
	assert_int_equal(cgroup_is_populated(root, "/docker"), 0);
	assert_int_equal(cgroup_is_populated(root, "/none"), -ENOENT);
}

TEST(processes)
{
	char path[PATH_MAX] = "";
	int ret = proc_cgroup(getpid(), path);

	assert_true(ret == -ENOENT || (!ret && *path == '/'));
	assert_int_equal(proc_cgroup(999999999, path), -ESRCH);
	assert_int_equal(cgroup_of_container_process(999999999, "web", path), -ESRCH);
	ret = cgroup_of_container_process(getpid(), "web", path);
	assert_true(ret == -ENOENT || ret == -EXDEV);
}

static void check_service(const char *path, const char *want, bool want_user)
{
	char found[NAME_MAX + 1] = "untouched";
	bool is_user;

	assert_int_equal(cgroup_unit(path, found, &is_user), want != NULL);
	if (want)
		assert_string_equal(found, want);
	if (want)
		assert_int_equal(is_user, want_user);
}

TEST(services)
{
	char path[NAME_MAX + 64];

	check_service("/system.slice/ssh.service", "ssh.service", false);
	check_service("/a.slice/a-b.slice/web@1.service/sub/evil.service", "web@1.service", false);
	check_service("/system.slice/_cpu.service", "cpu.service", false);
	check_service("/user.slice/user-5.slice/user@5.service/app.slice/web.service",
		      "web.service", true);
	check_service("/user.slice/user-5.slice/user@5.service/init.scope", NULL, false);
	check_service("/user.slice/user-5.slice/user@5.service", NULL, false);
	check_service("/user.slice/user-5.slice/session-3.scope/evil.service", NULL, false);
	check_service("/machine.slice/libpod-" ID "01.scope/ssh.service", NULL, false);
	check_service("/system.slice", NULL, false);
	check_service("/", NULL, false);
	check_service("", NULL, false);
	check_service("/.service", NULL, false);
	/* Longer than a file name can be. */
	memset(path, 'x', sizeof(path));
	strcpy(path + sizeof(path) - sizeof(".service"), ".service");
	check_service(path, NULL, false);
}

TEST(members)
{
	struct scope_target target = { .kind = SCOPE_RUN };
	char path[PATH_MAX];

	assert_false(scope_target_has(&target, getpid()));
	if (proc_cgroup(getpid(), path))
		skip();
	target = (struct scope_target){ .kind = SCOPE_CGROUP, .name = "/" };
	assert_true(scope_target_has(&target, getpid()));
	strcpy(target.name, "/no-such");
	assert_false(scope_target_has(&target, getpid()));
	/* A name that only begins like the group's. */
	snprintf(target.name, sizeof(target.name), "%.*s", (int)strlen(path) - 1, path);
	if (strlen(target.name) > 1 && target.name[strlen(target.name) - 1] != '/')
		assert_false(scope_target_has(&target, getpid()));
}

static struct fixture fixture = { .first = build, .last = wipe };
