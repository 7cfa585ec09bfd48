// SPDX-License-Identifier: MIT
/* Options and settings for running a program or a service with SMC. */
#include "launch/launch.h"

#include <getopt.h>

#include "base/array.h"
#include "base/memory.h"
#include "base/read.h"
#include "base/words.h"
#include "process/self.h"
#include "smc/peer_list.h"

static int take_size(struct launch *launch, const char *option, enum smc_variable variable)
{
	char *size = launch->sizes[variable];
	int bytes, ret = smc_parse_size(optarg, &bytes);

	if (ret)
		return cli_usage_error(launch->tool,
				       ret == -ERANGE ?
					       "--%s: size '%s' is more than 2147483647 bytes" :
					       "--%s: '%s' is not a size such as 65536, 64K or 1M",
				       option, optarg);
	snprintf(size, sizeof(launch->sizes[variable]), "%d", bytes);
	launch->settings[variable] = size;
	return 0;
}

/* A repeated option adds to the list. @name: of the option or variable */
static int take_rules(struct launch *launch, const char *name, enum smc_variable variable,
		      const char *text)
{
	struct peers peers = { .count = 0 };
	struct smc_err err;
	int ret = peers_parse(&peers, text, false, &err);

	launch->n_rules += peers.count;
	if (!ret && launch->n_rules > PEERS_MAX)
		ret = smc_err_say(&err, EINVAL, "more than %d rules", PEERS_MAX);
	if (!ret)
		ret = peers_list(&launch->settings[variable], &peers, &err);
	return ret ? cli_usage_error(launch->tool, "%s: %s", name, err.text) : 0;
}

int launch_take_filters(struct launch *launch)
{
	static const enum smc_variable lists[] = { VAR_INCLUDE, VAR_EXCLUDE };
	int status = 0;

	for (size_t i = 0; !status && i < ARRAY_SIZE(lists); i++) {
		const char *name = smc_variables[lists[i]], *text = getenv(name);

		if (text && !launch->settings[lists[i]] && peers_are_filter(text))
			status = take_rules(launch, name, lists[i], text);
	}
	return status;
}

static int take_spin(struct launch *launch)
{
	const char *usec = optarg ? optarg : SMC_SPIN_DEFAULT;

	launch->settings[VAR_SPIN] = usec;
	if (smc_parse_spin(usec))
		return 0;
	return cli_usage_error(launch->tool, "--spin: '%s' is not 1 to %d microseconds or max:USEC",
			       usec, SMC_SPIN_MAX);
}

char *launch_profile(const char *name)
{
	char path[PATH_MAX], below[64];
	size_t size;

	snprintf(below, sizeof(below), "profiles/%s", name);
	if (strchr(name, '/'))
		snprintf(path, sizeof(path), "%s", name);
	else if (!self_find(below, R_OK, path))
		snprintf(path, sizeof(path), SMC_DATADIR "/%s", below);
	return smc_read_file(path, 0, 65536, &size);
}

/* A line of a profile is a long option with its argument; "unit" is for smc_unit. */
static int take_line(struct launch *launch, char *line)
{
	const struct cli_opt *opt = launch->tool->opts;
	char *words[3] = { NULL };
	size_t count = words_split(line, words, 3);
	int status = -1;

	if (!count || !strcmp(words[0], "unit"))
		return 0;
	while (opt->val && strcmp(opt->name, words[0]))
		opt++;
	optarg = words[1];
	if (opt->val != LAUNCH_PROFILE && count < 3 &&
	    (opt->arg ? optarg || *opt->arg == '[' : !optarg))
		status = launch_option(launch, opt->val);
	return status < 0 ?
		       cli_usage_error(launch->tool, "--profile: '%s' is not a setting", words[0]) :
		       status;
}

static int take_profile(struct launch *launch)
{
	static char *text; /* settings point into it */
	const char *name = optarg;
	char *line, *rest = text = launch_profile(name);
	int status = 0;

	if (!text)
		return cli_usage_error(launch->tool, "--profile: cannot read '%s': %s", name,
				       strerror(errno));
	while (!status && (line = strsep(&rest, "\n")))
		status = take_line(launch, line);
	return status;
}

static int take_family(struct launch *launch)
{
	launch->settings[VAR_FAMILY] = optarg;
	if (smc_is_family(optarg))
		return 0;
	return cli_usage_error(launch->tool, "--family: '%s' is not smc, inet or auto", optarg);
}

int launch_option(struct launch *launch, int opt)
{
	switch (opt) {
	case 'r': return take_size(launch, "rcvbuf", VAR_RCVBUF);
	case 't': return take_size(launch, "sndbuf", VAR_SNDBUF);
	case 'f': return take_family(launch);
	case LAUNCH_INCLUDE: return take_rules(launch, "--include", VAR_INCLUDE, optarg);
	case LAUNCH_EXCLUDE: return take_rules(launch, "--exclude", VAR_EXCLUDE, optarg);
	case 'd': launch->settings[VAR_DEBUG] = "1"; return 0;
	case LAUNCH_STRICT: launch->settings[VAR_STRICT] = "1"; return 0;
	case LAUNCH_RAW: launch->settings[VAR_RAW] = "1"; return 0;
	case LAUNCH_NO_LEARN: launch->settings[VAR_LEARN] = "0"; return 0;
	case LAUNCH_QUIET: launch->quiet = true; return 0;
	case LAUNCH_BPF: launch->way = WAY_BPF; return 0;
	case LAUNCH_PRELOAD: launch->way = WAY_PRELOAD; return 0;
	case LAUNCH_SECCOMP: launch->way = WAY_SECCOMP; return 0;
	case LAUNCH_SPIN: return take_spin(launch);
	case LAUNCH_PROFILE: return take_profile(launch);
	case LAUNCH_RAISE_LIMITS: launch->raise_limits = true; return 0;
	default: return -1;
	}
}

bool launch_is_strict(const struct launch *launch)
{
	return launch->settings[VAR_STRICT] || smc_is_on(getenv(smc_variables[VAR_STRICT]));
}

bool launch_wants_mptcp(const char *command)
{
	static const char name[] = "multipathtcp=";
	const char *debug = getenv("GODEBUG"), *value = debug ? strstr(debug, name) : NULL;

	return (value && value[sizeof(name) - 1] != '0') || !strcmp(basename(command), "mptcpize");
}

bool launch_find_spin(const struct launch *launch, const struct library *lib, char entry[PATH_MAX])
{
	if (library_spin(lib, entry))
		return true;
	cli_warn(launch->tool, launch->quiet,
		 "no ld_pre_smc_spin.so beside %s (not in 'make core'): --spin has no effect",
		 lib->file);
	return false;
}

void launch_warn(const struct launch *launch, enum way way, const char *name)
{
	const char *const *settings = launch->settings;

	if (way == WAY_BPF && (settings[VAR_RCVBUF] || settings[VAR_SNDBUF]))
		cli_warn(launch->tool, launch->quiet,
			 "eBPF cannot set the buffers of sockets: "
			 "--rcvbuf and --sndbuf have no effect on '%s'",
			 name);
	if (settings[VAR_INCLUDE] || settings[VAR_EXCLUDE])
		cli_warn(launch->tool, launch->quiet,
			 "%s sees no addresses: --include and --exclude have no effect on '%s'",
			 way == WAY_BPF ? "eBPF" : "seccomp", name);
}
