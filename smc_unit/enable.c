// SPDX-License-Identifier: MIT
/* Write and remove the drop-in of a systemd service. */

#include "host/smc.h"
#include "launch/bufsize.h"
#include "out/text.h"
#include "process/ask.h"
#include "process/confined.h"
#include "settings/conf_files.h"
#include "smc_unit/unit.h"

/* A part of a word in double quotes, as systemd.syntax(7) reads it; % begins a specifier. */
static void put_quoted(struct out_text *out, const char *text)
{
	for (; *text; text++) {
		if (strchr("\"\\%", *text))
			out_char(out, *text == '%' ? '%' : '\\');
		if ((unsigned char)*text < ' ')
			out_printf(out, "\\x%02x", (unsigned int)*text);
		else
			out_char(out, *text);
	}
}

static void put_variable(struct out_text *out, const char *name, const char *value)
{
	out_printf(out, "Environment=\"%s=", name);
	put_quoted(out, value);
	out_str(out, "\"\n");
}

/* A command of smc_bpf for the unit, run outside its sandbox; with "-", failure is ignored */
static void put_loader(struct out_text *out, const char *when, const char *prefix,
		       const struct unit *unit, const char *command)
{
	out_printf(out, "%s=\"%s+", when, prefix);
	put_quoted(out, unit->loader);
	out_printf(out, "\" %s --unit %%n\n", command);
}

/* LD_PRELOAD= replaces the unit's value, so its entries are repeated. */
static void put_preload(struct out_text *out, const struct unit *unit)
{
	const struct launch *launch = &unit->req->launch;
	const char *list = unit_prop_of(unit, "Environment");
	char word[PATH_MAX], value[3 * PATH_MAX] = "", *rest, *entry;
	size_t len = 0;

	while (unit_next_word(&list, word)) {
		if (strncmp(word, PRELOAD "=", sizeof(PRELOAD)))
			continue;
		rest = word + sizeof(PRELOAD);
		len = 0; /* the last one counts */
		while ((entry = strsep(&rest, ": ")))
			if (*entry && !preload_is_ours(entry))
				len += (size_t)sprintf(value + len, "%s:", entry);
	}
	len += (size_t)sprintf(value + len, "%s", unit->lib.entry);
	if (launch->settings[VAR_SPIN] && launch_find_spin(launch, &unit->lib, word))
		snprintf(value + len, sizeof(value) - len, ":%s", word);
	put_variable(out, PRELOAD, value);
}

/*
 * systemd merges lists. The drop-in allows all families, because AF_SMC alone would forbid the
 * others once the unit loses its own list.
 */
static void put_families(struct out_text *out, const struct unit *unit)
{
	const char *list = unit_prop_of(unit, "RestrictAddressFamilies");
	char word[PATH_MAX];

	if (!*list || *list == '~' || unit_uses_inet(unit))
		return;
	out_str(out, "RestrictAddressFamilies=");
	while (unit_next_word(&list, word))
		if (strcmp(word, "AF_SMC"))
			out_printf(out, "%s ", word);
	out_str(out, "AF_SMC\n");
}

/* True if the unit itself sets a variable, not an earlier drop-in of ours. */
static bool is_own_variable(const struct unit *unit, const char *name)
{
	const char *list = unit_prop_of(unit, "Environment");
	char word[PATH_MAX], line[64], *ours AUTO_FREE = NULL;
	size_t len = strlen(name);
	struct smc_err ignored;
	bool found = false;

	while (!found && unit_next_word(&list, word))
		found = !strncmp(word, name, len) && word[len] == '=';
	if (!found || dropin_read(unit->dropin.file, &ours, &ignored))
		return found;
	snprintf(line, sizeof(line), "\nEnvironment=\"%s=", name);
	return !ours || !strstr(ours, line);
}

/* Write the settings that were given, and buffer sizes always. */
static void put_setting(struct out_text *out, const struct unit *unit, enum smc_variable variable)
{
	const char *value = unit->req->launch.settings[variable];
	char text[BUFFER_TEXT];

	if (!value && !is_own_variable(unit, smc_variables[variable]))
		value = buffers_default(variable, unit_is_root(unit), text);
	if (value)
		put_variable(out, smc_variables[variable], value);
}

static void make_text(struct out_text *out, const struct unit *unit)
{
	bool is_strict = unit->req->launch.settings[VAR_STRICT];

	out_str(out, DROPIN_MARK "[Service]\n");
	if (unit->way == WAY_BPF) {
		put_loader(out, "ExecStartPre", is_strict ? "" : "-", unit, "attach");
		put_loader(out, "ExecStopPost", "-", unit, "detach");
	} else {
		put_preload(out, unit);
		for (int i = 0; i < VARIABLES; i++)
			put_setting(out, unit, i);
		put_families(out, unit);
	}
	out_char(out, '\0');
}

