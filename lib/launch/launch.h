/* SPDX-License-Identifier: MIT */
/* Options for running a program or a service with SMC, shared by smc_run, smc_ab and smc_unit. */
#pragma once

#include "base/libc.h"
#include "cli/cli.h"
#include "launch/variables.h"
#include "process/library.h"

/** enum way - how a program or a service gets SMC sockets */
enum way {
	WAY_NONE,
	WAY_PRELOAD, /* ld_pre_smc.so in its environment */
	WAY_BPF,     /* the process, or the service's control group, marked for eBPF */
	WAY_SECCOMP, /* a supervisor that opens the sockets of a command */
	WAY_OWN,     /* service whose own settings start smc_run or preload the library */
};

/** enum attempt - result of trying eBPF or seccomp; all but ATTEMPT_DONE with a sentence */
enum attempt {
	ATTEMPT_DONE,
	ATTEMPT_FAILED,	 /* had no effect: another way can be tried */
	ATTEMPT_MISSING, /* had no effect: its program is not installed */
	ATTEMPT_FATAL,	 /* cannot be undone: this process must not continue */
};

/* Values of the long options. Each tool numbers its own from the last one. */
enum {
	LAUNCH_INCLUDE = CLI_LONG_ONLY,
	LAUNCH_EXCLUDE,
	LAUNCH_STRICT,
	LAUNCH_RAW,
	LAUNCH_NO_LEARN,
	LAUNCH_QUIET,
	LAUNCH_BPF,
	LAUNCH_PRELOAD,
	LAUNCH_SECCOMP,
	LAUNCH_RAISE_LIMITS,
	LAUNCH_SPIN,
	LAUNCH_PROFILE,
	LAUNCH_LAST,
};

/* clang-format off */
/* Rows of struct cli_opt, for commands and services. */
#define LAUNCH_OPTIONS \
	{ LAUNCH_INCLUDE, "include", "RULES", \
	  "use SMC only for ADDR[/BITS][:PORT], PORT,\n" \
	  "listen[:PORT], or a filter: 'dport 6379'", .group = "SMC or TCP" }, \
	{ LAUNCH_EXCLUDE, "exclude", "RULES", "use TCP for these" }, \
	{ LAUNCH_STRICT, "strict", NULL, "fail where SMC sockets are not possible" }, \
	{ 'r', "rcvbuf", "SIZE", "set the receive buffer of SMC sockets: 64K or 1M", \
	  .group = "Buffers and latency" }, \
	{ 't', "sndbuf", "SIZE", "set the transmit buffer of SMC sockets" }, \
	{ LAUNCH_SPIN, "spin", "[=USEC]", "spin for [max:]USEC (max:200) before sleeping", \
	  .excludes = "--bpf --seccomp" }, \
	{ LAUNCH_PROFILE, "profile", "NAME", \
	  "use the options of a file: latency, bulk, many, a\n" \
	  "program such as redis, or a path", .excludes = "--bpf --seccomp" }, \
	{ LAUNCH_QUIET, "quiet", NULL, "print no warnings", .group = "Messages" }, \
	{ 'd', "debug", NULL, "log on stderr what happens to each TCP socket" }, \
	{ 'f', "family", "FAMILY", \
	  "open smc (AF_SMC, default), inet (IPPROTO_SMC) or\n" \
	  "auto (the best) sockets", .group = "How sockets become SMC sockets" }, \
	{ LAUNCH_RAW, "raw", NULL, "do not hide where SMC differs from TCP" }, \
	{ LAUNCH_PRELOAD, "preload", NULL, "use the preload library only" }, \
	{ LAUNCH_BPF, "bpf", NULL, "use eBPF, which reaches any program", .excludes = "--preload" }

/* Additional options, only for tools that run a command. */
#define LAUNCH_COMMAND_OPTIONS \
	{ LAUNCH_SECCOMP, "seccomp", NULL, \
	  "open the sockets in a second process, which\n" \
	  "reaches static and Go programs", .excludes = "--bpf --preload" }, \
	{ LAUNCH_RAISE_LIMITS, "raise-limits", NULL, \
	  "raise net.core.[rw]mem_max for large -r and -t", .group = "Other" }

/* Tools that compare SMC and TCP do not have this option. */
#define LAUNCH_LEARN_OPTION \
	{ LAUNCH_NO_LEARN, "no-learn", NULL, "use SMC even for connections too short to gain" }
/* clang-format on */

/**
 * struct launch - parsed options
 * @settings: of the library, by enum smc_variable; NULL: use the environment
 * @way: WAY_NONE for the first way that reaches the program, in the order of the enum
 * @quiet: no warnings
 * @raise_limits: for commands: raise the kernel's limits to the buffer sizes
 * @is_after_bpf: eBPF was tried before: do not try it again
 * @n_rules: of both lists; @sizes: buffer sizes in @settings, in bytes
 * @command_line: all arguments of this program, for smc_supervise
 * @supervise: see supervise.h; NULL to execute smc_supervise with @command_line instead
 */
struct launch {
	const struct cli_tool *tool;
	const char *settings[VARIABLES];
	enum way way;
	bool quiet;
	bool raise_limits;
	bool is_after_bpf;
	size_t n_rules;
	char sizes[VARIABLES][16];
	char *const *command_line;
	enum attempt (*supervise)(const struct launch *launch, const struct target *target,
				  char *const *argv, struct smc_err *err);
};

/**
 * launch_option() - handle an option found by cli_parse()
 *
 * Return: 0; the tool's error status after a message; -1 for an option not in the rows above.
 */
int launch_option(struct launch *launch, int opt);

/**
 * launch_take_filters() - translate SMC_INCLUDE and SMC_EXCLUDE, if they are expressions of
 *	smc-filter(7), for the library. Return: 0; the tool's error status after a message
 */
int launch_take_filters(struct launch *launch);

/** launch_profile() - text of a profile, to be freed; NULL with errno */
char *launch_profile(const char *name);

/** launch_is_strict() - true to fail rather than use TCP, by an option or the environment */
bool launch_is_strict(const struct launch *launch);

/** launch_wants_mptcp() - true if mptcpize(8), outside or inside, or GODEBUG chooses MPTCP */
bool launch_wants_mptcp(const char *command);

/** launch_warn() - warn about options that @way cannot use; @name: of the command or service */
void launch_warn(const struct launch *launch, enum way way, const char *name);

/** launch_find_spin() - LD_PRELOAD's entry for --spin. Return: false after a warning */
bool launch_find_spin(const struct launch *launch, const struct library *lib, char entry[PATH_MAX]);

/** launch_prepare() - checks, then environment, mark or supervisor. Return: 0, or exit status */
int launch_prepare(const struct launch *launch, char *const *argv);

/* Exit statuses: the same as those of env(1), nice(1) and other programs that start programs. */
#define LAUNCH_FAILED 125
#define LAUNCH_NOT_EXECUTABLE 126
#define LAUNCH_NOT_FOUND 127

/** launch_run() - become a command. Return: an exit status after a message */
int launch_run(const struct launch *launch, char *const *argv);
