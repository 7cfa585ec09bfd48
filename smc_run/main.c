// SPDX-License-Identifier: MIT
/* smc_run: run a command with its TCP sockets turned into SMC sockets. */
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "ld_pre_smc/rules.h"
#include "ld_pre_smc/size.h"
#include "smc_run/bpf.h"
#include "smc_run/kernel.h"
#include "smc_run/unit.h"
#include "sys/library.h"
#include "sys/target.h"

/* As env(1), nice(1) and other programs that start programs do. */
#define EXIT_SELF 125
#define EXIT_NOT_EXECUTABLE 126
#define EXIT_NOT_FOUND 127

enum {
	OPT_INCLUDE = CLI_LONG_ONLY,
	OPT_EXCLUDE,
	OPT_STRICT,
	OPT_RAW,
	OPT_RAISE,
	OPT_QUIET,
	OPT_ENABLE,
	OPT_DISABLE,
	OPT_STATUS,
	OPT_USER,
	OPT_BPF,
	OPT_PRELOAD,
};

static const struct cli_opt options[] = {
	{ 'd', "debug", NULL, "say on standard error what happens to each TCP socket" },
	{ 'r', "rcvbuf", "SIZE", "receive buffer of SMC sockets: bytes, or with K or M" },
	{ 't', "sndbuf", "SIZE", "transmit buffer of SMC sockets: bytes, or with K or M" },
	{ 'f', "family", "FAMILY", "kind of SMC sockets: smc (AF_SMC), inet (IPPROTO_SMC),\n"
				   "auto (what works best); default smc" },
	{ OPT_INCLUDE, "include", "RULES", "use SMC only for these: PORT, ADDR[/BITS][:PORT],\n"
					   "listen[:PORT]; with commas between them" },
	{ OPT_EXCLUDE, "exclude", "RULES", "leave these to TCP" },
	{ OPT_BPF, "bpf", NULL, "by eBPF in the kernel, which reaches every program" },
	{ OPT_PRELOAD, "preload", NULL, "by the preload library alone; without both options what\n"
					"reaches the program" },
	{ OPT_STRICT, "strict", NULL, "run the command only if SMC sockets are possible;\n"
				      "no TCP in their place" },
	{ OPT_RAW, "raw", NULL, "for programs that know SMC: do not mend where SMC sockets\n"
				"differ from TCP sockets" },
	{ OPT_RAISE, "raise-limits", NULL, "raise net.core.rmem_max and net.core.wmem_max to what\n"
					   "-r and -t need" },
	{ OPT_QUIET, "quiet", NULL, "no warnings" },
	{ OPT_ENABLE, "enable", "UNIT", "let a systemd service use SMC from its next start on, with\n"
					"the options given" },
	{ OPT_DISABLE, "disable", "UNIT", "undo that" },
	{ OPT_STATUS, "status", NULL, "show whether a service is enabled and uses SMC; without\n"
				      "UNIT all that are enabled" },
	{ OPT_USER, "user", NULL, "for these three: units of the user's own systemd" },
	{ 'j', "json", NULL, "--status in JSON" },
	{ 'h', "help", NULL, "print this text" },
	{ 'v', "version", NULL, "print the version" },
	{ 0 },
};

static const struct cli_tool tool = {
	.name = "smc_run",
	.usage = "[OPTION]... [--] COMMAND [ARGUMENT]...\n"
		 "[OPTION]... --enable UNIT\n"
		 "[--user] --disable UNIT\n"
		 "[--user] [-j] --status [UNIT]",
	.summary = "Run a command with its TCP sockets turned into SMC sockets.",
	.opts = options,
	.more = "Exit status: that of COMMAND; 125 if smc_run fails, 126 if COMMAND cannot be\n"
		"executed, 127 if it is not found.\n",
	.error_status = EXIT_SELF,
	.stop_at_first = true,
};

struct request {
	bool debug;
	bool strict;
	bool raw;
	bool raise_limits;
	bool quiet;
	int action;		/* OPT_ENABLE, OPT_DISABLE, OPT_STATUS; 0: run a command */
	struct unit_request unit;
	const char *family;	/* NULL: the environment's, or the library's default */
	struct rules rules;	/* of the two lists, to see that they can be understood */
	char *lists[2];		/* SMC_INCLUDE, SMC_EXCLUDE; NULL: the environment's */
	int rcvbuf, sndbuf;	/* bytes, -1 for none */
};

