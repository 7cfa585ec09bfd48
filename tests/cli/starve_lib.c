// SPDX-License-Identifier: MIT
/*
 * Preloaded into a tool: runs its main() repeatedly, each time in a child where another allocation
 * of the program itself fails, including jansson's, but not those of libc and other libraries.
 *
 *   STARVE_MOST    the last allocation that fails
 *   STARVE_STEP    fail only every n-th allocation
 *   STARVE_STRICT  the output varies: each run with a failed allocation must fail
 *   STARVE_REPORT  file for the results, see print_sum()
 *   TMPDIR         must be empty after each run
 */
#include <dirent.h>
#include <link.h>
#include <sys/mman.h>

#include "tests/libc.h"

#define TEXT_SIZE (256 * 1024)
#define RUN_SECONDS 20

/* glibc's own: callers of malloc() get the functions below. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *data, size_t size);

/* Memory of a child that is shared with its parent. */
struct shared {
	unsigned int count;
};

static struct shared *shared;
static unsigned int failing;
static bool is_armed, is_lasting, is_strict;

/* Address range of the program. */
static uintptr_t program_begin, program_end;

static int find_program(struct dl_phdr_info *info, size_t size, void *arg)
{
	(void)size, (void)arg;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];

		if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X))
			continue;
		program_begin = info->dlpi_addr + segment->p_vaddr;
		program_end = program_begin + segment->p_memsz;
	}
	return 1; /* first entry */
}

static bool fails(const void *caller)
{
	unsigned int number;

	if (!is_armed || (uintptr_t)caller < program_begin || (uintptr_t)caller >= program_end)
		return false;
	number = __atomic_add_fetch(&shared->count, 1, __ATOMIC_RELAXED);
	if (!failing || number < failing || (number > failing && !is_lasting))
		return false;
	errno = ENOMEM;
	return true;
}

void *malloc(size_t size)
{
	return fails(__builtin_return_address(0)) ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
	return fails(__builtin_return_address(0)) ? NULL : __libc_calloc(count, size);
}

void *realloc(void *data, size_t size)
{
	return fails(__builtin_return_address(0)) ? NULL : __libc_realloc(data, size);
}

/* In glibc it calls the realloc() of libc. */
void *reallocarray(void *data, size_t count, size_t size)
{
	if (__builtin_mul_overflow(count, size, &size))
		return errno = ENOMEM, NULL;
	return fails(__builtin_return_address(0)) ? NULL : __libc_realloc(data, size);
}

/* ---- one run ---- */

typedef int (*main_fn)(int argc, char **argv, char **envp);

struct program {
	main_fn main;
	int argc;
	char **argv, **envp;
};

struct run {
	int status, out, errors; /* as of waitpid(2); descriptors */
	unsigned int count;	 /* allocations */
};

static void run(struct run *run, const struct program *program)
{
	pid_t pid;

	run->out = memfd_create("out", MFD_CLOEXEC);
	run->errors = memfd_create("errors", MFD_CLOEXEC);
	shared->count = 0;
	pid = fork();
	if (!pid) {
		dup2(run->out, STDOUT_FILENO);
		dup2(run->errors, STDERR_FILENO);
		alarm(RUN_SECONDS);
		is_armed = true;
		exit(program->main(program->argc, program->argv, program->envp));
	}
	if (pid < 0 || waitpid(pid, &run->status, 0) != pid)
		abort();
	run->count = shared->count;
}

static void forget(const struct run *run)
{
	close(run->out);
	close(run->errors);
}

static size_t read_all(char text[TEXT_SIZE], int fd)
{
	ssize_t len = pread(fd, text, TEXT_SIZE - 1, 0);

	if (len < 0 || len == TEXT_SIZE - 1)
		abort();
	text[len] = '\0';
	return (size_t)len;
}

static bool is_same(int one, int other)
{
	static char a[TEXT_SIZE], b[TEXT_SIZE];
	size_t len = read_all(a, one);

	return len == read_all(b, other) && !memcmp(a, b, len);
}

/* true if the process with the failed allocation, or its parent, reported it */
static bool says_so(const struct run *run)
{
	static char text[TEXT_SIZE];

	read_all(text, run->errors);
	return strstr(text, "out of memory");
}

/* ---- all runs ---- */

