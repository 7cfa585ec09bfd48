/* SPDX-License-Identifier: MIT */
/* Options, help, version and the last word on stdout: the same for every tool. Links libc only. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Values for long options without a letter start here. */
#define CLI_LONG_ONLY 256
#define CLI_OPT_COLOR (CLI_LONG_ONLY + 512) /* of cli/screen.h */

/**
 * struct cli_opt - one option: feeds getopt, --help and the test of man page and completion
 * @val: letter, or CLI_LONG_ONLY + n for a long option without one
 * @name: long option without dashes; @arg: its argument in the help, NULL for none
 * @help: one phrase, no full stop; NULL: a command's help has it, and it takes no abbreviation away
 *	from another option
 * @flag, @text, @seconds: receives true, the argument, or the argument as 0.1 to 86400 seconds; an
 *	option with none of them is for the tool's own function
 * @needs: options ("--read") and commands ("status"), one of which must be given; NULL for none
 * @excludes: options that cannot be given with it, in the same form, or NULL
 */
struct cli_opt {
	int val;
	const char *name, *arg, *help;
	bool *flag;
	const char **text;
	double *seconds;
	const char *needs, *excludes;
};

/**
 * struct cli_tool - what the shared code must know about a tool
 * @usage: argument patterns, one a line, without the tool's name
 * @summary: one sentence, NULL if @usage says enough; @more: text after the options, or NULL
 * @opts: ended by an entry with val 0, or NULL; --version (not of a command, "smc_chk doctor") and
 *	--help are added, unless there is a --help
 * @error_status: exit status of a usage error (1, or smc_run's 125)
 * @stop_at_first: options end at the first argument that is not one
 * @given: of a tool that calls cli_check() itself, as the command counts: receives a bit for each
 *	row of @opts that cli_parse() found; else NULL
 * @help: prints the help, NULL for cli_help()
 */
struct cli_tool {
	const char *name, *usage, *summary;
	const struct cli_opt *opts;
	const char *more;
	int error_status;
	bool stop_at_first;
	uint64_t *given;
	int (*help)(const struct cli_tool *tool);
};

/**
 * cli_start() - first thing in main(): standard descriptors that are closed become /dev/null
 *
 * A file that the tool opens next must not take their place: the table would go into a netlink
 * socket. They are opened so that writing to a closed stdout still fails.
 */
void cli_start(void);

/**
 * cli_parse() - read and check the options; the operands start at optind
 * @take: for the options that no variable receives, with the argument in optarg; 0 or not 0 after a
 *	message. NULL if there are none
 *
 * A word that shortens the names of several options is the one whose name begins all others. -h
 * and -v are answered.
 * Return: -1 to go on; or the exit status: after a message, or after --help or --version.
 */
int cli_parse(const struct cli_tool *tool, int argc, char **argv, int (*take)(int val));

/**
 * cli_check() - compare the options in @tool->given with @needs and @excludes of their rows
 * @command: a word that counts as given for @needs, or NULL
 *
 * Return: 0, or the error status after a message.
 */
int cli_check(const struct cli_tool *tool, const char *command);

/** cli_help() - help text on stdout. Return: exit status, see cli_close_stdout() */
int cli_help(const struct cli_tool *tool);

/** cli_version() - "TOOL utility, smc-tools-VERSION" on stdout, as smc-tools 1.8.5 prints it */
int cli_version(const struct cli_tool *tool);

/** cli_error() - "TOOL: message" on stderr, by cli_printable(). Return: the tool's error_status */
int cli_error(const struct cli_tool *tool, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/** cli_warn() - such a line about what is not a failure, unless @is_quiet */
void cli_warn(const struct cli_tool *tool, bool is_quiet, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/** cli_note() - the same in any case */
#define cli_note(tool, ...) cli_warn(tool, false, __VA_ARGS__)

/** cli_usage_error() - as cli_error(), with a pointer to --help */
int cli_usage_error(const struct cli_tool *tool, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/** cli_long_name() - of an option by its val */
const char *cli_long_name(const struct cli_tool *tool, int val);

/**
 * cli_command() - the place of @word among @words, which NULL ends
 *
 * Return: -1 after a message: there is no such command, or if @word is NULL, none was given.
 */
int cli_command(const struct cli_tool *tool, const char *const *words, const char *word);

/**
 * cli_no_operand() - refuse an argument that nothing takes; NULL: there is none
 *
 * Return: 0 for none, or the error status after a message.
 */
int cli_no_operand(const struct cli_tool *tool, const char *word);

/**
 * cli_number() - the argument of an option @val that takes a number
 *
 * Return: 0, or the error status after a message.
 */
int cli_number(const struct cli_tool *tool, int val, const char *text, uint64_t least,
	       uint64_t most, uint64_t *number);

/**
 * cli_word() - the argument of an option @val that takes one of some words, which NULL ends
 *
 * Return: its place among them; -1 after a message.
 */
int cli_word(const struct cli_tool *tool, int val, const char *const *words, const char *text);

/** cli_wait() - sleep; a signal may end it early */
void cli_wait(double seconds);

/**
 * cli_separator() - what comes before each list of --watch
 *
 * On a terminal each takes the place of the one before, elsewhere it follows a blank line.
 */
const char *cli_separator(bool is_first);

/**
 * cli_close_stdout() - flush stdout and say so when that fails (full disk, closed pipe)
 *
 * Return: 0, or the tool's error_status.
 */
int cli_close_stdout(const struct cli_tool *tool);
