/* SPDX-License-Identifier: MIT */
/* Options, help, version and the final flush of stdout, shared by all tools. Links libc only. */
#pragma once

#include "base/libc.h"

/* Values for long options without a letter start here. */
#define CLI_LONG_ONLY 256
#define CLI_OPT_COLOR (CLI_LONG_ONLY + 512) /* see cli/screen.h */

/**
 * struct cli_opt - one option, used for getopt, --help and the test of man page and completion
 * @val: letter, or CLI_LONG_ONLY + n for a long option without one
 * @name: long option without dashes
 * @arg: its argument in the help, NULL for none; "[=ARG]" for an optional one, of options without a
 *	letter
 * @help: one phrase without full stop; NULL for a hidden option, which a command's help documents,
 *	and which never makes an abbreviation ambiguous
 * @flag, @text, @seconds: receives true, the argument, or the argument as 0.1 to 86400 seconds; if
 *	all are NULL, the tool's own function handles the option
 * @needs: options ("--read") and commands ("status"), at least one of which is required; or NULL
 * @excludes: mutually exclusive options, in the same form; @group: heading before it; or NULL
 */
struct cli_opt {
	int val;
	const char *name, *arg, *help;
	bool *flag;
	const char **text;
	double *seconds;
	const char *needs, *excludes, *group;
};

/**
 * struct cli_tool - description of a tool for the shared code
 * @usage: argument patterns, one per line, without the tool's name
 * @summary: one sentence, NULL if @usage says enough; @more: text after the options, or NULL
 * @examples: command lines, each ended by a newline; @exits, @page: NULL for what most tools have
 * @opts: terminated by an entry with val 0, or NULL; --version (not for a command, "smc_chk
 *	doctor") and --help are added, unless there is a --help
 * @error_status: exit status of a usage error (1, or smc_run's 125)
 * @stop_at_first: options end at the first non-option argument
 * @given: receives a bit for each row of @opts that cli_parse() found, for tools that call
 *	cli_check() with a command; otherwise NULL
 * @help: prints the help, NULL for cli_help()
 * @commands: first words of @usage, ended by NULL, or NULL: after one of them, --help prints only
 *	its usage and options
 */
struct cli_tool {
	const char *name, *usage, *summary;
	const struct cli_opt *opts;
	const char *more, *examples, *exits, *page;
	int error_status;
	bool stop_at_first;
	uint64_t *given;
	int (*help)(const struct cli_tool *tool);
	const char *const *commands;
};

/**
 * cli_start() - call first in main(): opens closed standard descriptors on /dev/null
 *
 * Otherwise the next file that the tool opens would replace them, and its output could go into a
 * netlink socket. They are opened such that writing to a closed stdout still fails. It also
 * restores the default of SIGCHLD, since wait() fails if the parent ignored that.
 */
void cli_start(void);

/**
 * cli_parse() - read and check the options; the operands start at optind
 * @take: handles options without a variable, with the argument in optarg; returns 0, or nonzero
 *	after a message. NULL if there are none
 *
 * An ambiguous abbreviation selects the option that is itself a prefix of the others. -h and -v are
 * handled here.
 * Return: -1 to continue; else the exit status, after a message, --help or --version.
 */
int cli_parse(const struct cli_tool *tool, int argc, char **argv, int (*take)(int val));

/**
 * cli_check() - check the options in @tool->given against @needs and @excludes of their rows
 * @command: a word that satisfies @needs, or NULL
 *
 * Return: 0, or the error status after a message.
 */
int cli_check(const struct cli_tool *tool, const char *command);

/** cli_help() - print the help text. Return: exit status, see cli_close_stdout() */
int cli_help(const struct cli_tool *tool);

/** cli_version() - print "TOOL utility, smc-tools-VERSION", as smc-tools 1.8.5 does */
int cli_version(const struct cli_tool *tool);

/** cli_report() - "TOOL: message" on stderr; @hint: name --help, too. Return: error_status */
int cli_report(const struct cli_tool *tool, bool hint, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/** cli_error() - an error; cli_usage_error() - an error in the command line; cli_note() - a note */
#define cli_error(tool, ...) cli_report(tool, false, __VA_ARGS__)
#define cli_usage_error(tool, ...) cli_report(tool, true, __VA_ARGS__)
#define cli_note(tool, ...) ((void)cli_report(tool, false, __VA_ARGS__))

/** cli_warn() - print a warning, unless @is_quiet */
#define cli_warn(tool, is_quiet, ...) ((is_quiet) ? (void)0 : cli_note(tool, __VA_ARGS__))

/** cli_long_name() - long name of the option @val */
const char *cli_long_name(const struct cli_tool *tool, int val);

/** cli_command() - index in @words of @word, or of its only completion; -1 after a message */
int cli_command(const struct cli_tool *tool, const char *const *words, const char *word);

/**
 * cli_unknown() - refuse a word, and name a similar one if there is one
 * @what: "command"; @dashes: before each word, or ""
 * @words: those that exist, ended by NULL
 *
 * Return: the error status.
 */
int cli_unknown(const struct cli_tool *tool, const char *what, const char *dashes,
		const char *const *words, const char *typed);

/** cli_no_operand() - refuse @word, unless it is NULL. Return: 0, or the error status */
int cli_no_operand(const struct cli_tool *tool, const char *word);

/** cli_number() - parse the numeric argument of the option @val. Return: 0, or error status */
int cli_number(const struct cli_tool *tool, int val, const char *text, uint64_t least,
	       uint64_t most, uint64_t *number);

/**
 * cli_word() - look up the argument of the option @val in a NULL-terminated list of words
 *
 * Return: its index; -1 after a message.
 */
int cli_word(const struct cli_tool *tool, int val, const char *const *words, const char *text);

/** cli_wait() - sleep; a signal may end it early */
void cli_wait(double seconds);

/** cli_separator() - for --watch: print a blank line, or on a terminal clear the previous list */
const char *cli_separator(bool is_first);

/** cli_close_stdout() - flush stdout, report errors (full disk). Return: 0, or error_status */
int cli_close_stdout(const struct cli_tool *tool);
