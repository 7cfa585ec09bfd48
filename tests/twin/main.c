// SPDX-License-Identifier: MIT
/*
 * The twin: behaviour of stream sockets that a program can observe, one line per case, over TCP and
 * over other sides.
 *
 * A line is: case, tab, results, tab, real types of the sockets (smc, tcp). Each case is a separate
 * process. A case that takes too long is killed, and its results end with HANG.
 */
#include <getopt.h>
#include <limits.h>

#include "twin.h"

extern const struct twin_case *const __start_twin_cases[], *const __stop_twin_cases[];

static const char usage[] =
	"Usage: twin [-6] [-j N] [-t SECONDS] [CASE]...\n"
	"       twin [-6v] [-j N] [-t SECONDS] --side SIDE... [CASE]...\n"
	"       twin [-6v] [-j N] [-t SECONDS] [--side SIDE]... --walks N [--seed SEED | WALK...]\n"
	"       twin -w ADDRESS PORT CASE\n"
	"\n"
	"Print what a program can observe of its sockets, or the cases in which sides differ from TCP.\n"
	"\n"
	"  -6             sockets of IPv6\n"
	"  -j N           cases at a time (4)\n"
	"  -l, --list     names of the cases, no run\n"
	"  -s, --side SIDE\n"
	"                 smc, ipproto_smc or mptcp: sockets of this kind; FILE.so: a preload library;\n"
	"                 else a command that runs a program, such as \"smc_run --spin\"\n"
	"  --seed SEED    of random walks; by default, a new one\n"
	"  -t SECONDS     time for a case (20)\n"
	"  -v, --verbose  the words that differ\n"
	"  --walks N      random walks instead of cases: programs of 3 to 12 steps; those that differ\n"
	"                 are shrunk and printed\n"
	"  -w             write to a remote reader for a case unsent_*, print the number of bytes\n"
	"\n"
	"Exit status: 0 equal, 1 different, 2 trouble.\n";

/**
 * struct run - a case that runs or has ended
 * @out: file with its output, while it runs; @text: its output, at the end
 * @ms: since the start
 */
struct run {
	const struct twin_case *test;
	pid_t pid;
	int out, ms, status;
	char *text;
	bool has_ended;
};

static int by_place(const void *one, const void *two)
{
	const struct twin_case *a = ((const struct run *)one)->test,
			       *b = ((const struct run *)two)->test;
	int files = strcmp(a->file, b->file);

	return files ? files : a->line - b->line;
}

static void start(struct run *run)
{
	int out = memfd_create("out", MFD_CLOEXEC);

	/* Use high numbers: cases expect the lowest descriptors to be free. */
	run->out = fcntl(out, F_DUPFD_CLOEXEC, 500);
	close(out);
	fflush(stdout);
	run->pid = fork();
	if (run->out < 0 || run->pid < 0)
		err(2, "%s", run->test->name);
	if (run->pid)
		return;
	dup2(run->out, STDOUT_FILENO);
	/* Unbuffered: results before a hang are there, and children have no copy of them. */
	setvbuf(stdout, NULL, _IONBF, 0);
	setpgid(0, 0);
	run->test->run();
	say_kinds();
	/* Not _exit(): coverage data is written at exit. */
	exit(0);
}

/* Return: true if it has ended, by itself or after @limit milliseconds */
static bool has_ended(struct run *run, int limit)
{
	if (waitpid(run->pid, &run->status, WNOHANG) == run->pid)
		return true;
	if (run->ms < limit)
		return false;
	kill(-run->pid, SIGKILL);
	return waitpid(run->pid, &run->status, 0) == run->pid;
}

/* The limit of open files may be lower than the number of cases. */
static void keep_text(struct run *run)
{
	char text[8192];
	ssize_t len = pread(run->out, text, sizeof(text) - 1, 0);

	text[len > 0 ? len : 0] = '\0';
	run->text = strdup(text);
	close(run->out);
}

/* Does not rely on SIGCHLD, which cases need. Return: number of cases that ended and do not wait */
static int look_at(struct run *runs, size_t n, int limit)
{
	int ended = 0;

	for (size_t i = 0; i < n; i++) {
		if (!runs[i].pid || runs[i].has_ended)
			continue;
		runs[i].ms += 5;
		runs[i].has_ended = has_ended(&runs[i], limit);
		if (runs[i].has_ended)
			keep_text(&runs[i]);
		ended += runs[i].has_ended && !runs[i].test->waits;
	}
	return ended;
}

