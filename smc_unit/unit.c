// SPDX-License-Identifier: MIT
/* Examine a systemd service, and find what would keep a drop-in from having an effect. */
#include "smc_unit/unit.h"

#include "base/array.h"
#include "base/words.h"
#include "host/smc.h"
#include "process/ask.h"
#include "process/confined.h"
#include "sandbox/owned.h"

#define PROPERTIES                                                                                 \
	"Id,LoadState,Environment,UnsetEnvironment,ExecStart,RestrictAddressFamilies,"             \
	"RootDirectory,RootImage,ProtectHome,PrivateTmp,InaccessiblePaths,NoExecPaths,ExecPaths,"  \
	"TriggeredBy,User,DynamicUser,NoNewPrivileges,MainPID"

void unit_find(struct request *req, const char *word, char name[UNIT_NAME_SIZE])
{
	char *text AUTO_FREE = strpbrk(word, "./@") ? NULL : launch_profile(word);
	char *rest = text, *line, *words[2], shown[UNIT_NAME_SIZE];
	struct smc_err ignored;

	req->unit = word;
	while (req->unit == word && rest && (line = strsep(&rest, "\n"))) {
		struct unit_props props AUTO(unit_props_free) = { 0 };

		if (words_split(line, words, 2) < 2 || strcmp(words[0], "unit") ||
		    unit_name(words[1], name, &ignored))
			continue;
		unit_shown_name(name, shown);
		if (systemctl_show(req->user, shown, "LoadState", &props, &ignored) ||
		    strcmp(unit_prop_text(&props, "LoadState"), "loaded"))
			continue;
		req->unit = name;
	}
}

int unit_load(const struct request *req, struct unit *unit, struct smc_err *err)
{
	char shown[UNIT_NAME_SIZE], asked[UNIT_NAME_SIZE];
	const char *state, *id;
	int ret = unit_name(req->unit, unit->name, err);

	if (ret)
		return ret;
	unit_shown_name(unit->name, shown);
	ret = systemctl_show(req->user, shown, PROPERTIES, &unit->props, err);
	if (ret)
		return ret;
	state = unit_prop_text(&unit->props, "LoadState");
	if (!strcmp(state, "not-found"))
		return smc_err_say(err, ENOENT, "no unit '%s'", unit->name);
	if (strcmp(state, "loaded"))
		return smc_err_say(err, EINVAL, "cannot use unit '%s': systemd reports it as %s",
				   unit->name, *state ? state : "nothing");
	/* Resolve an alias: the drop-in belongs to the unit's own name. */
	id = unit_prop_text(&unit->props, "Id");
	memcpy(asked, unit->name, sizeof(asked));
	if (strlen(id) < sizeof(unit->name) && !unit_name(id, unit->name, err))
		unit_file_name(unit->name, asked);
	return dropin_locate(req->user, unit->name, &unit->dropin, err);
}

bool preload_is_ours(const char *entry)
{
	static const char *const names[] = { LIBRARY_NAME, LIBRARY_NAME ".1", "libsmc-preload.so",
					     "ld_pre_smc_spin.so" };
	const char *base = strrchr(entry, '/');

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(base ? base + 1 : entry, names[i]))
			return true;
	return false;
}

const char *unit_prop_of(const struct unit *unit, const char *name)
{
	return unit_prop_text(&unit->props, name);
}

bool unit_uses_inet(const struct unit *unit)
{
	return smc_wants_inet(unit->req->launch.settings[VAR_FAMILY]) && !kernel_ipproto_smc();
}

static bool is_set(const char *value)
{
	return *value && strcmp(value, "no");
}

static bool has_other_user(const struct unit *unit)
{
	const char *user = unit_prop_of(unit, "User");

	return is_set(unit_prop_of(unit, "DynamicUser")) ||
	       (*user && strcmp(user, "root") && strcmp(user, "0"));
}

bool unit_is_root(const struct unit *unit)
{
	return !unit->req->user && !has_other_user(unit);
}

/* True if the program gets more rights than the service's user: then nothing is preloaded. */
static bool is_secure(const struct unit *unit)
{
	if (unit->target.is_nosuid || is_set(unit_prop_of(unit, "NoNewPrivileges")))
		return false;
	return has_other_user(unit) ? unit->target.raises : unit->target.secure;
}

static void find_target(struct unit *unit)
{
	char command[PATH_MAX];

	unit->target = (struct target){ .known = false };
	unit_program(&unit->props, command);
	if (!*command)
		return;
	target_find(command, &unit->target);
	unit->target.secure = is_secure(unit);
}

static int check_environment(const struct unit *unit, struct smc_err *err)
{
	const char *list = unit_prop_of(unit, "Environment");
	bool is_cut = false;
	char word[PATH_MAX];

	if (unit_has_word(unit_prop_of(unit, "UnsetEnvironment"), PRELOAD))
		return smc_err_say(err, EINVAL,
				   "%s has UnsetEnvironment=" PRELOAD ": nothing can be preloaded",
				   unit->name);
	while (unit_next_word(&list, word))
		if (!strncmp(word, PRELOAD "=", sizeof(PRELOAD)))
			is_cut = strlen(word) == sizeof(word) - 1; /* the last one counts */
	return is_cut ? smc_err_say(err, E2BIG, "%s: its " PRELOAD " is too long", unit->name) : 0;
}

static bool is_below(const char *path, const char *dir)
{
	size_t len = strlen(dir);

	return !strncmp(path, dir, len) && (path[len] == '/' || (len && dir[len - 1] == '/'));
}

