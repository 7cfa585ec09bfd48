/* SPDX-License-Identifier: MIT */
/* Services of systemd that use SMC. Functions with @err return 0, or -errno with a sentence. */
#pragma once

#include "base/err.h"
#include "launch/launch.h"
#include "process/library.h"
#include "process/systemctl.h"
#include "process/target.h"

/**
 * struct request - command line options
 * @launch: SMC options of a service; @quiet for all commands
 * @unit: the service as typed; NULL: all, for status
 * @user: it is a unit of the user's own manager
 * @all: for disable: every service; @json: for status
 */
struct request {
	struct launch launch;
	const char *unit;
	bool user, all, json;
};

/** unit_warn() - print a warning, unless @quiet */
#define unit_warn(req, ...) cli_warn((req)->launch.tool, (req)->launch.quiet, __VA_ARGS__)

/* ---- dropin.c: the file written for a service; foreign ones are never touched ---- */

/* Sorts last of all drop-ins, even after override.conf of systemctl edit. */
#define DROPIN_FILE "zz-smc-tools.conf"
/* First line. A file without it is foreign. */
#define DROPIN_MARK "# Written by smc_unit enable, removed by smc_unit disable. Do not edit.\n"

/** struct dropin - paths of a drop-in; @keeps_dir: @dir may belong to others, so keep it */
struct dropin {
	char dir[PATH_MAX], file[PATH_MAX];
	bool keeps_dir;
};

/** dropin_locate() - paths for a unit by its full name; @user: in the user's configuration */
int dropin_locate(bool user, const char *unit, struct dropin *out, struct smc_err *err);

/** unit_fn - is called with a unit's full name; a nonzero result ends the search */
typedef int unit_fn(const char *unit, void *arg);

/** units_each() - find each unit with "@dir/UNIT@end@file", sorted. Return: last result of @fn */
int units_each(const char *dir, const char *end, const char *file, unit_fn *fn, void *arg,
	       struct smc_err *err);

/** dropin_each() - find each unit with a drop-in of this name. Return: like units_each() */
int dropin_each(bool user, unit_fn *fn, void *arg, struct smc_err *err);

/** dropin_read() - read a drop-in; NULL for no file. Return: 0; -EEXIST if not written by us */
int dropin_read(const char *file, char **text, struct smc_err *err);

/** dropin_is_bpf() - true if this text of ours attaches by eBPF. False for NULL */
bool dropin_is_bpf(const char *text);

/** dropin_write() - write a text that begins with DROPIN_MARK. Return: 1; 0 if unchanged */
int dropin_write(const struct dropin *dropin, const char *text, struct smc_err *err);

/** dropin_remove() - remove a drop-in, and its directory if empty. Return: 1; 0 if there is none */
int dropin_remove(const struct dropin *dropin, struct smc_err *err);

/* ---- unit.c ---- */

/**
 * struct unit - a service, and the data for its drop-in
 * @name: unit file name; @loader: path of smc_bpf
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

/**
 * unit_find() - set @unit: the first unit of a program's profile that systemd knows
 * @word: as typed; used unchanged if there is no such unit
 */
void unit_find(struct request *req, const char *word, char name[UNIT_NAME_SIZE]);

/** unit_load() - fill in @name, @dropin, and @props, which the caller always frees */
int unit_load(const struct request *req, struct unit *unit, struct smc_err *err);

/** unit_prop_of() - first value of a property, "" if there is none */
const char *unit_prop_of(const struct unit *unit, const char *name);

/** preload_is_ours() - true if an entry of LD_PRELOAD is a library of ours, by any name */
bool preload_is_ours(const char *entry);

/** unit_is_root() - true if the service runs as root */
bool unit_is_root(const struct unit *unit);

/** unit_uses_inet() - true if its sockets will use IPPROTO_SMC, so that it needs no AF_SMC */
bool unit_uses_inet(const struct unit *unit);

/**
 * unit_check() - check that a drop-in will have an effect
 *
 * Fills in @target, @lib, @loader and @way: the requested way, otherwise the library, or eBPF if
 * the library does not reach the program.
 */
int unit_check(struct unit *unit, struct smc_err *err);

/* ---- listen_sockets.c ---- */

/**
 * struct listeners - ports on which a service listens, without those of sockets opened by
 *	systemd, which stay TCP
 * @is_running: it has processes in this network namespace
 * @is_away: it has processes in another one
 */
struct listeners {
	uint16_t *ports;
	size_t count;
	bool is_running, is_away;
};

/** unit_listeners() - ports of a unit, or of a template's instances. Return: 0, -EPERM, -errno */
int unit_listeners(struct listeners *found, const struct unit *unit, struct smc_err *err);

/* ---- peers.c ---- */

/** peers_are_limited() - true if smc_unit has written rules for a unit */
bool peers_are_limited(const char *unit);

/** peers_disable() - remove the rules of unit_peers(). Return: 1; 0 if there are none; -errno */
int peers_disable(const char *unit, struct smc_err *err);

/* ---- one function per command; all return an exit status, after messages ---- */

/** unit_enable() - write the drop-in of a service, unless it could have no effect */
int unit_enable(const struct request *req);

/** unit_disable() - remove the drop-in */
int unit_disable(const struct request *req);

/** unit_disable_all() - remove all drop-ins, even without systemd */
int unit_disable_all(const struct request *req);

/** unit_status() - show enabled services and the sockets of their processes */
int unit_status(const struct request *req);

/**
 * unit_peers() - limit an enabled service to networks, or remove the limit
 * @nets: NET[:PORTS], separated by commas; those without ports get the ones on which the service
 *	listens; or "all"
 *
 * The rules are written to a file, and smc_conf applies them; nothing changes if that fails.
 */
int unit_peers(const struct request *req, const char *nets);
