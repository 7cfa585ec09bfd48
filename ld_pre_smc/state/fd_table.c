// SPDX-License-Identifier: MIT
/* Marks of file descriptors that may be SMC sockets, which save system calls. */
#include "ld_pre_smc/state/fd_table.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "ld_pre_smc/state/config.h"
#include "ld_pre_smc/state/fd_query.h"
#include "ld_pre_smc/state/sandbox.h"

unsigned char shim_fd_bytes[SHIM_FD_NUMBERS + (1 << 16)];
atomic_int shim_fd_end;

atomic_bool shim_has_copies, shim_has_epoll;

/* See shim_fd_has_options(). */
static atomic_bool with_options[SHIM_FD_NUMBERS];

/* The owner of this memory; zero again in a child of fork(2). NULL before the first mark. */
static atomic_int *_Atomic owner;

static void raise_end(int fd)
{
	int seen = atomic_load(&shim_fd_end);

	while (seen <= fd && !atomic_compare_exchange_weak(&shim_fd_end, &seen, fd + 1))
		;
}

int shim_fd_new_end(int fd, unsigned int bits)
{
	if ((unsigned int)fd < SHIM_FD_NUMBERS) {
		raise_end(fd);
		return shim_fd_new(fd, bits);
	}
	if (fd >= 0 && bits & FD_SMC)
		shim_fd_mark_data(fd);
	return fd;
}

/* Four bytes: riscv64 has no atomic operations on single bytes without libatomic. */
static unsigned int *word_of(int fd)
{
	return (unsigned int *)(void *)&shim_fd_bytes[(unsigned int)fd & ~3U];
}

static unsigned int in_word(unsigned int bits, int fd)
{
	unsigned int place = (unsigned int)fd & 3;

	return bits << 8 * (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? place : 3 - place);
}

static void note_owner(void)
{
	size_t size = (size_t)sysconf(_SC_PAGESIZE);
	atomic_int *page;

	page = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if ((void *)page == MAP_FAILED || madvise(page, size, MADV_WIPEONFORK))
		return;
	*page = (int)syscall(SYS_getpid);
	owner = page;
}

void shim_fd_prepare(void)
{
	static atomic_bool is_done;
	AUTO_ERRNO();

	if (is_done || shim_in_sandbox)
		return;
	shim_sandbox_look();
	if (!shim_in_sandbox)
		note_owner();
	is_done = true;
}

void shim_fd_set(unsigned int bits, int fd)
{
	if (bits & FD_EPOLL)
		shim_has_epoll = true;
	if (bits & FD_SMC && fd >= 0) {
		shim_fd_prepare();
		shim_fd_mark_data(fd);
	}
	if ((unsigned int)fd >= SHIM_FD_NUMBERS || (shim_fd_byte(fd) & bits) == bits)
		return;
	__atomic_fetch_or(word_of(fd), in_word(bits, fd), __ATOMIC_SEQ_CST);
	raise_end(fd);
}

void shim_fd_drop(unsigned int bits, int fd)
{
	if ((unsigned int)fd < SHIM_FD_NUMBERS && shim_fd_byte(fd) & bits)
		__atomic_fetch_and(word_of(fd), ~in_word(bits, fd), __ATOMIC_SEQ_CST);
}

/* Ask the kernel once if a marked descriptor is a socket; not in sandboxes, nor with SMC_RAW. */
static void look_once(int fd)
{
	if ((unsigned int)fd >= SHIM_FD_NUMBERS ||
	    (shim_fd_byte(fd) & (FD_SMC | FD_SOCKET)) != FD_SMC || shim_in_sandbox ||
	    !shim_repairs())
		return;
	if (shim_is_smc(fd, NULL))
		shim_fd_set(FD_SOCKET, fd);
	else
		shim_fd_clear(FD_SMC, fd);
}

bool shim_marked_is_smc(int fd)
{
	if (!shim_fd_is_marked(fd))
		return false;
	if (shim_is_smc(fd, NULL))
		return true;
	if (!shim_fd_is_own(fd))
		shim_fd_clear(FD_SMC, fd);
	return false;
}

