// SPDX-License-Identifier: MIT
#include "process/apparmor.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "base/read.h"
#include "host/smc.h"
#include "process/helper.h"

#define ATTRIBUTE "attr/apparmor/current"
#define PROFILES "/sys/kernel/security/apparmor/policy/profiles"
#define ENFORCED " (enforce)"

/* The child's status where it could not change: no combination of bits. */
#define CANNOT 127

bool apparmor_profile(pid_t pid, char name[APPARMOR_NAME_SIZE])
{
	char path[64] = "/proc/self/" ATTRIBUTE, *end;

	if (pid)
		snprintf(path, sizeof(path), "/proc/%d/" ATTRIBUTE, (int)pid);
	smc_read_start(path, 0, name, APPARMOR_NAME_SIZE);
	end = strstr(name, ENFORCED);
	if (!end)
		return false;
	*end = '\0';
	return true;
}

/* The first line of a file of a loaded profile. */
static bool read_line(char text[APPARMOR_NAME_SIZE], const char *profile, const char *file)
{
	char path[PATH_MAX];
	int len;

	snprintf(path, sizeof(path), PROFILES "/%s/%s", profile, file);
	len = smc_read_start(path, 0, text, APPARMOR_NAME_SIZE);
	text[strcspn(text, "\n")] = '\0';
	return len > 0;
}

bool apparmor_attached(const char *program, char name[APPARMOR_NAME_SIZE])
{
	DIR *dir AUTO_CLOSEDIR = opendir(PROFILES);
	char text[APPARMOR_NAME_SIZE];
	struct dirent *entry;
	bool is_found = false;

	while (dir && !is_found && (entry = readdir(dir)))
		is_found = read_line(text, entry->d_name, "attach") && !strcmp(text, program) &&
			   read_line(text, entry->d_name, "mode") && !strcmp(text, "enforce") &&
			   read_line(name, entry->d_name, "name");
	return is_found;
}

static bool change_to(const char *name)
{
	char text[APPARMOR_NAME_SIZE + 32];
	int len = snprintf(text, sizeof(text), "changeprofile %s", name);
	int fd AUTO_CLOSE = open("/proc/thread-self/" ATTRIBUTE, O_WRONLY | O_CLOEXEC);

	return fd >= 0 && len < (int)sizeof(text) && write(fd, text, (size_t)len) == len;
}

static bool may_load(const char *library)
{
	int fd AUTO_CLOSE = open(library, O_RDONLY | O_CLOEXEC);
	void *map = fd < 0 ? MAP_FAILED : mmap(NULL, 1, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	bool is_denied = map == MAP_FAILED && errno == EACCES;

	if (map != MAP_FAILED)
		munmap(map, 1);
	return !is_denied;
}

static int ask(const char *name, const char *library)
{
	int bits = 0;

	if (!change_to(name))
		return CANNOT;
	if (kernel_has_smc() == -EACCES)
		bits |= APPARMOR_NO_SMC;
	if (library && !may_load(library))
		bits |= APPARMOR_NO_LIBRARY;
	return bits;
}

int apparmor_denies(const char *name, const char *library)
{
	pid_t pid = helper_fork();
	int status;

	if (!pid)
		_exit(ask(name, library));
	if (pid < 0)
		return 0;
	while (waitpid(pid, &status, __WCLONE) < 0)
		if (errno != EINTR)
			return 0;
	return WIFEXITED(status) && WEXITSTATUS(status) != CANNOT ? WEXITSTATUS(status) : 0;
}