static void warn_socket(const struct unit *unit, const char *name)
{
	unit_warn(unit->req,
		  "connections to %s stay TCP: systemd opens its sockets, not the service", name);
}

/*
 * Find the socket unit of the same name, which systemd may not have loaded: "ssh.socket" starts
 * "ssh.service" or, with Accept=, instances of "ssh@.service", see systemd.socket(5).
 */
static void warn_namesake(const struct unit *unit)
{
	const char *at = strchr(unit->name, '@');
	const char *end = at ? at : strrchr(unit->name, '.');
	struct unit_props props AUTO(unit_props_free) = { 0 };
	char name[UNIT_NAME_SIZE];

	snprintf(name, sizeof(name), "%.*s.socket", (int)(end - unit->name), unit->name);
	if (unit_has_word(unit_prop_of(unit, "TriggeredBy"), name) ||
	    systemctl_show(unit->req->user, name, "Accept,Triggers", &props, NULL))
		return;
	if (at ? !strcmp(unit_prop_text(&props, "Accept"), "yes") :
		 unit_has_word(unit_prop_text(&props, "Triggers"), unit->name))
		warn_socket(unit, name);
}

/* A stopped unit cannot be checked. Families need no check: the drop-in adds AF_SMC. */
static void warn_confined(const struct unit *unit)
{
	pid_t pid = (pid_t)atoi(unit_prop_of(unit, "MainPID"));
	char why[HOST_PROBE_SIZE];

	if (unit->req->user)
		return;
	if (unit->way == WAY_BPF && pid <= 0 && selinux_is_enforcing())
		unit_warn(unit->req,
			  "%s may fail to start, as SELinux may deny it the sockets of eBPF: "
			  "enable it while it runs to check this",
			  unit->name);
	if (unit->way != WAY_BPF && pid > 0 && confined_process(pid, false, why))
		unit_warn(unit->req, "%s will use TCP: %s: " CONFINED_SEE, unit->name, why);
}

/* Warn about everything that prevents SMC for the service's connections. */
static void warn(const struct unit *unit)
{
	const struct request *req = unit->req;
	const char *list = unit_prop_of(unit, "TriggeredBy");
	int err = kernel_has_smc();
	char word[PATH_MAX], *type;
	struct smc_err why;

	if (unit->way == WAY_BPF)
		launch_warn(&req->launch, WAY_BPF, unit->name);
	else if (!unit_is_root(unit))
		buffers_warn(&req->launch, unit->name);
	if (err) {
		kernel_why_not(err, &why);
		unit_warn(req, "%s will use TCP: %s", unit->name, why.text);
	} else {
		warn_confined(unit);
	}
	while (unit_next_word(&list, word)) {
		type = strrchr(word, '.');
		if (type && !strcmp(type, ".socket"))
			warn_socket(unit, word);
	}
	warn_namesake(unit);
}

static const char *systemctl_words(const struct request *req)
{
	return req->user ? "systemctl --user" : "systemctl";
}

/* Reload systemd. A unit that it does not know yet is read at the next boot. */
static void reload(const struct request *req)
{
	struct smc_err err = { 0 };

	if (systemctl_reload(req->user, &err))
		unit_warn(req, "%s; run '%s daemon-reload' to apply the change", err.text,
			  systemctl_words(req));
}

/* Print the command ready for pasting: unit names may have backslashes or begin with '-'. */
static void report_restart(const struct unit *unit, const char *what)
{
	int stem = (int)(strlen(unit->name) - strlen(".service"));
	char name[UNIT_NAME_SIZE + sizeof("INSTANCE")];
	struct out_text text AUTO(out_free) = { 0 };

	printf("%s: %s\n", unit->name, what);
	snprintf(name, sizeof(name), "%.*s%s.service", stem, unit->name,
		 unit_is_template(unit->name) ? "INSTANCE" : "");
	if (out_shell_word(&text, name))
		printf("Takes effect with: %s restart %s%.*s\n", systemctl_words(unit->req),
		       *name == '-' ? "-- " : "", (int)text.len, text.data);
}

/* True if the unit's drop-in attaches by eBPF. */
static bool has_bpf(const struct unit *unit)
{
	struct smc_err ignored;
	char *text AUTO_FREE = NULL;

	return !dropin_read(unit->dropin.file, &text, &ignored) && dropin_is_bpf(text);
}