static void print(const struct run *run)
{
	printf("%s\t%s", run->test->name, run->text);
	if (WIFSIGNALED(run->status))
		printf("%s\t\n", WTERMSIG(run->status) == SIGKILL ?
					 "HANG" :
					 strsignal(WTERMSIG(run->status)));
	else if (WEXITSTATUS(run->status))
		printf("exit=%d\t\n", WEXITSTATUS(run->status));
	free(run->text);
}

/* Cases that wait are last, and run at the same time. */
static void run_all(struct run *runs, size_t n, int jobs, int limit)
{
	size_t next = 0, i;
	int active = 0;

	for (bool waits = false;; nap(5)) {
		for (; next < n && (waits || active < jobs); next++) {
			if (runs[next].test->waits != waits)
				continue;
			start(&runs[next]);
			active += !waits;
		}
		active -= look_at(runs, next, limit);
		if (next == n && !active && !waits) {
			waits = true;
			next = 0;
		}
		for (i = 0; i < n && runs[i].has_ended; i++)
			;
		if (i == n)
			break;
	}
	for (i = 0; i < n; i++)
		print(&runs[i]);
}

static bool is_wanted(const struct twin_case *test, char **names)
{
	bool wanted = !*names;

	for (; *names; names++)
		wanted |= !strcmp(*names, test->name);
	return wanted;
}

/* Return: number of cases with these names, or of all without names; 0: one does not exist */
static size_t pick(struct run *runs, char **names)
{
	const struct twin_case *const *test = __start_twin_cases;
	size_t n = 0, wanted = 0;

	for (; test < __stop_twin_cases; test++)
		if (is_wanted(*test, names))
			runs[n++] = (struct run){ .test = *test };
	while (names[wanted])
		wanted++;
	qsort(runs, n, sizeof(*runs), by_place);
	return n < wanted ? 0 : n;
}

/* Return: the number of an option, from @least */
static int number(const char *text, int least)
{
	char *end = NULL;
	long value = strtol(text, &end, 10);

	if (end == text || *end || value < least || value > INT_MAX)
		errx(2, "not a number from %d to %d: '%s'", least, INT_MAX, text);
	return (int)value;
}

/* Return: number of arguments before the cases */
static int read_options(int argc, char **argv, struct twin_sides *sides)
{
	static const struct option options[] = {
		{ "side", required_argument, NULL, 's' },
		{ "list", no_argument, NULL, 'l' },
		{ "seed", required_argument, NULL, 'S' },
		{ "walks", required_argument, NULL, 'W' },
		{ "verbose", no_argument, NULL, 'v' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	int option;

	while ((option = getopt_long(argc, argv, "6j:ls:t:vh", options, NULL)) != -1) {
		switch (option) {
		case '6': family = AF_INET6; break;
		case 'j': sides->jobs = number(optarg, 1); break;
		case 'l': sides->lists = true; break;
		case 's': sides->names[sides->n++ % TWIN_SIDES] = optarg; break;
		case 'S': sides->seed = (unsigned long)number(optarg, 0); break;
		case 'W': sides->n_walks = (size_t)number(optarg, 0); break;
		case 't': sides->seconds = number(optarg, 1); break;
		case 'v': sides->verbose = true; break;
		case 'h': fputs(usage, stdout); exit(0);
		default: exit(2);
		}
	}
	if (sides->n > TWIN_SIDES)
		errx(2, "more than %d sides", TWIN_SIDES);
	return optind;
}

int main(int argc, char **argv)
{
	size_t max = (size_t)(__stop_twin_cases - __start_twin_cases), n;
	struct twin_sides sides = { .jobs = 4, .seconds = 20, .seed = (unsigned long)time(NULL) };
	int status = 0, first;
	struct run *runs;

	signal(SIGPIPE, SIG_IGN);
	if (argc == 5 && !strcmp(argv[1], "-w"))
		return write_to(argv[2], argv[3], argv[4]);
	first = read_options(argc, argv, &sides);
	if (sides.n_walks)
		return walk_sides(&sides, argv + first);
	runs = calloc(max, sizeof(*runs));
	n = pick(runs, argv + first);
	if (!n)
		errx(2, "unknown case: see twin --list");
	if (sides.n)
		status = run_sides(&sides, argv + first);
	else if (!sides.lists)
		run_all(runs, n, sides.jobs, sides.seconds * 1000);
	for (size_t i = 0; sides.lists && i < n; i++)
		puts(runs[i].test->name);
	free(runs);
	return status;
}
