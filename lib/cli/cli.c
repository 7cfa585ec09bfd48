// SPDX-License-Identifier: MIT
/* Options, help, version and the final flush of stdout, shared by all tools. */
#include "cli/cli.h"

#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdarg.h>

#include "base/words.h"
#include "cli/printable.h"
#include "cli/screen.h"
#include "version.h"

#define MAX_OPTS 48

void cli_start(void)
{
	for (int fd = 0; fd < 3; fd++)
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
			(void)!open("/dev/null", fd == 2 ? O_WRONLY : O_RDONLY);
	signal(SIGCHLD, SIG_DFL);
}

int cli_report(const struct cli_tool *tool, bool hint, const char *fmt, ...)
{
	char line[1024], shown[4 * sizeof(line)], all[sizeof(shown) + 128];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	cli_printable(shown, sizeof(shown), line);
	snprintf(all, sizeof(all), hint ? "%s: %s; try '%s --help'" : "%s: %s", tool->name, shown,
		 tool->name);
	cli_say(all);
	return tool->error_status;
}

/*
 * Return: row @i of the tool's options, then --version and --help, unless the tool has its own
 * --help; a command ("smc_chk doctor") has no --version. Past the end: the end mark, whose val is 0
 */
static const struct cli_opt *row_at(const struct cli_tool *tool, size_t i)
{
	static const struct cli_opt usual[] = {
		{ 'v', "version", NULL, "print the version" },
		{ 'h', "help", NULL, "print this help" },
		{ 0 },
	};
	bool has_help = false;
	size_t own = 0;

	for (; tool->opts && tool->opts[own].val; own++)
		has_help |= tool->opts[own].val == 'h';
	if (i < own)
		return &tool->opts[i];
	i = has_help ? 2 : i - own + !!strchr(tool->name, ' ');
	return &usual[i < 2 ? i : 2];
}

static bool is_among(const char *name, char **words)
{
	for (; *words; words++)
		if (!strncmp(*words, "--", 2) && !strncmp(*words + 2, name, strlen(name)))
			return true;
	return false;
}

/*
 * Build getopt's two descriptions of the table; the last entry is reserved for the end mark.
 * @words: the command line: its hidden options count if they are spelled out
 */
static void describe(const struct cli_tool *tool, char **words, char *letters, struct option *longs)
{
	const struct cli_opt *opt;

	if (tool->stop_at_first)
		*letters++ = '+';
	*letters++ = ':';
	for (size_t i = 0; (opt = row_at(tool, i))->val && i < MAX_OPTS; i++) {
		int has_arg = opt->arg ? required_argument : no_argument;

		if (opt->arg && *opt->arg == '[')
			has_arg = optional_argument;
		if (!opt->help && !is_among(opt->name, words))
			continue;
		*longs++ = (struct option){ opt->name, has_arg, NULL, opt->val };
		if (opt->val >= CLI_LONG_ONLY)
			continue;
		*letters++ = (char)opt->val;
		if (opt->arg)
			*letters++ = ':';
	}
	*letters = '\0';
	*longs = (struct option){ 0 };
}

/* Return: the end mark, whose val is 0, if there is none. */
static const struct cli_opt *find_option(const struct cli_tool *tool, int val)
{
	const struct cli_opt *opt;
	size_t i = 0;

	do
		opt = row_at(tool, i++);
	while (opt->val && opt->val != val);
	return opt;
}

/* The next word of a list, and its length; 0 at the end. */
static size_t next_word(const char **list)
{
	*list += strspn(*list, " \n");
	return strcspn(*list, " \n");
}

/* "'--list' or '--show'" */
static void join(char *text, size_t size, const char *list)
{
	size_t len, used = 0;

	for (; (len = next_word(&list)) && used < size; list += len) {
		const char *rest = list + len, *between = next_word(&rest) ? ", " : " or ";

		used += (size_t)snprintf(text + used, size - used, "%s'%.*s'", used ? between : "",
					 (int)len, list);
	}
}