bool shim_fd_has_options(int fd)
{
	return (unsigned int)fd < SHIM_FD_NUMBERS && with_options[fd];
}

void shim_fd_note_options(int fd, bool has)
{
	if ((unsigned int)fd < SHIM_FD_NUMBERS && with_options[fd] != has)
		with_options[fd] = has;
}

void shim_fd_copy(int from, int to)
{
	unsigned char marks;

	shim_fd_drop(FD_PLAIN, from);
	if (from == to)
		return;
	look_once(from);
	/* connect() could turn only one of two copies into an SMC socket. */
	if (shim_fd_is_tcp(from))
		shim_fd_drop(FD_OWN, from);
	marks = shim_fd_marks(from);
	shim_fd_drop(FD_PLAIN | FD_SOCKET | FD_OWN | FD_TIMED, to);
	shim_fd_set(marks & (FD_OWN | FD_SMC | FD_EPOLL), to);
	if (marks & FD_SMC) {
		shim_has_copies = true;
		shim_fd_note_options(to, shim_fd_has_options(from));
	}
}

void shim_fd_unknown(int fd)
{
	shim_fd_drop(FD_PLAIN | FD_SOCKET | FD_OWN | FD_TIMED, fd);
	shim_fd_set(FD_SMC | FD_EPOLL, fd);
	shim_has_copies = true;
}

bool shim_fd_is_owner(void)
{
	int pid, none = 0;

	if (!owner)
		return false;
	pid = (int)syscall(SYS_getpid);
	return atomic_compare_exchange_strong(owner, &none, pid) || none == pid;
}

void shim_fd_clear(unsigned int bits, int fd)
{
	if ((unsigned int)fd < SHIM_FD_NUMBERS && shim_fd_is_set(bits, fd) && shim_fd_is_owner())
		shim_fd_drop(bits == FD_SMC ? FD_SMC | FD_SOCKET | FD_PLAIN : bits, fd);
}

/* Read the bytes from @fd on that fit into a long, at once. */
static unsigned long bytes_at(int fd)
{
	return __atomic_load_n((unsigned long *)(void *)&shim_fd_bytes[fd], __ATOMIC_RELAXED);
}

int shim_fd_next(unsigned int bits, int fd)
{
	const unsigned long in_each = ~0UL / 0xff * bits;
	int end = atomic_load(&shim_fd_end), step;

	for (; fd < end; fd += step) {
		step = fd % (int)sizeof(in_each) || bytes_at(fd) & in_each ? 1 : sizeof(in_each);
		if (step == 1 && shim_fd_is_set(bits, fd))
			return fd;
	}
	return -1;
}

/* An epoll instance has no type of file. */
static bool is_socket_or_epoll(const struct stat *st)
{
	return S_ISSOCK(st->st_mode) || !(st->st_mode & S_IFMT);
}

/*
 * True if no inherited descriptor matters. Uses only the loader's system calls, as a filter may
 * kill for others. Since Linux 6.2 the directory's size is the number of open descriptors.
 */
static bool has_inherited_nothing(void)
{
	struct stat st;
	long long left = shim_stat(AT_FDCWD, "/proc/self/fd", &st) ? 0 : st.st_size;
	bool has_any = left;

	for (int fd = 0; fd < 16 && left; fd++) {
		if (shim_stat(fd, "", &st))
			continue;
		if (is_socket_or_epoll(&st))
			return false;
		left--;
	}
	return has_any && !left;
}

static void mark_inherited(int fd, void *arg __attribute__((unused)))
{
	struct stat st;

	if (shim_stat(fd, "", &st) || !is_socket_or_epoll(&st))
		return;
	if (!S_ISSOCK(st.st_mode) && fd < SHIM_FD_NUMBERS) {
		shim_fd_set(FD_EPOLL, fd);
	} else if (shim_is_smc(fd, NULL)) {
		shim_fd_mark_socket(fd);
		shim_has_copies = true;
	}
}

void shim_fd_start(void)
{
	AUTO_ERRNO();

	if (has_inherited_nothing())
		return;
	shim_sandbox_look();
	if (!shim_in_sandbox)
		shim_each_open(mark_inherited, NULL);
}
