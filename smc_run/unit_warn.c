// SPDX-License-Identifier: MIT
/* What keeps an enabled service from using SMC for all of its connections. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "smc_run/bpf.h"
#include "smc_run/kernel.h"
#include "smc_run/unit.h"

static void warn_socket(const struct unit *unit, const char *name)
{
	cli_warn(unit->req->tool, unit->req->quiet, "connections to %s stay TCP: systemd opens its "
		 "sockets, not the service", name);
}

/*
 * The socket unit of the same name, which systemd may not have loaded: "ssh.socket" starts
 * "ssh.service", or if it accepts, instances of "ssh@.service", systemd.socket(5).
 */
static void warn_namesake(const struct unit *unit)
{
	const char *at = strchr(unit->name, '@');
	const char *end = at ? at : strrchr(unit->name, '.');
	struct unit_props props;
	char name[UNIT_NAME_SIZE];

	snprintf(name, sizeof(name), "%.*s.socket", (int)(end - unit->name), unit->name);
	if (unit_has_word(unit_prop_of(unit, "TriggeredBy"), name) ||
	    systemctl_show(unit->req->user, name, "Accept,Triggers", &props, NULL))
		return;
	if (at ? !strcmp(unit_prop_text(&props, "Accept"), "yes")
	       : unit_has_word(unit_prop_text(&props, "Triggers"), unit->name))
		warn_socket(unit, name);
	free(props.text);
}

void unit_warn(const struct unit *unit)
{
	const struct unit_request *req = unit->req;
	const char *list = unit_prop_of(unit, "TriggeredBy");
	int err = kernel_smc(smc_wants_inet(req->settings[VAR_FAMILY]));
	char word[PATH_MAX], *type;

	if (unit->way == UNIT_WAY_BPF)
		bpf_warn_settings(req->tool, req->quiet, req->settings, unit->name);
	if (err)
		cli_warn(req->tool, req->quiet, "SMC sockets cannot be opened here, the service "
			 "will use TCP: %s", strerror(-err));
	while (unit_next_word(&list, word)) {
		type = strrchr(word, '.');
		if (type && !strcmp(type, ".socket"))
			warn_socket(unit, word);
	}
	warn_namesake(unit);
}
