// SPDX-License-Identifier: MIT
/* A service of systemd: its name, properties and drop-in. */
#include "smc_run/unit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "host/smc.h"

#define PROPERTIES "Id,LoadState,Environment,EnvironmentFiles,UnsetEnvironment,ExecStart," \
		   "RestrictAddressFamilies,RootDirectory,RootImage,ProtectHome,PrivateTmp," \
		   "InaccessiblePaths,NoExecPaths,ExecPaths,TriggeredBy,User,DynamicUser," \
		   "NoNewPrivileges"

int unit_load(const struct unit_request *req, struct unit *unit, struct smc_err *err)
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
	/* An alias: the drop-in goes to the unit's own name. */
	id = unit_prop_text(&unit->props, "Id");
	if (strlen(id) < sizeof(unit->name) && !unit_name(id, unit->name, err))
		unit_file_name(unit->name);
	return dropin_locate(req->user, unit->name, &unit->dropin, err);
}

const char *unit_prop_of(const struct unit *unit, const char *name)
{
	return unit_prop_text(&unit->props, name);
}

bool unit_uses_inet(const struct unit *unit)
{
	return smc_wants_inet(unit->req->settings[VAR_FAMILY]) && !kernel_ipproto_smc();
}
