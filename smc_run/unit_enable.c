// SPDX-License-Identifier: MIT
/* smc_run --enable and --disable: a drop-in for a service of systemd. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "smc_run/bpf.h"
#include "smc_run/unit.h"

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

/* Once an eBPF drop-in is gone, nothing else would detach what it attached. */
static void detach(const struct unit *unit, bool was_bpf)
{
	struct smc_err ignored;

	if (was_bpf && !geteuid())
		bpf_ask("detach", "--unit", unit->name, &ignored);
}

/* Does its drop-in attach by eBPF? */
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
	int ret = unit_check(unit, err);
	bool was_bpf;

	if (ret)
		return cli_error(unit->req->tool, "%s", err->text);
	was_bpf = has_bpf(unit);
	conf = unit_dropin_text(unit);
	ret = conf ? dropin_write(&unit->dropin, conf, err)
		   : smc_err_set(err, ENOMEM, "%s", unit->name);
	free(conf);
	if (ret < 0)
		return cli_error(unit->req->tool, "%s", err->text);
	unit_warn(unit);
	reload(unit->req);
	detach(unit, was_bpf && unit->way != UNIT_WAY_BPF);
	snprintf(text, sizeof(text), "%s by %s, %s", ret ? "enabled" : "already enabled",
		 unit->way == UNIT_WAY_BPF ? "eBPF" : "preload", unit->dropin.file);
	return report(unit, text, true);
}

int unit_enable(const struct unit_request *req)
{
	struct unit unit = { .req = req };
	struct smc_err err = { 0 };
	int status = unit_load(req, &unit, &err) ? cli_error(req->tool, "%s", err.text)
					    : enable(&unit, &err);

	free(unit.props.text);
	return status;
}

/* Return: 0 and the unit's drop-in, also when systemd does not know the unit any more. */
static int find_dropin(const struct unit_request *req, struct unit *unit, struct smc_err *err)
{
	int ret = unit_name(req->name, unit->name, err);

	if (ret || !unit_load(req, unit, err))
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
	detach(&unit, was_bpf);
	return report(&unit, "disabled", true);
}
