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

static size_t count(char **names)
{
	size_t n = 0;

	while (names[n])
		n++;
	return n;
}

/* Start the same cases or walks, in a child: no return. */
static void become(const char *side, const struct twin_sides *sides, char **cases)
{
	char self[4096] = "", jobs[20], seconds[20], walks[20], seed[20], command[4096];
	const char *first[] = { "sh", "-c",    command,	  self,	 "-j",	   jobs,
				"-t", seconds, "--walks", walks, "--seed", seed };
	const char **argv = calloc(count(cases) + 20, sizeof(*argv)), **end = argv + 12;

	if (readlink("/proc/self/exe", self, sizeof(self) - 1) < 0)
		err(2, "/proc/self/exe");
	snprintf(jobs, sizeof(jobs), "%d", sides->jobs);
	snprintf(seconds, sizeof(seconds), "%d", sides->seconds);
	snprintf(walks, sizeof(walks), "%zu", sides->n_walks);
	snprintf(seed, sizeof(seed), "%lu", sides->seed);
	memcpy(argv, first, sizeof(first));
	if (family == AF_INET6)
		*end++ = "-6";
	memcpy(end, cases, count(cases) * sizeof(*cases));
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

/**
 * struct found - a walk that differs
 * @left_out: bits of steps that are not needed for that
 */
struct found {
	const char *name, *tcp, *other;
	unsigned int left_out;
};

#define WALK_STEPS 12
/* The other walks are printed as they are. */
#define WALKS_SHRUNK 50

static char *name_of(const struct found *found, int step)
{
	unsigned int left_out = found->left_out | 1U << step;
	char *name = calloc(1, strlen(found->name) + 4 * WALK_STEPS);

	strcpy(name, found->name);
	for (int i = 0; i < WALK_STEPS; i++)
		if (left_out >> i & 1)
			sprintf(name + strlen(name), "-%d", i);
	return name;
}

/* Leave @step out of each walk that still differs without it, and that TCP repeats. */
static bool leave_out(struct found *found, size_t n, int step, const char *side,
		      const struct twin_sides *sides)
{
	char **names = calloc(n + 1, sizeof(*names));
	struct lines tcp, again, other;
	size_t n_names = 0, next = 0;
	bool changed = false;

	for (size_t i = 0; i < n; i++)
		if (!(found[i].left_out >> step & 1))
			names[n_names++] = name_of(&found[i], step);
	if (!n_names)
		return false;
	tcp = run_side("tcp", sides, names);
	again = run_side("tcp", sides, names);
	other = run_side(side, sides, names);
	for (size_t i = 0; i < n; i++) {
		const char *words, *others;

		if (found[i].left_out >> step & 1)
			continue;
		words = tcp.lines[next].words;
		others = other.lines[next].words;
		if (!strcmp(words, again.lines[next++].words) && strcmp(words, others)) {
			found[i].tcp = words;
			found[i].other = others;
			found[i].left_out |= 1U << step;
			changed = true;
		}
	}
	return changed;
}

/* Return: number of walks of a side that differ from TCP; print the shortest programs */
static size_t compare_walks(const struct lines *tcp, const char *side,
			    const struct twin_sides *sides, char **names)
{
	struct found *found = calloc(tcp->n, sizeof(*found));
	struct lines other = run_side(side, sides, names);
	size_t n = 0, shrunk, i;

	for (i = 0; i < tcp->n; i++)
		if (strcmp(tcp->lines[i].words, other.lines[i].words))
			found[n++] = (struct found){ .name = tcp->lines[i].name,
						     .tcp = tcp->lines[i].words,
						     .other = other.lines[i].words };
	shrunk = n < WALKS_SHRUNK ? n : WALKS_SHRUNK;
	for (bool changed = n; changed;) {
		changed = false;
		for (int step = WALK_STEPS - 1; step >= 0; step--)
			changed |= leave_out(found, shrunk, step, side, sides);
	}
	for (i = 0; i < n; i++) {
		const char *name = name_of(&found[i], 31);

		printf("%s\n    tcp: %s\n    %s: %s\n", name, found[i].tcp, side, found[i].other);
	}
	return n;
}

int walk_sides(struct twin_sides *sides, char **names)
{
	size_t n, all = 0;
	struct lines tcp;

	if (*names)
		sides->n_walks = count(names);
	if (!sides->n)
		return run_walks(sides, names);
	tcp = run_side("tcp", sides, names);
	for (size_t s = 0; s < sides->n; s++) {
		n = compare_walks(&tcp, sides->names[s], sides, names);
		printf("%s: %zu of %zu walks differ, seed %lu\n", sides->names[s], n, tcp.n,
		       sides->seed);
		fflush(stdout);
		all += n;
	}
	return all > 0;
}
