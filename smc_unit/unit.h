/* SPDX-License-Identifier: MIT */
/*
 * Services of systemd that use SMC: switch them, and look at them. Functions with @err return 0, or
 * -errno with a sentence.
 */
#pragma once

#include <stdbool.h>

#include "launch/launch.h"
#include "net/netaddr.h"
#include "process/apparmor.h"
#include "process/library.h"
#include "process/target.h"
#include "settings/conf_read.h"
#include "smc_unit/dropin.h"
#include "smc_unit/systemctl.h"

/**
 * struct request - the options
 * @launch: how a service is to use SMC; @quiet of all commands
 * @unit: the service as typed; NULL: all, for status
 * @user: it is a unit of the user's own manager
 * @all: of disable: every service
 * @json: of status
 * @force: of enable: whatever the firewall does with it
 */
struct request {
	struct launch launch;
	const char *unit;
	bool user, all, json, force;
};

/** unit_warn() - a line about what is not a failure, unless @quiet */
#define unit_warn(req, ...) cli_warn((req)->launch.tool, (req)->launch.quiet, __VA_ARGS__)

/* ---- unit.c ---- */

/**
 * struct unit - a service, and what its drop-in will be made of
 * @name: as its files are called
 * @loader: smc_bpf
 */
struct unit {
	const struct request *req;
	char name[UNIT_NAME_SIZE];
	struct unit_props props;
	struct dropin dropin;
	struct target target;
	struct library lib;
	enum way way;
	char loader[PATH_MAX];
};

/** unit_load() - @name, @dropin, and @props, which are to be freed in any case */
int unit_load(const struct request *req, struct unit *unit, struct smc_err *err);

/** unit_prop_of() - the first value of a property, "" if there is none */
const char *unit_prop_of(const struct unit *unit, const char *name);

/** preload_is_ours() - is an entry of LD_PRELOAD this library, under any of its names? */
bool preload_is_ours(const char *entry);

/** unit_profile() - the profile of AppArmor that confines the service, as far as it is known */
bool unit_profile(const struct unit *unit, char name[APPARMOR_NAME_SIZE]);

/** unit_is_root() - does the service run as root? */
bool unit_is_root(const struct unit *unit);

/** unit_uses_inet() - will its sockets be IPPROTO_SMC ones? Then it needs no AF_SMC */
bool unit_uses_inet(const struct unit *unit);

/**
 * unit_check() - whether a drop-in will do anything
 *
 * Fills in @target, @lib, @loader and @way: the way asked for, else the library, or eBPF where the
 * library does not reach the program.
 */
int unit_check(struct unit *unit, struct smc_err *err);

/* ---- listen.c ---- */

/**
 * struct listener - a TCP or SMC socket that waits for connections
 * @addr: where; all bytes 0 for every address of its family
 * @takes_v4: it is one of IPv6 that takes IPv4, too
 */
struct listener {
	struct netaddr addr;
	uint16_t port;
	bool takes_v4;
};

/**
 * struct listeners - those of a service, without what systemd opened for it, which stays TCP
 * @is_running: it has processes in this network namespace
 * @is_away: it has some in another one
 */
struct listeners {
	struct listener *all;
	size_t count, size;
	bool is_running, is_away;
};

/** unit_listeners() - of a unit, or of all instances of a template; -EPERM without rights */
int unit_listeners(struct listeners *found, const struct unit *unit, struct smc_err *err);

/**
 * listeners_warn() - warn when networks that are not private reach it and no policy limits that
 *
 * One sentence, with what to type. Nothing of what SMC_INCLUDE and SMC_EXCLUDE leave to TCP.
 */
void listeners_warn(const struct unit *unit);

/* ---- peers.c ---- */

#define PEERS_PATTERN CONF_DIR "/*.service.conf"

/** peers_are_limited() - are there rules of ours for a unit? */
bool peers_are_limited(const char *unit);

/** peers_disable() - take them away. Return: 1; 0 without any; -errno */
int peers_disable(const char *unit, struct smc_err *err);

/* ---- one function for each command; all return an exit status, after messages ---- */

/** unit_enable() - write the drop-in of a service, unless it could have no effect in it */
int unit_enable(const struct request *req);

/** unit_disable() - remove it */
int unit_disable(const struct request *req);

/** unit_disable_all() - remove every one, also without systemd */
int unit_disable_all(const struct request *req);

/** unit_status() - which services are enabled, and what their processes do */
int unit_status(const struct request *req);

/**
 * unit_peers() - limit an enabled service to networks, or lift that
 * @nets: NET[:PORTS], separated by commas; those without ports get the ones on which the service
 *	listens; or "all"
 *
 * The rules are written to a file, and smc_conf applies them; nothing is changed when that fails.
 */
int unit_peers(const struct request *req, const char *nets);
