// SPDX-License-Identifier: MIT
/* smc_run --enable and --disable: a drop-in for a service of systemd. */
#include "smc_run/unit.h"

#include <errno.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/smc.h"
#include "smc_run/bpf.h"
#include "smc_run/dropin.h"
#include "smc_run/kernel.h"
#include "smc_run/systemctl.h"
#include "sys/library.h"
#include "sys/target.h"

#define PRELOAD "LD_PRELOAD"
#define PROPERTIES "Id,LoadState,Environment,EnvironmentFiles,UnsetEnvironment,ExecStart," \
		   "RestrictAddressFamilies,RootDirectory,RootImage,ProtectHome,PrivateTmp," \
		   "InaccessiblePaths,NoExecPaths,ExecPaths,TriggeredBy,User,DynamicUser," \
		   "NoNewPrivileges"

/* struct unit - a service, and what its drop-in will be made of */
struct unit {
	const struct unit_request *req;
	char name[UNIT_NAME_SIZE];	/* as its files are called */
	struct unit_props props;
	struct dropin dropin;
	struct target target;
	struct library lib;
	enum unit_way way;
	char loader[PATH_MAX];		/* smc_bpf */
};

/* Its name, properties and drop-in. */
static int load(const struct unit_request *req, struct unit *unit, struct smc_err *err)
{
	char shown[UNIT_NAME_SIZE];
	const char *state, *id;
	int ret = unit_name(req->name, unit->name, err);

	if (ret)
		return ret;
	unit_shown_name(unit->name, shown);
	ret = systemctl_show(req->user, shown, PROPERTIES, &unit->props, err);
	if (ret)
		return ret;
	state = unit_prop_text(&unit->props, "LoadState");
	if (!strcmp(state, "not-found"))
		return smc_err_say(err, ENOENT, "there is no unit '%s'", unit->name);
	if (strcmp(state, "loaded"))
		return smc_err_say(err, EINVAL, "the unit '%s' cannot be used: systemd calls it %s",
				   unit->name, *state ? state : "nothing");
	/* Of an alias the name of its file. */
	id = unit_prop_text(&unit->props, "Id");
	if (strlen(id) < sizeof(unit->name) && !unit_name(id, unit->name, err))
		unit_file_name(unit->name);
	return dropin_locate(req->user, unit->name, &unit->dropin, err);
}

static bool is_set(const char *value)
{
	return *value && strcmp(value, "no");
}

/* Is the program started with more rights than those of the service's user? Then nothing is preloaded. */
static bool is_secure(const struct unit *unit)
{
	const struct unit_props *props = &unit->props;
	const char *user = unit_prop_text(props, "User");
	bool is_other = is_set(unit_prop_text(props, "DynamicUser")) ||
			(*user && strcmp(user, "root") && strcmp(user, "0"));

	if (unit->target.is_nosuid || is_set(unit_prop_text(props, "NoNewPrivileges")))
		return false;
	return is_other ? unit->target.raises : unit->target.secure;
}

/* "{ path=/usr/bin/redis-server ; argv[]=... }": the first one's path. */
static void find_target(struct unit *unit)
{
	const char *exec = unit_prop_text(&unit->props, "ExecStart");
	const char *path = strstr(exec, "path="), *end;
	char command[PATH_MAX];

	unit->target = (struct target){ .known = false };
	end = path ? strstr(path, " ; ") : NULL;
	if (!end)
		return;
	path += strlen("path=");
	snprintf(command, sizeof(command), "%.*s", (int)(end - path), path);
	target_find(command, &unit->target);
	unit->target.secure = is_secure(unit);
}

static bool is_ours(const char *entry)
{
	static const char *const names[] = { LIBRARY_NAME, LIBRARY_NAME ".1", "libsmc-preload.so" };
	const char *base = strrchr(entry, '/');
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(base ? base + 1 : entry, names[i]))
			return true;
	return false;
}