/* Length of the longest directory in a list such as NoExecPaths= that contains a path, or 0 */
static size_t covered(const struct unit *unit, const char *prop, const char *path)
{
	const char *list = unit_prop_of(unit, prop);
	char word[PATH_MAX], dir[PATH_MAX];
	size_t longest = 0;

	while (unit_next_word(&list, word))
		if (realpath(word + strspn(word, "-+"), dir) && is_below(path, dir) &&
		    strlen(dir) > longest)
			longest = strlen(dir);
	return longest;
}

/* Directories hidden by the service's sandbox, or mounted noexec in it */
static int check_sandbox(const struct unit *unit, struct smc_err *err)
{
	const char *by = NULL;
	char lib[PATH_MAX];

	if (!realpath(unit->lib.file, lib))
		return 0;
	if (is_set(unit_prop_of(unit, "ProtectHome")) &&
	    (is_below(lib, "/home") || is_below(lib, "/root") || is_below(lib, "/run/user")))
		by = "ProtectHome";
	if (is_set(unit_prop_of(unit, "PrivateTmp")) &&
	    (is_below(lib, "/tmp") || is_below(lib, "/var/tmp")))
		by = "PrivateTmp";
	if (covered(unit, "InaccessiblePaths", lib))
		by = "InaccessiblePaths";
	if (covered(unit, "NoExecPaths", lib) > covered(unit, "ExecPaths", lib))
		by = "NoExecPaths";
	if (by)
		return smc_err_say(err, ENOTSUP, "%s: its %s= forbids '%s'", unit->name, by, lib);
	return 0;
}

static int check_families(const struct unit *unit, struct smc_err *err)
{
	const char *list = unit_prop_of(unit, "RestrictAddressFamilies");

	if (*list != '~' || !kernel_ipproto_smc() || !unit_has_word(list + 1, "AF_SMC"))
		return 0;
	return smc_err_say(err, ENOTSUP,
			   "%s has RestrictAddressFamilies=~AF_SMC, which forbids "
			   "SMC before Linux 6.11",
			   unit->name);
}

/* System services must load and run only files that only root can change. */
static int check_owner(const struct unit *unit, const char *path, struct smc_err *err)
{
	char culprit[PATH_MAX];
	int ret = unit->req->user || !*path ? 0 : owned_by_root(path, -1, culprit);

	if (ret == -EPERM)
		return smc_err_say(err, EPERM,
				   "%s would use '%s', but other users can write to "
				   "'%s': install smc-tools where only root can",
				   unit->name, path, culprit);
	return ret ? smc_err_set(err, -ret, "cannot check '%s'", culprit) : 0;
}

static int check_preload(struct unit *unit, struct smc_err *err)
{
	char why[LIBRARY_WHY_SIZE];
	int ret = preload_find(&unit->target, &unit->lib, err);

	if (ret)
		return ret;
	if (unit->req->launch.way == WAY_NONE &&
	    strstr(unit_prop_of(unit, "ExecStart"), "/pg_ctlcluster"))
		return smc_err_say(err, ENOTSUP, "%s: pg_ctlcluster clears the environment",
				   unit->name);
	if (library_misses(&unit->lib, &unit->target, why))
		return smc_err_say(err, ENOTSUP, "%s: '%s': %s", unit->name, unit->target.path,
				   why);
	ret = check_owner(unit, unit->lib.file, err) ?: check_owner(unit, unit->lib.other, err);
	if (!ret)
		ret = check_environment(unit, err);
	if (!ret)
		ret = check_sandbox(unit, err);
	return ret ? ret : check_families(unit, err);
}

static int check_bpf(struct unit *unit, struct smc_err *err)
{
	char why[HOST_PROBE_SIZE];

	if (unit->req->user)
		return smc_err_say(err, ENOTSUP, "eBPF needs root: it is for system units");
	/* A security module would deny SMC sockets, or accepted connections: worse than TCP. */
	if (confined_unit(unit->name, &unit->props, true, why) > 0)
		return smc_err_say(err, EACCES, "%s: %s: " CONFINED_SEE, unit->name, why);
	if (tool_find("smc_bpf", unit->loader) && check_owner(unit, unit->loader, err))
		return -EPERM;
	/* Only root may ask. Other users fail later, when they write the drop-in. */
	return geteuid() ? bpf_ask("--version", NULL, NULL, err) :
			   bpf_ask("check", "--cgroup", "/", err);
}

/* Choose the way that reaches the program: the library, or eBPF unless --preload was given. */
static int choose_way(struct unit *unit, struct smc_err *err)
{
	enum way wanted = unit->req->launch.way;
	struct smc_err preload = { 0 };
	char bpf[sizeof(err->text)];
	int ret;

	unit->way = WAY_PRELOAD;
	if (wanted == WAY_PRELOAD)
		return check_preload(unit, err);
	if (wanted == WAY_NONE && !check_preload(unit, &preload))
		return 0;
	unit->way = WAY_BPF;
	ret = check_bpf(unit, err);
	if (!ret || wanted == WAY_BPF)
		return ret;
	memcpy(bpf, err->text, sizeof(bpf));
	return smc_err_say(err, -ret, "%s; no eBPF either: %s", preload.text, bpf);
}

int unit_check(struct unit *unit, struct smc_err *err)
{
	const char *root = unit_prop_of(unit, "RootDirectory");

	if (!*root || !strcmp(root, "/"))
		root = unit_prop_of(unit, "RootImage");
	if (*root)
		return smc_err_say(err, ENOTSUP,
				   "%s runs in '%s', where smc-tools is not installed", unit->name,
				   root);
	find_target(unit);
	return choose_way(unit, err);
}
