// SPDX-License-Identifier: MIT
/* The same cases over TCP and over other sides, and a table of the cases in which these differ. */
#include "twin.h"

/* A line of the output of one side: NAME, tab, WORDS, tab, KINDS. */
struct line {
	char *name, *words;
};

struct lines {
	struct line *lines;
	size_t n;
};

static bool ends_in(const char *text, const char *end)
{
	size_t len = strlen(text), n = strlen(end);

	return len > n && !strcmp(text + len - n, end);
}

/* Set the environment for a side. Return: true if the side is more than that: a command */
static bool is_command(const char *side)
{
	static const char *const kinds[] = { "tcp", "smc", "ipproto_smc", "mptcp" };

	if (ends_in(side, ".so"))
		return setenv("LD_PRELOAD", realpath(side, NULL) ?: side, 1);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (!strcmp(side, kinds[i]))
			return setenv("TWIN_SOCKET", side, 1);
	return true;
}

/* Start the same cases, in a child: no return. */
static void become(const char *side, const struct twin_sides *sides, char **cases)
{
	char self[4096] = "", jobs[20], seconds[20], command[4096];
	const char *argv[600] = { "sh", "-c", command, self, "-j", jobs, "-t", seconds };
	const char **end = argv + 8;

	if (readlink("/proc/self/exe", self, sizeof(self) - 1) < 0)
		err(2, "/proc/self/exe");
	snprintf(jobs, sizeof(jobs), "%d", sides->jobs);
	snprintf(seconds, sizeof(seconds), "%d", sides->seconds);
	if (family == AF_INET6)
		*end++ = "-6";
	for (; *cases && end < argv + 599; cases++)
		*end++ = *cases;
	snprintf(command, sizeof(command), "exec %s \"$0\" \"$@\"", is_command(side) ? side : "");
	execv("/bin/sh", (char **)argv);
	err(2, "/bin/sh");
}

static void add_line(struct lines *all, char *text)
{
	char *words = strchr(text, '\t');

	if (!words)
		errx(2, "unexpected output: %s", text);
	*words++ = '\0';
	words[strcspn(words, "\t\n")] = '\0';
	all->lines = realloc(all->lines, (all->n + 1) * sizeof(*all->lines));
	all->lines[all->n++] = (struct line){ text, words };
}

static struct lines run_side(const char *side, const struct twin_sides *sides, char **cases)
{
	FILE *out = tmpfile();
	struct lines all = { 0 };
	char *text = NULL;
	size_t size = 0;
	pid_t pid = out ? fork() : -1;
	int status = 0;

	if (!pid) {
		dup2(fileno(out), STDOUT_FILENO);
		become(side, sides, cases);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
		errx(2, "%s: did not run to its end", side);
	rewind(out);
	for (; getline(&text, &size, out) > 0; text = NULL, size = 0)
		add_line(&all, text);
	free(text);
	fclose(out);
	return all;
}

static const char *words_of(const struct lines *all, const char *name)
{
	for (size_t i = 0; i < all->n; i++)
		if (!strcmp(all->lines[i].name, name))
			return all->lines[i].words;
	return "";
}

/* Print the words of @b that are not those of @a, in order. */
static void print_words(const char *a, const char *b)
{
	while (*b) {
		size_t len_a = strcspn(a, " "), len_b = strcspn(b, " ");

		if (len_a != len_b || strncmp(a, b, len_b))
			printf(" %.*s", (int)len_b, b);
		a += len_a + (a[len_a] == ' ');
		b += len_b + (b[len_b] == ' ');
	}
	putchar('\n');
}

/* @differ: the number of different cases of each side, updated */
static void print_row(const struct line *tcp, const struct lines *others,
		      const struct twin_sides *sides, size_t *differ)
{
	const char *name = tcp->name, *words = tcp->words;
	size_t different = 0, s;

	for (s = 0; s < sides->n; s++) {
		bool same = !strcmp(words, words_of(&others[s], name));

		differ[s] += !same;
		different += !same;
	}
	if (!different)
		return;
	printf("%-24s", name);
	for (s = 0; s < sides->n; s++)
		printf(" %-16s", strcmp(words, words_of(&others[s], name)) ? "differs" : "=");
	putchar('\n');
	for (s = 0; sides->verbose && s < sides->n; s++) {
		const char *other = words_of(&others[s], name);

		if (!strcmp(words, other))
			continue;
		printf("    tcp:");
		print_words(other, words);
		printf("    %s:", sides->names[s]);
		print_words(words, other);
	}
}

int run_sides(const struct twin_sides *sides, char **cases)
{
	struct lines tcp = run_side("tcp", sides, cases), others[TWIN_SIDES];
	size_t differ[TWIN_SIDES] = { 0 }, all = 0, s, i;

	for (s = 0; s < sides->n; s++)
		others[s] = run_side(sides->names[s], sides, cases);
	printf("%-24s", "CASE");
	for (s = 0; s < sides->n; s++)
		printf(" %-16s", sides->names[s]);
	putchar('\n');
	for (i = 0; i < tcp.n; i++)
		print_row(&tcp.lines[i], others, sides, differ);
	printf("%-24s", "Different");
	for (s = 0; s < sides->n; s++) {
		printf(" %-16zu", differ[s]);
		all += differ[s];
	}
	printf("\n%zu cases\n", tcp.n);
	return all > 0;
}
