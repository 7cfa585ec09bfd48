// SPDX-License-Identifier: MIT
/* Kinds of programs that the kernel executes. */
#include "smc_chk/smc_chk.h"

#include <elf.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "host/probe.h"
#include "process/elf.h"

/* Linux 6.3 and later want one of two flags, earlier ones know neither. */
#ifndef MFD_EXEC
#define MFD_EXEC 0x0010U
#endif

/* A path that even root cannot create. The kernel opens it after accepting the machine. */
#define NO_LOADER "/dev/null/loader"

/* A minimal program: an ELF header of either class, one segment, and the name of a loader. */
struct program {
	union {
		unsigned char ident[EI_NIDENT];
		Elf32_Ehdr narrow;
		Elf64_Ehdr wide;
	} head;
	union {
		Elf32_Phdr narrow;
		Elf64_Phdr wide;
	} part;
	char loader[sizeof(NO_LOADER)];
};

/* Machine and flags are copied from the file's header. */
static bool make_program(int fd, const char *file)
{
	const size_t part = offsetof(struct program, part),
		     loader = offsetof(struct program, loader);
	int from = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct program program = { .loader = NO_LOADER };
	ssize_t len = from < 0 ? -1 : read(from, &program.head, sizeof(program.head));

	if (from >= 0)
		close(from);
	if (len < (ssize_t)sizeof(program.head))
		return false;
	if (program.head.ident[EI_CLASS] == ELFCLASS64) {
		program.head.wide.e_phoff = part;
		program.head.wide.e_phentsize = sizeof(program.part.wide);
		program.head.wide.e_phnum = 1;
		program.part.wide = (Elf64_Phdr){ PT_INTERP, .p_offset = loader,
						  .p_filesz = sizeof(NO_LOADER) };
	} else {
		program.head.narrow.e_phoff = part;
		program.head.narrow.e_phentsize = sizeof(program.part.narrow);
		program.head.narrow.e_phnum = 1;
		program.part.narrow = (Elf32_Phdr){ PT_INTERP, .p_offset = loader,
						    .p_filesz = sizeof(NO_LOADER) };
	}
	return write(fd, &program, sizeof(program)) == sizeof(program);
}

/*
 * Run the file. Return: 0, or errno of exec. It has no code; 0 means that an interpreter registered
 * with binfmt_misc was started.
 */
static int start(int fd)
{
	char path[32], *const argv[] = { path, NULL }, *const envp[] = { NULL };
	posix_spawn_file_actions_t files;
	pid_t pid;
	int err;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDWR, 0);
	posix_spawn_file_actions_adddup2(&files, STDIN_FILENO, STDOUT_FILENO);
	posix_spawn_file_actions_adddup2(&files, STDIN_FILENO, STDERR_FILENO);
	err = posix_spawn(&pid, path, &files, NULL, argv, envp);
	posix_spawn_file_actions_destroy(&files);
	if (!err)
		while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
			;
	return err;
}

/* Return: 1 if it does, 0 if not, -errno if unknown. */
static int probe(void *arg, char text[HOST_PROBE_SIZE] __attribute__((unused)))
{
	int fd = memfd_create("program", MFD_CLOEXEC | MFD_EXEC), err;

	if (fd < 0 && errno == EINVAL)
		fd = memfd_create("program", MFD_CLOEXEC);
	if (fd < 0)
		return -errno;
	err = make_program(fd, arg) ? start(fd) : EIO;
	close(fd);
	return err == ENOEXEC ? 0 : err && err != ENOTDIR ? -err : 1;
}

bool host_executes(const char *file, const struct smc_elf *elf)
{
	struct smc_elf own;

	if (!smc_elf_inspect("/proc/self/exe", &own) && own.machine == elf->machine &&
	    own.bits == elf->bits && own.big_endian == elf->big_endian)
		return true;
	return host_probe("executes-%u-%d", probe, (void *)file, NULL, elf->machine, elf->bits);
}
