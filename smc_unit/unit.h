/* SPDX-License-Identifier: MIT */
/* Services of systemd that use SMC: switch them, and look at them. */
#pragma once

#include <stdbool.h>

#include "launch/launch.h"
#include "process/library.h"
#include "process/target.h"
#include "smc_unit/dropin.h"
#include "smc_unit/systemctl.h"

/**
 * struct request - the options
 * @launch: how a service is to use SMC; @quiet of all commands
 * @unit: the service as typed; NULL: all, for status
 * @user: it is a unit of the user's own manager
 * @all: of disable: every service
 * @json: of status
 */
struct request {
	struct launch launch;
	const char *unit;
	bool user, all, json;
};

/* struct unit - a service, and what its drop-in will be made of */
struct unit {
	const struct request *req;
	char name[UNIT_NAME_SIZE]; /* as its files are called */
	struct unit_props props;
	struct dropin dropin;
	struct target target;
	struct library lib;
	enum way way;
	char loader[PATH_MAX]; /* smc_bpf */
};

/**
 * unit_load() - a service as systemd knows it: @name, @props and @dropin
 *
 * Return: 0, or -errno with a sentence. @props are to be freed in any case.
 */
int unit_load(const struct request *req, struct unit *unit, struct smc_err *err);

/** unit_prop_of() - the first value of a property, "" if there is none */
const char *unit_prop_of(const struct unit *unit, const char *name);

/** preload_is_ours() - is an entry of LD_PRELOAD this library, under any of its names? */
bool preload_is_ours(const char *entry);

/** unit_is_root() - does the service run as root? */
bool unit_is_root(const struct unit *unit);

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

/**
 * unit_enable() - write the drop-in of a service
 *
 * Nothing is written for a unit in which it could have no effect. The service is not restarted.
 *
 * Return: exit status, after messages.
 */
int unit_enable(const struct request *req);

/** unit_disable() - remove it. Return: exit status, after messages */
int unit_disable(const struct request *req);

/** unit_disable_all() - remove every one, also without systemd. Return: exit status */
int unit_disable_all(const struct request *req);

/** unit_status() - which services are enabled, and what their processes do. Return: exit status */
int unit_status(const struct request *req);