int cli_unknown(const struct cli_tool *tool, const char *what, const char *dashes,
		const char *const *words, const char *typed)
{
	const char *near = word_near(words, typed);

	if (near)
		return cli_usage_error(tool, "unknown %s '%s%s' (did you mean '%s%s'?)", what,
				       dashes, typed, dashes, near);
	return cli_usage_error(tool, "unknown %s '%s%s'", what, dashes, typed);
}

/* An unknown long option, or the beginning of several ones. */
static void bad_long_option(const struct cli_tool *tool, const char *word)
{
	const char *names[MAX_OPTS + 1] = { NULL };
	char typed[256], all[256] = "", candidates[256];
	size_t count = 0, len, used = 0;
	const struct cli_opt *opt;

	snprintf(typed, sizeof(typed), "%.*s", (int)strcspn(word, "="), word);
	len = strlen(typed);
	for (size_t i = 0; (opt = row_at(tool, i))->val && count < MAX_OPTS; i++) {
		if (!opt->help)
			continue;
		names[count++] = opt->name;
		if (!strncmp(opt->name, typed, len) && used < sizeof(all))
			used += (size_t)snprintf(all + used, sizeof(all) - used, "--%s ",
						 opt->name);
	}
	join(candidates, sizeof(candidates), all);
	if (used)
		cli_usage_error(tool, "option '--%s' is ambiguous: %s", typed, candidates);
	else
		cli_unknown(tool, "option", "--", names, typed);
}

static void bad_option(const struct cli_tool *tool, int result, const char *word)
{
	const struct cli_opt *opt = find_option(tool, optopt);

	if (result == ':')
		cli_usage_error(tool, "option '--%s' needs an argument (%s)", opt->name, opt->arg);
	else if (optopt && opt->val)
		cli_usage_error(tool, "option '--%s' takes no argument", opt->name);
	else if (optopt)
		cli_usage_error(tool, "unknown option '-%c'", optopt);
	else
		bad_long_option(tool, word + 2);
}

/* Resolve "--al" if all candidates begin with one, --all. Return: the end mark if there is none. */
static const struct cli_opt *find_shortest(const struct cli_tool *tool, const char *word)
{
	const struct cli_opt *opt, *shortest = NULL;
	bool is_one = true;

	for (size_t i = 0; (opt = row_at(tool, i))->val && !strncmp(word, "--", 2); i++)
		if (!strncmp(opt->name, word + 2, strlen(word + 2)) &&
		    (!shortest || strlen(opt->name) < strlen(shortest->name)))
			shortest = opt;
	for (size_t i = 0; (opt = row_at(tool, i))->val && shortest; i++)
		is_one &= !!strncmp(opt->name, word + 2, strlen(word + 2)) ||
			  !strncmp(opt->name, shortest->name, strlen(shortest->name));
	return shortest && is_one && !shortest->arg ? shortest : find_option(tool, 0);
}

static uint64_t bit_of(const struct cli_tool *tool, const struct cli_opt *opt)
{
	return UINT64_C(1) << (opt - tool->opts);
}

/* Return: the option's val; -1 at the end; '?' after an error message. */
static int next_option(const struct cli_tool *tool, int argc, char **argv)
{
	char letters[2 * MAX_OPTS + 3];
	struct option longs[MAX_OPTS + 1];
	int result;

	describe(tool, argv + optind, letters, longs);
	opterr = 0;
	result = getopt_long(argc, argv, letters, longs, NULL);
	if (result == '?' && !optopt && find_shortest(tool, argv[optind - 1])->val)
		result = find_shortest(tool, argv[optind - 1])->val;
	if (result == '?' || result == ':') {
		bad_option(tool, result, argv[optind - 1]);
		return '?';
	}
	return result;
}

static int take_seconds(const struct cli_tool *tool, double *seconds, const char *text)
{
	char *end;

	*seconds = strtod(text, &end);
	if (end != text && !*end && *seconds >= 0.1 && *seconds <= 86400)
		return 0;
	return cli_usage_error(tool, "'%s' is not a number of seconds from 0.1 to 86400", text);
}