/* Does a line of an environment file, systemd.exec(5), set LD_PRELOAD without our library? */
static bool sets_preload(char *line)
{
	char *rest = line + strspn(line, " \t"), *name = strsep(&rest, "="), *entry;

	name[strcspn(name, " \t")] = '\0';
	if (!rest || strcmp(name, PRELOAD))
		return false;
	while ((entry = strsep(&rest, ": \t\n\"'")))
		if (is_ours(entry))
			return false;
	return true;
}

static bool file_sets_preload(const char *path)
{
	FILE *file = fopen(path, "re");
	bool found = false;
	char *line = NULL;
	size_t size = 0;

	if (!file)
		return false;
	while (!found && getline(&line, &size, file) >= 0)
		found = sets_preload(line);
	free(line);
	fclose(file);
	return found;
}

/* "/etc/default/redis (ignore_errors=yes)": files win over a drop-in's Environment=. */
static bool any_file_sets_preload(const char *value, char path[PATH_MAX])
{
	const char *end = strstr(value, " (ignore_errors=");
	bool found = false;
	glob_t files;
	size_t i;

	snprintf(path, PATH_MAX, "%.*s", end ? (int)(end - value) : PATH_MAX - 1, value);
	if (glob(path, 0, NULL, &files))
		return false;
	for (i = 0; !found && i < files.gl_pathc; i++) {
		found = file_sets_preload(files.gl_pathv[i]);
		snprintf(path, PATH_MAX, "%s", files.gl_pathv[i]);
	}
	globfree(&files);
	return found;
}

static int check_environment(struct unit *unit, struct smc_err *err)
{
	const char *file = NULL;
	char path[PATH_MAX];

	if (unit_has_word(unit_prop_text(&unit->props, "UnsetEnvironment"), PRELOAD))
		return smc_err_say(err, EINVAL, "%s has UnsetEnvironment=" PRELOAD ": nothing can "
				   "be preloaded", unit->name);
	while ((file = unit_prop(&unit->props, "EnvironmentFiles", file)))
		if (any_file_sets_preload(file, path))
			return smc_err_say(err, EINVAL, "%s: '%s' sets " PRELOAD ", which counts "
					   "more than a drop-in: add %s there", unit->name, path,
					   unit->lib.entry);
	return 0;
}

static bool is_below(const char *path, const char *folder)
{
	size_t len = strlen(folder);

	return !strncmp(path, folder, len) && (path[len] == '/' || (len && folder[len - 1] == '/'));
}

/* How much of a path the longest folder of a list such as NoExecPaths= covers; 0 for none. */
static size_t covered(const struct unit *unit, const char *prop, const char *path)
{
	const char *list = unit_prop_text(&unit->props, prop);
	char word[PATH_MAX], folder[PATH_MAX];
	size_t longest = 0;

	while (unit_next_word(&list, word))
		if (realpath(word + strspn(word, "-+"), folder) && is_below(path, folder) &&
		    strlen(folder) > longest)
			longest = strlen(folder);
	return longest;
}