/* A socket buffer's option, environment variable and limit. */
struct buffer {
	const char *what;
	const char *env;
	const char *limit;
};

static const struct buffer rcvbuf = { "receive", "SMC_RCVBUF", "rmem_max" };
static const struct buffer sndbuf = { "transmit", "SMC_SNDBUF", "wmem_max" };

/* SMC cannot happen: a warning, or the end with --strict. */
static int __attribute__((format(printf, 2, 3))) no_smc(const struct request *req, const char *fmt,
							...)
{
	char text[PATH_MAX + 256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (req->strict)
		return cli_error(&tool, "%s", text);
	cli_warn(&tool, req->quiet, "%s: it will use TCP", text);
	return 0;
}

static int parse_size(const char *name, const char *text, int *bytes)
{
	switch (smc_parse_size(text, bytes)) {
	case 0:
		return 0;
	case -ERANGE:
		return cli_usage_error(&tool, "--%s: size '%s' is more than 2147483647 bytes", name,
				       text);
	default:
		return cli_usage_error(&tool, "--%s: '%s' is not a size such as 65536, 64K or 1M",
				       name, text);
	}
}

/* Given again an option goes on with the list. */
static int take_rules(struct request *req, const char *option, bool is_exclude, const char *text)
{
	const char *old = req->lists[is_exclude], *bad;
	char *list;

	switch (rules_parse(&req->rules, is_exclude, text, &bad)) {
	case 0:
		break;
	case -E2BIG:
		return cli_usage_error(&tool, "--%s: more than %d rules", option, RULES_MAX);
	default:
		return cli_usage_error(&tool, "--%s: '%.*s' is not a rule such as 6379, listen:80-90, "
				       "10.0.0.0/8:6379 or [fd00::1]:80", option,
				       (int)strcspn(bad, ", \t\n"), bad);
	}
	if (asprintf(&list, "%s%s%s", old ? old : "", old ? "," : "", text) < 0)
		return cli_error(&tool, "out of memory");
	free(req->lists[is_exclude]);
	req->lists[is_exclude] = list;
	return 0;
}

static bool is_family(const char *text)
{
	return !strcmp(text, "smc") || !strcmp(text, "inet") || !strcmp(text, "auto");
}

static int take_action(int opt, struct request *req)
{
	if (req->action)
		return cli_usage_error(&tool, "one of --enable, --disable and --status, and once");
	req->action = opt;
	req->unit.name = optarg;
	return 0;
}

static int take_way(enum unit_way way, struct request *req)
{
	if (req->unit.way != UNIT_WAY_NONE && req->unit.way != way)
		return cli_usage_error(&tool, "options '--bpf' and '--preload' exclude each other");
	req->unit.way = way;
	return 0;
}

/* One option. Return: 0, or an exit status after a message. */
static int take_option(int opt, struct request *req)
{
	switch (opt) {
	case 'd':
		req->debug = true;
		return 0;
	case 'r':
		return parse_size("rcvbuf", optarg, &req->rcvbuf);
	case 't':
		return parse_size("sndbuf", optarg, &req->sndbuf);
	case 'f':
		req->family = optarg;
		return is_family(optarg) ? 0 : cli_usage_error(&tool,
			"--family: '%s' is none of smc, inet and auto", optarg);
	case OPT_INCLUDE:
		return take_rules(req, "include", false, optarg);
	case OPT_EXCLUDE:
		return take_rules(req, "exclude", true, optarg);
	case OPT_STRICT:
		req->strict = true;
		return 0;
	case OPT_RAW:
		req->raw = true;
		return 0;
	case OPT_RAISE:
		req->raise_limits = true;
		return 0;
	case OPT_QUIET:
		req->quiet = true;
		return 0;
	case OPT_ENABLE:
	case OPT_DISABLE:
	case OPT_STATUS:
		return take_action(opt, req);
	case OPT_USER:
		req->unit.user = true;
		return 0;
	case OPT_BPF:
		return take_way(UNIT_WAY_BPF, req);
	case OPT_PRELOAD:
		return take_way(UNIT_WAY_PRELOAD, req);
	case 'j':
		req->unit.json = true;
		return 0;
	default:
		return EXIT_SELF;
	}
}

/* The kernel caps silently: setsockopt(SO_RCVBUF) succeeds and sets less, see socket(7). */
static int check_limit(const struct request *req, const struct buffer *buffer, int bytes)
{
	long long limit;
	int err;

	if (bytes < 0 || kernel_limit(buffer->limit, &limit) || limit >= bytes)
		return 0;
	if (!req->raise_limits) {
		cli_warn(&tool, req->quiet, "the %s buffer of %d bytes is above net.core.%s: the "
			 "kernel will use %lld (see --raise-limits)", buffer->what, bytes,
			 buffer->limit, limit);
		return 0;
	}
	err = kernel_raise_limit(buffer->limit, bytes);
	if (err)
		return cli_error(&tool, "cannot raise net.core.%s from %lld to %d: %s",
				 buffer->limit, limit, bytes, strerror(-err));
	cli_warn(&tool, req->quiet, "raised net.core.%s from %lld to %d", buffer->limit, limit,
		 bytes);
	return 0;
}

static bool wants_inet(const struct request *req)
{
	const char *family = req->family ? req->family : getenv("SMC_SOCK_FAMILY");

	return family && (!strcmp(family, "inet") || !strcmp(family, "auto"));
}

static int check_kernel(const struct request *req, const char *command)
{
	int err = kernel_smc(wants_inet(req));

	switch (err) {
	case 0:
		return 0;
	case -EAFNOSUPPORT:
	case -EPROTONOSUPPORT:
	case -ESOCKTNOSUPPORT:
		return no_smc(req, "no SMC for '%s': this kernel has no SMC, as module or built in",
			      command);
	default:
		return no_smc(req, "no SMC for '%s': SMC sockets cannot be opened here: %s",
			      command, strerror(-err));
	}
}

/* By eBPF, which knows nothing of the library's settings. Return: 0, -errno with a sentence. */
static int use_bpf(const struct request *req, const char *command, struct smc_err *err)
{
	int ret = bpf_mark_self(err);

	if (ret)
		return ret;
	if (req->debug)
		cli_error(&tool, "'%s' by eBPF: its TCP sockets are made with IPPROTO_SMC", command);
	if (req->rcvbuf >= 0 || req->sndbuf >= 0)
		cli_warn(&tool, req->quiet, "eBPF cannot set the buffers of sockets: --rcvbuf and "
			 "--sndbuf do not count for '%s'", command);
	if (req->lists[0] || req->lists[1])
		cli_warn(&tool, req->quiet, "eBPF sees no addresses: --include and --exclude do "
			 "not count for '%s'", command);
	return 0;
}

static int check_program(const struct request *req, const struct target *target,
			 const struct library *lib)
{
	struct smc_err err;
	char why[LIBRARY_WHY_SIZE];

	if (!library_misses(lib, target, why)) {
		if (req->debug)
			cli_error(&tool, "'%s' by preload: %s", target->path, lib->entry);
		return 0;
	}
	if (req->unit.way == UNIT_WAY_NONE && !use_bpf(req, target->path, &err))
		return 0;
	if (req->unit.way == UNIT_WAY_NONE && req->debug)
		cli_error(&tool, "no eBPF for '%s': %s", target->path, err.text);
	return no_smc(req, "no SMC for '%s': %s", target->path, why);
}

static int set_number(const char *name, int number)
{
	char text[16];

	if (number < 0)
		return 0;
	snprintf(text, sizeof(text), "%d", number);
	return setenv(name, text, 1);
}

/* What was not asked for keeps the value that the caller's environment gives it. */
static int set_options(const struct request *req)
{
	if (set_number(rcvbuf.env, req->rcvbuf) || set_number(sndbuf.env, req->sndbuf) ||
	    (req->debug && setenv("SMC_DEBUG", "1", 1)) ||
	    (req->strict && setenv("SMC_STRICT", "1", 1)) ||
	    (req->raw && setenv("SMC_RAW", "1", 1)) ||
	    (req->family && setenv("SMC_SOCK_FAMILY", req->family, 1)) ||
	    (req->lists[0] && setenv("SMC_INCLUDE", req->lists[0], 1)) ||
	    (req->lists[1] && setenv("SMC_EXCLUDE", req->lists[1], 1)))
		return cli_error(&tool, "cannot set the environment: %s", strerror(errno));
	return 0;
}

static int set_environment(const struct request *req, const struct library *lib)
{
	int err = library_preload(lib->entry);

	if (err == -EINVAL)
		return cli_error(&tool, "LD_PRELOAD cannot hold '%s': it has a blank or a colon",
				 lib->entry);
	if (err)
		return cli_error(&tool, "cannot set the environment: %s", strerror(-err));
	return set_options(req);
}

static int check_all(const struct request *req, const char *command, const struct target *target,
		     const struct library *lib)
{
	int status = check_kernel(req, command);

	if (!status)
		status = check_program(req, target, lib);
	if (!status)
		status = check_limit(req, &rcvbuf, req->rcvbuf);
	if (!status)
		status = check_limit(req, &sndbuf, req->sndbuf);
	return status;
}

/* Everything before exec. Return: 0, or an exit status after a message. */
static int prepare(struct request *req, const char *command)
{
	struct target target;
	struct library lib;
	struct smc_err err;
	int status;

	target_find(command, &target);
	if (target.path[0] && req->unit.way == UNIT_WAY_BPF) {
		if (!use_bpf(req, command, &err))
			return 0;
		if (req->strict)
			return cli_error(&tool, "no eBPF for '%s': %s", command, err.text);
		cli_warn(&tool, req->quiet, "no eBPF for '%s': %s: preloading instead", command,
			 err.text);
		req->unit.way = UNIT_WAY_PRELOAD;
	}
	if (library_find(&target, &lib))
		return cli_error(&tool, "cannot find %s, neither beside smc_run nor in %s",
				 LIBRARY_NAME, SMC_LIBDIR);
	status = set_environment(req, &lib);
	/* Of a command that is not there exec has more to say. */
	if (!status && target.path[0])
		status = check_all(req, command, &target, &lib);
	return status;
}

/* A service gets the settings of the command line, not those of this shell. */
static int enable_unit(const struct request *req)
{
	static const char *const names[] = { UNIT_VARIABLES };
	size_t i;
	int status;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		unsetenv(names[i]);
	status = set_options(req);
	return status ? status : unit_enable(&req->unit);
}

static int do_action(struct request *req, char *const *operands)
{
	req->unit.tool = &tool;
	req->unit.quiet = req->quiet;
	if (*operands)
		return cli_usage_error(&tool, "surplus argument '%s'", *operands);
	if (req->raise_limits)
		return cli_usage_error(&tool, "--raise-limits is for commands: services take the "
				       "limits of sysctl.d(5)");
	if (req->unit.json && req->action != OPT_STATUS)
		return cli_usage_error(&tool, "--json is for --status");
	switch (req->action) {
	case OPT_ENABLE:
		return enable_unit(req);
	case OPT_DISABLE:
		return unit_disable(&req->unit);
	default:
		return unit_status(&req->unit);
	}
}

static bool is_on(const char *value)
{
	return value && *value && *value != '0';
}

/* Options may stand behind the unit of --status, too. */
static int next_option(struct request *req, int argc, char **argv)
{
	int opt = cli_getopt(&tool, argc, argv);

	if (opt != -1 || req->action != OPT_STATUS || req->unit.name || optind >= argc)
		return opt;
	req->unit.name = argv[optind++];
	return cli_getopt(&tool, argc, argv);
}

int main(int argc, char **argv)
{
	struct request req = {
		.rcvbuf = -1,
		.sndbuf = -1,
	};
	int opt, status;

	while ((opt = next_option(&req, argc, argv)) != -1) {
		if (opt == 'h')
			return cli_help(&tool);
		if (opt == 'v')
			return cli_version(&tool);
		status = take_option(opt, &req);
		if (status)
			return status;
	}
	argv += optind;
	if (req.action)
		return do_action(&req, argv);
	req.strict = req.strict || is_on(getenv("SMC_STRICT"));
	if (req.unit.user || req.unit.json)
		return cli_usage_error(&tool, "--user and --json are for services");
	if (!*argv)
		return cli_usage_error(&tool, "which command?");
	status = prepare(&req, *argv);
	if (status)
		return status;
	execvp(*argv, argv);
	status = errno == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_EXECUTABLE;
	cli_error(&tool, "cannot run '%s': %s", *argv, strerror(errno));
	return status;
}