/* Print words in lines of at most 79 columns, all but the first indented. */
static void print_words(const char *words, int at, int indent)
{
	for (size_t len; (len = next_word(&words)); words += len) {
		if (at > indent && at + 1 + (int)len > 79)
			at = printf("\n%*s", indent, "") - 1;
		at += printf(" %.*s", (int)len, words);
	}
	putchar('\n');
}

static void print_option(const struct cli_opt *opt)
{
	int at = opt->val < CLI_LONG_ONLY ? printf("  -%c, --%s", opt->val, opt->name) :
					    printf("      --%s", opt->name);

	if (opt->arg)
		at += printf("%s%s", *opt->arg == '[' ? "" : " ", opt->arg);
	/* Wider names get a line of their own. */
	at = at > 27 ? printf("\n%28s", "") - 1 : at + printf("%*s", 28 - at, "");
	print_words(opt->help, at, 28);
}

static bool is_usage_of(const char *line, const char *command)
{
	size_t len = command ? strlen(command) : 0;

	return !strncmp(line, command ? command : "", len) && (!len || strchr(" \n", line[len]));
}

/* True if the option is for @command or all commands, or needs options; or if @command is NULL. */
static bool is_option_of(const struct cli_opt *opt, const char *command)
{
	return !command || !opt->needs || strstr(opt->needs, "--") ||
	       words_have(opt->needs, command);
}

static int print_help(const struct cli_tool *tool, const char *command)
{
	const char *line = tool->usage, *lead = "Usage:";
	const struct cli_opt *opt;

	while (*line) {
		size_t len = strcspn(line, "\n");

		if (is_usage_of(line, command)) {
			printf("%-6s %s %.*s\n", lead, tool->name, (int)len, line);
			lead = "";
		}
		line += len + (line[len] == '\n');
	}
	if (tool->summary)
		printf("\n%s\n", tool->summary);
	if (tool->examples)
		printf("\nExamples:\n%s", tool->examples);
	printf("\nOptions:\n");
	for (size_t i = 0; (opt = row_at(tool, i))->val; i++) {
		if (opt->group && !command)
			printf(" %s:\n", opt->group);
		if (opt->help && is_option_of(opt, command))
			print_option(opt);
	}
	if (tool->more)
		printf("\n%s", tool->more);
	printf("\nExit status: %s\nManual page: ", tool->exits ?: "0 done, 1 error");
	for (line = tool->page ?: tool->name; *line; line++)
		putchar(*line == ' ' ? '-' : *line);
	puts("(8)");
	return cli_close_stdout(tool);
}

int cli_help(const struct cli_tool *tool)
{
	return print_help(tool, NULL);
}

/* Return: the first of these words that is a command of the tool; NULL if there is none */
static const char *command_among(const struct cli_tool *tool, char *const *words)
{
	for (; tool->commands && *words; words++)
		for (size_t i = 0; tool->commands[i]; i++)
			if (!strcmp(*words, tool->commands[i]))
				return *words;
	return NULL;
}

int cli_parse(const struct cli_tool *tool, int argc, char **argv, int (*take)(int val))
{
	struct cli_tool own = *tool;
	uint64_t given = 0;
	int val, ret = 0;

	if (!tool->given)
		own.given = &given;
	while (!ret && (val = next_option(tool, argc, argv)) != -1) {
		const struct cli_opt *opt = find_option(tool, val);

		if (val == '?')
			return tool->error_status;
		if (val == 'h')
			return tool->help ? tool->help(tool) :
					    print_help(tool, command_among(tool, argv));
		if (val == 'v' && !opt->flag)
			return cli_version(tool);
		*own.given |= bit_of(tool, opt);
		if (opt->flag)
			*opt->flag = true;
		else if (val == CLI_OPT_COLOR)
			ret = cli_choose_color(cli_word(tool, val, cli_color_words, optarg));
		else if (opt->text)
			*opt->text = optarg;
		else
			ret = opt->seconds ? take_seconds(tool, opt->seconds, optarg) : take(val);
	}
	if (!ret && !tool->given)
		ret = cli_check(&own, NULL);
	return ret ? tool->error_status : -1;
}