/* Folders that the sandbox of a service replaces by empty ones, or takes the execute right from. */
static int check_sandbox(const struct unit *unit, struct smc_err *err)
{
	const struct unit_props *props = &unit->props;
	const char *by = NULL;
	char lib[PATH_MAX];

	if (!realpath(unit->lib.file, lib))
		return 0;
	if (is_set(unit_prop_text(props, "ProtectHome")) &&
	    (is_below(lib, "/home") || is_below(lib, "/root") || is_below(lib, "/run/user")))
		by = "ProtectHome";
	if (is_set(unit_prop_text(props, "PrivateTmp")) &&
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

/* IPPROTO_SMC sockets are of AF_INET, which such a service has. */
static bool uses_inet(void)
{
	const char *family = getenv("SMC_SOCK_FAMILY");

	return family && strcmp(family, "smc") && !kernel_ipproto_smc();
}

static int check_families(const struct unit *unit, struct smc_err *err)
{
	const char *list = unit_prop_text(&unit->props, "RestrictAddressFamilies");

	if (*list != '~' || uses_inet() || !unit_has_word(list + 1, "AF_SMC"))
		return 0;
	return smc_err_say(err, ENOTSUP, "%s has RestrictAddressFamilies=~AF_SMC, which forbids "
			   "SMC: try --family inet", unit->name);
}

static int check_preload(struct unit *unit, struct smc_err *err)
{
	char why[LIBRARY_WHY_SIZE];
	int ret;

	if (library_find(&unit->target, &unit->lib))
		return smc_err_say(err, ENOENT, "cannot find %s, neither beside smc_run nor in %s",
				   LIBRARY_NAME, SMC_LIBDIR);
	if (unit->lib.entry[strcspn(unit->lib.entry, ": \t\n")])
		return smc_err_say(err, EINVAL, PRELOAD " cannot hold '%s': it has a blank or a "
				   "colon", unit->lib.entry);
	if (library_misses(&unit->lib, &unit->target, why))
		return smc_err_say(err, ENOTSUP, "%s: '%s': %s", unit->name, unit->target.path, why);
	ret = check_environment(unit, err);
	if (!ret)
		ret = check_sandbox(unit, err);
	return ret ? ret : check_families(unit, err);
}

static int check_bpf(struct unit *unit, struct smc_err *err)
{
	if (unit->req->user)
		return smc_err_say(err, ENOTSUP, "eBPF needs root: it is for units of the system");
	bpf_loader(unit->loader);
	/* Others than root cannot ask, and will hear that they cannot write the drop-in. */
	return geteuid() ? bpf_ask("--version", NULL, NULL, err)
			 : bpf_ask("check", "--cgroup", "/", err);
}

/* The way that reaches the program: the library, or eBPF if nobody asked for the library. */
static int choose_way(struct unit *unit, struct smc_err *err)
{
	enum unit_way wanted = unit->req->way;
	struct smc_err preload = { 0 };
	char bpf[sizeof(err->text)];
	int ret;

	unit->way = UNIT_WAY_PRELOAD;
	if (wanted == UNIT_WAY_PRELOAD)
		return check_preload(unit, err);
	if (wanted == UNIT_WAY_NONE && !check_preload(unit, &preload))
		return 0;
	unit->way = UNIT_WAY_BPF;
	ret = check_bpf(unit, err);
	if (!ret || wanted == UNIT_WAY_BPF)
		return ret;
	memcpy(bpf, err->text, sizeof(bpf));
	return smc_err_say(err, -ret, "%s; nor eBPF: %s", preload.text, bpf);
}

/* Whether a drop-in will do anything. */
static int check(struct unit *unit, struct smc_err *err)
{
	const char *root = unit_prop_text(&unit->props, "RootDirectory");

	if (!*root || !strcmp(root, "/"))
		root = unit_prop_text(&unit->props, "RootImage");
	if (*root)
		return smc_err_say(err, ENOTSUP, "%s runs in '%s', where smc-tools are not",
				   unit->name, root);
	find_target(unit);
	return choose_way(unit, err);
}

/* A part of a word in double quotes, as systemd.syntax(7) reads it; % begins a specifier. */
static void put_quoted(FILE *out, const char *text)
{
	for (; *text; text++) {
		if (strchr("\"\\", *text))
			fputc('\\', out);
		if (*text == '%')
			fputc('%', out);
		if ((unsigned char)*text < ' ')
			fprintf(out, "\\x%02x", (unsigned int)*text);
		else
			fputc(*text, out);
	}
}

static void put_variable(FILE *out, const char *name, const char *value)
{
	fprintf(out, "Environment=\"%s=", name);
	put_quoted(out, value);
	fputs("\"\n", out);
}

/* A command of smc_bpf for the unit, outside of its sandbox; "-": its failure is none of the unit's. */
static void put_loader(FILE *out, const char *when, const char *prefix, const struct unit *unit,
		       const char *command)
{
	fprintf(out, "%s=\"%s+", when, prefix);
	put_quoted(out, unit->loader);
	fprintf(out, "\" %s --unit %%n\n", command);
}

/* A variable's assignment replaces the unit's own, so that its entries are repeated here. */
static void put_preload(FILE *out, const struct unit *unit)
{
	const char *list = unit_prop_text(&unit->props, "Environment");
	char word[PATH_MAX], value[2 * PATH_MAX] = "", *rest, *entry;
	size_t len = 0;

	while (unit_next_word(&list, word)) {
		if (strncmp(word, PRELOAD "=", sizeof(PRELOAD)))
			continue;
		rest = word + sizeof(PRELOAD);
		len = 0;	/* the last one counts */
		while ((entry = strsep(&rest, ": ")))
			if (*entry && !is_ours(entry))
				len += (size_t)sprintf(value + len, "%s:", entry);
	}
	memcpy(value + len, unit->lib.entry, strlen(unit->lib.entry) + 1);
	put_variable(out, PRELOAD, value);
}

/*
 * Lists are merged. All families are there, because AF_SMC alone would forbid all others on the
 * day on which the unit loses its own list.
 */
static void put_families(FILE *out, const struct unit *unit)
{
	const char *list = unit_prop_text(&unit->props, "RestrictAddressFamilies");
	char word[PATH_MAX];

	if (!*list || *list == '~' || uses_inet())
		return;
	fputs("RestrictAddressFamilies=", out);
	while (unit_next_word(&list, word))
		if (strcmp(word, "AF_SMC"))
			fprintf(out, "%s ", word);
	fputs("AF_SMC\n", out);
}

/* The text of the drop-in, to be freed. NULL without memory. */
static char *compose(const struct unit *unit)
{
	static const char *const names[] = { UNIT_VARIABLES };
	char *text = NULL;
	size_t size, i;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	fputs(DROPIN_MARK "[Service]\n", out);
	if (unit->way == UNIT_WAY_BPF) {
		put_loader(out, "ExecStartPre", getenv("SMC_STRICT") ? "" : "-", unit, "attach");
		put_loader(out, "ExecStopPost", "-", unit, "detach");
	} else {
		put_preload(out, unit);
		for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
			if (getenv(names[i]))
				put_variable(out, names[i], getenv(names[i]));
		put_families(out, unit);
	}
	if (!fclose(out))
		return text;
	free(text);
	return NULL;
}

static void note_socket(const struct unit *unit, const char *name)
{
	cli_warn(unit->req->tool, unit->req->quiet, "connections to %s stay TCP: systemd opens its "
		 "sockets, not the service", name);
}

/*
 * The socket unit of the same name, which systemd may not have loaded: "ssh.socket" starts
 * "ssh.service", or if it accepts, instances of "ssh@.service", systemd.socket(5).
 */
static void note_namesake(const struct unit *unit)
{
	const char *at = strchr(unit->name, '@');
	const char *end = at ? at : strrchr(unit->name, '.');
	struct unit_props props;
	char name[UNIT_NAME_SIZE];

	snprintf(name, sizeof(name), "%.*s.socket", (int)(end - unit->name), unit->name);
	if (unit_has_word(unit_prop_text(&unit->props, "TriggeredBy"), name) ||
	    systemctl_show(unit->req->user, name, "Accept,Triggers", &props, NULL))
		return;
	if (at ? !strcmp(unit_prop_text(&props, "Accept"), "yes")
	       : unit_has_word(unit_prop_text(&props, "Triggers"), unit->name))
		note_socket(unit, name);
	free(props.text);
}

static void note_limits(const struct unit *unit)
{
	const struct unit_request *req = unit->req;
	const char *list = unit_prop_text(&unit->props, "TriggeredBy");
	int err = kernel_smc(uses_inet());
	char word[PATH_MAX], *type;

	if (unit->way == UNIT_WAY_BPF && (getenv("SMC_RCVBUF") || getenv("SMC_SNDBUF")))
		cli_warn(req->tool, req->quiet, "eBPF cannot set the buffers of sockets: --rcvbuf "
			 "and --sndbuf do not count");
	if (unit->way == UNIT_WAY_BPF && (getenv("SMC_INCLUDE") || getenv("SMC_EXCLUDE")))
		cli_warn(req->tool, req->quiet, "eBPF sees no addresses: --include and --exclude "
			 "do not count");
	if (err)
		cli_warn(req->tool, req->quiet, "SMC sockets cannot be opened here, the service "
			 "will use TCP: %s", strerror(-err));
	while (unit_next_word(&list, word)) {
		type = strrchr(word, '.');
		if (type && !strcmp(type, ".socket"))
			note_socket(unit, word);
	}
	note_namesake(unit);
}

static const char *systemctl_words(const struct unit_request *req)
{
	return req->user ? "systemctl --user" : "systemctl";
}

/* systemd has to read the files again; what it does not know yet it does at the next boot. */
static void reload(const struct unit_request *req)
{
	struct smc_err err = { 0 };

	if (systemctl_reload(req->user, &err))
		cli_warn(req->tool, req->quiet, "%s; systemd reads the change with '%s "
			 "daemon-reload'", err.text, systemctl_words(req));
}

static int report(const struct unit *unit, const char *what, bool restart)
{
	const char *words = systemctl_words(unit->req);

	printf("%s: %s\n", unit->name, what);
	if (restart && unit_is_template(unit->name))
		printf("Takes effect with: %s restart %.*sINSTANCE.service\n", words,
		       (int)(strlen(unit->name) - strlen(".service")), unit->name);
	else if (restart)
		printf("Takes effect with: %s restart %s\n", words, unit->name);
	return cli_close_stdout(unit->req->tool);
}

/* A drop-in by eBPF goes: what it attached, too, which nothing would detach any more. */
static void release(const struct unit *unit, bool was_bpf)
{
	struct smc_err ignored;

	if (was_bpf && !geteuid())
		bpf_ask("detach", "--unit", unit->name, &ignored);
}

/* Is there one by eBPF? */
static bool has_bpf(const struct unit *unit)
{
	struct smc_err ignored;
	bool is_bpf;
	char *text;

	if (dropin_read(unit->dropin.file, &text, &ignored))
		return false;
	is_bpf = dropin_is_bpf(text);
	free(text);
	return is_bpf;
}

/* Return: exit status. */
static int enable(struct unit *unit, struct smc_err *err)
{
	char text[PATH_MAX + 64], *conf;
	int ret = check(unit, err);
	bool was_bpf;

	if (ret)
		return cli_error(unit->req->tool, "%s", err->text);
	was_bpf = has_bpf(unit);
	conf = compose(unit);
	ret = conf ? dropin_write(&unit->dropin, conf, err)
		   : smc_err_set(err, ENOMEM, "%s", unit->name);
	free(conf);
	if (ret < 0)
		return cli_error(unit->req->tool, "%s", err->text);
	note_limits(unit);
	reload(unit->req);
	release(unit, was_bpf && unit->way != UNIT_WAY_BPF);
	snprintf(text, sizeof(text), "%s by %s, %s", ret ? "enabled" : "is enabled already",
		 unit->way == UNIT_WAY_BPF ? "eBPF" : "preload", unit->dropin.file);
	return report(unit, text, true);
}

int unit_enable(const struct unit_request *req)
{
	struct unit unit = { .req = req };
	struct smc_err err = { 0 };
	int status = load(req, &unit, &err) ? cli_error(req->tool, "%s", err.text)
					    : enable(&unit, &err);

	free(unit.props.text);
	return status;
}

/* Return: 0 and the unit's drop-in, also when systemd does not know the unit any more. */
static int find_dropin(const struct unit_request *req, struct unit *unit, struct smc_err *err)
{
	int ret = unit_name(req->name, unit->name, err);

	if (ret || !load(req, unit, err))
		return ret;
	return dropin_locate(req->user, unit->name, &unit->dropin, err);
}

int unit_disable(const struct unit_request *req)
{
	struct unit unit = { .req = req };
	struct smc_err err = { 0 };
	int ret = find_dropin(req, &unit, &err);
	bool was_bpf = !ret && has_bpf(&unit);

	free(unit.props.text);
	if (!ret)
		ret = dropin_remove(&unit.dropin, &err);
	if (ret < 0)
		return cli_error(req->tool, "%s", err.text);
	if (!ret)
		return report(&unit, "is not enabled", false);
	reload(req);
	release(&unit, was_bpf);
	return report(&unit, "disabled", true);
}