/* Detach the eBPF program before removing the drop-in, because nothing else would do it later. */
static void detach(const struct unit *unit)
{
	struct smc_err ignored;

	if (!geteuid())
		bpf_ask("detach", "--unit", unit->name, &ignored);
}

static int enable(struct unit *unit, struct smc_err *err)
{
	char said[PATH_MAX + 64];
	struct out_text text AUTO(out_free) = { 0 };
	int ret = unit_check(unit, err);
	bool was_bpf;

	if (ret)
		return ret;
	was_bpf = has_bpf(unit);
	kernel_has_smc(); /* loading the module creates the sysctls that limit buffers */
	make_text(&text, unit);
	ret = dropin_write(&unit->dropin, text.data, err);
	if (ret < 0)
		return ret;
	snprintf(said, sizeof(said), "%s by %s, %s", ret ? "enabled" : "already enabled",
		 unit->way == WAY_BPF ? "eBPF" : "preload", unit->dropin.file);
	report_restart(unit, said);
	/* Print results first, then remarks. */
	fflush(stdout);
	reload(unit->req);
	if (was_bpf && unit->way != WAY_BPF)
		detach(unit);
	warn(unit);
	return 0;
}

int unit_enable(const struct request *req)
{
	struct unit unit = { .req = req };
	struct smc_err err = { 0 };
	int ret = unit_load(req, &unit, &err) ?: enable(&unit, &err);

	free(unit.props.text);
	return ret ? cli_error(req->launch.tool, "%s", err.text) : 0;
}

/* Return: 1 if the unit's drop-in was removed, 0 if there was none, -errno with a message. */
static int remove_dropin(const struct unit *unit, struct smc_err *err)
{
	bool was_bpf = has_bpf(unit);
	int ret = dropin_remove(&unit->dropin, err);

	if (ret > 0 && was_bpf)
		detach(unit);
	return ret;
}

/* Remove the unit's rules. Return: exit status; @is_gone: there were some */
static int unlimit(const struct request *req, const char *unit, bool *is_gone)
{
	struct smc_err err = { 0 };
	int ret = req->user ? 0 : peers_disable(unit, &err);

	*is_gone = ret > 0;
	return ret < 0 ? cli_error(req->launch.tool, "%s", err.text) : 0;
}

int unit_disable(const struct request *req)
{
	struct unit unit = { .req = req };
	struct smc_err err = { 0 };
	int ret = unit_name(req->unit, unit.name, &err), status;
	bool was_limited;

	/* Continue if systemd does not know the unit any more. */
	if (!ret && unit_load(req, &unit, &err))
		ret = dropin_locate(req->user, unit.name, &unit.dropin, &err);
	free(unit.props.text);
	if (!ret)
		ret = remove_dropin(&unit, &err);
	if (ret < 0)
		return cli_error(req->launch.tool, "%s", err.text);
	status = unlimit(req, unit.name, &was_limited);
	if (ret)
		reload(req);
	if (ret || was_limited)
		report_restart(&unit, "disabled");
	else if (!status)
		printf("%s: is not enabled\n", unit.name);
	return status;
}

struct sweep {
	const struct request *req;
	struct smc_err err;
	int count, status;
};

/* Remove one drop-in. A foreign file of that name is reported and stays. */
static int sweep_unit(const char *name, void *arg)
{
	struct sweep *sweep = arg;
	struct unit unit = { .req = sweep->req };
	int ret = unit_name(name, unit.name, &sweep->err);

	if (!ret)
		ret = dropin_locate(sweep->req->user, unit.name, &unit.dropin, &sweep->err);
	if (!ret)
		ret = remove_dropin(&unit, &sweep->err);
	if (ret < 0) {
		sweep->status = cli_error(sweep->req->launch.tool, "%s", sweep->err.text);
		return 0;
	}
	sweep->count++;
	report_restart(&unit, "disabled");
	return 0;
}

static int sweep_peers(const char *name, void *arg)
{
	struct sweep *sweep = arg;
	bool was_limited;

	if (!peers_are_limited(name))
		return 0;
	sweep->status |= unlimit(sweep->req, name, &was_limited);
	sweep->count += was_limited;
	if (was_limited)
		printf("%s: its peers are no longer limited\n", name);
	return 0;
}

int unit_disable_all(const struct request *req)
{
	struct sweep sweep = { .req = req };

	if ((!req->user && units_each(CONF_DIR, ".conf", "", sweep_peers, &sweep, &sweep.err)) ||
	    dropin_each(req->user, sweep_unit, &sweep, &sweep.err))
		return cli_error(req->launch.tool, "%s", sweep.err.text);
	if (sweep.count)
		reload(req);
	else if (!sweep.status)
		puts("no service is enabled");
	return sweep.status;
}