static bool is_given(const struct cli_tool *tool, const char *word, size_t len, const char *command)
{
	const struct cli_opt *opt = tool->opts;

	if (command && strlen(command) == len && !memcmp(command, word, len))
		return true;
	while (opt->val &&
	       (len < 2 || strlen(opt->name) != len - 2 || memcmp(opt->name, word + 2, len - 2)))
		opt++;
	return opt->val && *tool->given & bit_of(tool, opt);
}

/* Find the first word of a list that was given. Return: NULL for none; its length in @len */
static const char *first_given(const struct cli_tool *tool, const char *list, const char *command,
			       size_t *len)
{
	for (; (*len = next_word(&list)); list += *len)
		if (is_given(tool, list, *len, command))
			return list;
	return NULL;
}

static int check_row(const struct cli_tool *tool, const struct cli_opt *opt, const char *command)
{
	const char *other = NULL;
	char text[256];
	size_t len;

	if (opt->needs && !first_given(tool, opt->needs, command, &len)) {
		join(text, sizeof(text), opt->needs);
		return cli_usage_error(tool, "option '--%s' is only for %s", opt->name, text);
	}
	if (opt->excludes)
		other = first_given(tool, opt->excludes, NULL, &len);
	return other ? cli_usage_error(tool, "options '--%s' and '%.*s' exclude each other",
				       opt->name, (int)len, other) :
		       0;
}

int cli_check(const struct cli_tool *tool, const char *command)
{
	int ret = 0;

	for (const struct cli_opt *opt = tool->opts; opt && opt->val && !ret; opt++)
		if (*tool->given & bit_of(tool, opt))
			ret = check_row(tool, opt, command);
	return ret;
}

int cli_version(const struct cli_tool *tool)
{
	printf("%s utility, smc-tools-%s\n", tool->name, SMC_TOOLS_VERSION);
	return cli_close_stdout(tool);
}

const char *cli_long_name(const struct cli_tool *tool, int val)
{
	const struct cli_opt *opt = find_option(tool, val);

	return opt->val ? opt->name : "?";
}

int cli_command(const struct cli_tool *tool, const char *const *words, const char *word)
{
	size_t len = word ? strlen(word) : 0, matches = 0;
	int found = -1;

	for (int i = 0; len && words[i] && (!matches || words[found][len]); i++)
		if (!strncmp(words[i], word, len)) {
			found = i;
			matches++;
		}
	if (matches && (matches == 1 || !words[found][len]))
		return found;
	if (word)
		cli_unknown(tool, "command", "", words, word);
	else
		cli_usage_error(tool, "no command given");
	return -1;
}

int cli_no_operand(const struct cli_tool *tool, const char *word)
{
	return word ? cli_usage_error(tool, "unexpected argument '%s'", word) : 0;
}

int cli_number(const struct cli_tool *tool, int val, const char *text, uint64_t least,
	       uint64_t most, uint64_t *number)
{
	char *end;

	errno = 0;
	*number = strtoull(text, &end, 10);
	/* strtoull() also accepts signs and blanks. */
	if (*text >= '0' && *text <= '9' && !*end && !errno && *number >= least && *number <= most)
		return 0;
	return cli_usage_error(tool, "--%s: '%s' is not a number from %llu to %llu",
			       cli_long_name(tool, val), text, (unsigned long long)least,
			       (unsigned long long)most);
}

int cli_word(const struct cli_tool *tool, int val, const char *const *words, const char *text)
{
	char all[128] = "";
	size_t len = 0;

	for (int i = 0; words[i]; i++) {
		const char *between = words[i + 1] ? ", " : " or ";

		if (!strcmp(words[i], text))
			return i;
		len += (size_t)snprintf(all + len, sizeof(all) - len, "%s%s", i ? between : "",
					words[i]);
	}
	cli_usage_error(tool, "--%s: '%s' is not %s", cli_long_name(tool, val), text, all);
	return -1;
}

int cli_close_stdout(const struct cli_tool *tool)
{
	bool failed = ferror(stdout);

	errno = 0;
	if (fclose(stdout) || failed)
		return cli_error(tool, "cannot write to standard output: %s",
				 strerror(errno ? errno : EIO));
	return 0;
}
