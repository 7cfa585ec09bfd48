/* SPDX-License-Identifier: MIT */
/* Services of systemd that use SMC: switch them, and look at them. */
#ifndef SMC_RUN_UNIT_H
#define SMC_RUN_UNIT_H

#include <stdbool.h>

#include "cli/cli.h"
#include "ld_pre_smc/variables.h"
#include "smc_run/dropin.h"
#include "smc_run/systemctl.h"
#include "sys/library.h"
#include "sys/target.h"

/** enum unit_way - how a service comes to SMC */
enum unit_way {
	UNIT_WAY_NONE,
	UNIT_WAY_PRELOAD,	/* ld_pre_smc.so in its environment */
	UNIT_WAY_BPF,		/* smc_bpf on its control group */
};

/**
 * struct unit_request - what was asked for
 * @name: as typed; NULL means all, for unit_status()
 * @way: of unit_enable(); UNIT_WAY_NONE: the one that works
 * @user: a unit of the user's own manager
 * @quiet: no warnings
 * @json: of unit_status()
 * @settings: of unit_enable(): values by enum smc_variable, NULL for what was not asked for
 */
struct unit_request {
	const struct cli_tool *tool;
	const char *name;
	enum unit_way way;
	bool user;
	bool quiet;
	bool json;
	const char *const *settings;
};

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

/**
 * unit_load() - a service as systemd knows it: @name, @props and @dropin
 *
 * Return: 0, or -errno with a sentence. @props are to be freed in any case.
 */
int unit_load(const struct unit_request *req, struct unit *unit, struct smc_err *err);

/** unit_prop_of() - the first value of a property, "" if there is none */
const char *unit_prop_of(const struct unit *unit, const char *name);

/** unit_uses_inet() - will its sockets be IPPROTO_SMC ones? Then it needs no AF_SMC */
bool unit_uses_inet(const struct unit *unit);

/**
 * unit_check() - whether a drop-in will do anything
 *
 * Fills in @target, @lib, @loader and @way: the way asked for, else the library, or eBPF where the
 * library does not reach the program.
 *
 * Return: 0, or -errno with a sentence.
 */
int unit_check(struct unit *unit, struct smc_err *err);

/** unit_dropin_text() - the text of its drop-in, to be freed. NULL: out of memory */
char *unit_dropin_text(const struct unit *unit);

/** unit_warn() - warnings: what will not use SMC all the same */
void unit_warn(const struct unit *unit);

/**
 * unit_enable() - write the drop-in of a service
 *
 * Nothing is written for a unit in which it could have no effect. The service is not restarted.
 *
 * Return: exit status, after messages.
 */
int unit_enable(const struct unit_request *req);

/** unit_disable() - remove it. Return: exit status, after messages */
int unit_disable(const struct unit_request *req);

/** unit_status() - which services are enabled, and what their processes do. Return: exit status */
int unit_status(const struct unit_request *req);

#endif
