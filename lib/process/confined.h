/* SPDX-License-Identifier: MIT */
/*
 * The security module that keeps a process from SMC, and the line that allows it. SELinux is asked
 * without a trace; AppArmor leaves a line in the audit log, see apparmor_denies().
 *
 * Functions with @is_bpf return 1 with @confined; 0 if nothing is denied; -errno if that cannot be
 * found out. They are recorded, see host/probe.h.
 */
#pragma once

#include "process/apparmor.h"
#include "process/systemctl.h"

#define CONFINED_TEXT_SIZE 1280

/** enum confined_by - who denies SMC sockets; BY_FAMILIES: RestrictAddressFamilies= of systemd */
enum confined_by { BY_NOBODY, BY_APPARMOR, BY_SELINUX, BY_FAMILIES };

/**
 * struct confined - who denies SMC sockets to whom
 * @by: BY_NOBODY also if it cannot be found out
 * @is_bpf: about IPPROTO_SMC alone, as eBPF has it; else no kind of SMC socket is allowed
 * @name: profile of AppArmor, "mysqld"; domain of SELinux, "redis_t"; unit,
 *	"redis.service"; not escaped
 * @library: file that BY_APPARMOR is about; NULL if that is SMC sockets
 */
struct confined {
	enum confined_by by;
	bool is_bpf;
	char name[APPARMOR_NAME_SIZE];
	const char *library;
};

/** confined_module() - the one in force, "selinux" or "apparmor"; NULL for neither */
const char *confined_module(void);

/** confined_find() - is a process kept from SMC? */
int confined_find(struct confined *confined, pid_t pid, bool is_bpf);

/** struct confined_seen - contexts of processes that were asked about; zero-initialize */
struct confined_seen {
	char **contexts;
	size_t count;
};

/**
 * confined_find_new() - as confined_find(), but only once for all processes of one profile or
 * domain
 *
 * Return: also 0 for a profile or domain that was checked before.
 */
int confined_find_new(struct confined *confined, struct confined_seen *seen, pid_t pid,
		      bool is_bpf);

void confined_seen_free(struct confined_seen *seen);

/** confined_program() - does a security module deny SMC to a program, if systemd starts it? */
int confined_program(struct confined *confined, const char *program, bool is_bpf);

/** CONFINED_PROPERTIES - properties of a unit that the next two functions need */
#define CONFINED_PROPERTIES "MainPID,AppArmorProfile,ExecStart,RestrictAddressFamilies"

/**
 * confined_unit() - does a security module or a setting of its unit deny SMC to a service?
 * @props: NULL to ask systemctl
 *
 * Checks the main process; if there is none, the service's program. BY_FAMILIES is of the unit as
 * it is now, and only if IPPROTO_SMC, which needs no AF_SMC, is not there (before Linux 6.11) or is
 * denied.
 */
int confined_unit(struct confined *confined, const char *unit, const struct unit_props *props,
		  bool is_bpf);

/** confined_library() - does the profile in which a service runs or will run deny it a file? */
bool confined_library(struct confined *confined, const struct unit_props *props,
		      const char *library);

/**
 * confined_own() - who denies this process SMC sockets, after the kernel has answered EACCES?
 *
 * Neither module is asked again: a confined process may not have the right to ask.
 * Return: 1; -errno if it is not known.
 */
int confined_own(struct confined *confined);

/** confined_text() - the reason, a clause: "SELinux denies smc_socket to redis_t" */
const char *confined_text(const struct confined *confined, char text[CONFINED_TEXT_SIZE]);

/** confined_remedy() - a command or an imperative clause; "" if there is none that can be typed */
const char *confined_remedy(const struct confined *confined, char text[CONFINED_TEXT_SIZE]);

/** confined_line() - reason and remedy, separated by a colon */
const char *confined_line(const struct confined *confined, char text[CONFINED_TEXT_SIZE]);

/**
 * smc_why_not() - the reason for which this process could not open a socket of SMC
 * @err: -errno of host_af_smc() and the like
 */
const char *smc_why_not(int err, char text[CONFINED_TEXT_SIZE]);