enum verdict { RIGHT, CRASH, HANG, WRONG_SUCCESS, UNSAID, LEFT_BEHIND, VERDICTS };
static const char *const words[VERDICTS] = {
	"right", "crash", "hang", "wrong success", "unsaid", "left behind",
};

static enum verdict judge(const struct run *run, const struct run *usual)
{
	if (WIFSIGNALED(run->status))
		return WTERMSIG(run->status) == SIGALRM ? HANG : CRASH;
	if (run->status == usual->status && is_same(run->errors, usual->errors) &&
	    (is_strict ? !failing : is_same(run->out, usual->out)))
		return RIGHT;
	if (!WEXITSTATUS(run->status))
		return WRONG_SUCCESS;
	return says_so(run) ? RIGHT : UNSAID;
}

static unsigned int count_files(void)
{
	const char *name = getenv("TMPDIR");
	DIR *dir = name ? opendir(name) : NULL;
	unsigned int count = 0;

	while (dir && readdir(dir))
		count++;
	if (dir)
		closedir(dir);
	return count;
}

/* One line for each of the first failures. */
static void tell(FILE *report, const struct run *run, enum verdict verdict)
{
	static char errors[TEXT_SIZE];

	read_all(errors, run->errors);
	errors[strcspn(errors, "\n")] = '\0';
	fprintf(report, "%s: allocation %u%s: status %#x: %s\n", words[verdict], failing,
		is_lasting ? " and all later ones" : "", (unsigned int)run->status, errors);
}

static void try(FILE *report, const struct program *program, const struct run *usual,
		unsigned int counts[VERDICTS])
{
	unsigned int files = count_files();
	enum verdict verdict;
	struct run starved;

	fflush(report);
	run(&starved, program);
	verdict = judge(&starved, usual);
	if (verdict == RIGHT && count_files() > files)
		verdict = LEFT_BEHIND;
	if (verdict != RIGHT)
		tell(report, &starved, verdict);
	counts[verdict]++;
	forget(&starved);
}

/* Number of allocations, number of runs, and verdicts in the order of the enum. */
static void print_sum(FILE *report, const struct run *usual, const unsigned int counts[VERDICTS])
{
	unsigned int runs = 0;

	for (int i = 0; i < VERDICTS; i++)
		runs += counts[i];
	fprintf(report, "%u %u", usual->count, runs);
	for (int i = 0; i < VERDICTS; i++)
		fprintf(report, " %u", counts[i]);
	fprintf(report, "\n");
}

static unsigned int number_of(const char *variable)
{
	const char *text = getenv(variable);

	return text ? (unsigned int)atoi(text) : 1;
}

static int starve(const struct program *program)
{
	unsigned int most = number_of("STARVE_MOST"), step = number_of("STARVE_STEP");
	unsigned int counts[VERDICTS] = { 0 };
	FILE *report = fopen(getenv("STARVE_REPORT"), "we");
	struct run usual;

	if (!report)
		abort();
	/* Programs that the tool starts must not load this library. */
	unsetenv("LD_PRELOAD");
	is_strict = getenv("STARVE_STRICT");
	run(&usual, program);
	try(report, program, &usual, counts);
	for (int lasting = 0; lasting < 2; lasting++) {
		is_lasting = lasting;
		for (failing = 1; failing <= most && failing <= usual.count; failing += step)
			try(report, program, &usual, counts);
	}
	print_sum(report, &usual, counts);
	return fclose(report);
}

/* ---- replacement for main() ---- */

static main_fn real_main;

static int instead(int argc, char **argv, char **envp)
{
	const struct program program = { real_main, argc, argv, envp };

	dl_iterate_phdr(find_program, NULL);
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	if (shared == MAP_FAILED)
		abort();
	return starve(&program);
}

int __libc_start_main(main_fn main, int argc, char **argv, void (*init)(void), void (*fini)(void),
		      void (*rtld_fini)(void), void *stack_end);

int __libc_start_main(main_fn main, int argc, char **argv, void (*init)(void), void (*fini)(void),
		      void (*rtld_fini)(void), void *stack_end)
{
	__typeof__(__libc_start_main) *real =
		(__typeof__(real))dlsym(RTLD_NEXT, "__libc_start_main");

	real_main = main;
	return real(instead, argc, argv, init, fini, rtld_fini, stack_end);
}
