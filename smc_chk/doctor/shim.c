// SPDX-License-Identifier: MIT
/* Doctor: the preload library: is it there, does it fit this machine, does another one hide it? */
#include "smc_chk/doctor/doctor.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "host/file.h"
#include "host/probe.h"
#include "sys/elf.h"
#include "sys/library.h"

#define CHECK "shim"
#define OLD_NAME "libsmc-preload.so"

/* What the probe of a library answers. */
enum {
	SHIM_FITS = 1 << 0,
	SHIM_SETUID = 1 << 1,
};

/* Whatever was started is for this machine, 32-bit programs are its other class. */
static bool fits(const struct smc_elf *elf, int bits)
{
	struct smc_elf own;

	if (elf->bits != bits || smc_elf_inspect("/proc/self/exe", &own))
		return false;
	return elf->machine == own.machine || own.bits != bits;
}

/* The text is the file's path, a newline, and what it is for. */
static int probe_library(void *arg, char text[HOST_PROBE_SIZE])
{
	const int bits = *(const int *)arg;
	struct target target = { .known = true, .elf = { .bits = bits } };
	struct library library;
	struct smc_elf elf;
	struct stat st;
	const char *machine;
	int ret = library_find(&target, &library);

	if (ret)
		return ret;
	ret = smc_elf_inspect(library.file, &elf);
	machine = ret ? NULL : smc_elf_machine_name(&elf);
	snprintf(text, HOST_PROBE_SIZE, "%.400s\n%s", library.file,
		 ret ? "damaged" : machine ? machine : "another machine");
	if (ret)
		return 0;
	ret = fits(&elf, bits) ? SHIM_FITS : 0;
	if (!stat(library.file, &st) && st.st_mode & S_ISUID)
		ret |= SHIM_SETUID;
	return ret;
}

static void check_own(struct doctor *doc)
{
	int bits = (int)sizeof(void *) * CHAR_BIT;
	char text[HOST_PROBE_SIZE], *what;
	int ret = host_probe("library", probe_library, &bits, text);

	if (ret == -ENODATA)
		return;
	if (ret < 0) {
		doctor_say(doc, DOCTOR_WARNING, CHECK, LIBRARY_NAME,
			   "install the library of smc-tools (make install)",
			   "is not installed: smc_run cannot reach programs");
		return;
	}
	what = strchr(text, '\n');
	if (what)
		*what++ = '\0';
	if (!(ret & SHIM_FITS))
		doctor_say(doc, DOCTOR_PROBLEM, CHECK, text,
			   "install the library of smc-tools for this machine (make install)",
			   "no program of this machine can load it: it is %s", what ? what : "");
	else
		doctor_say(doc, DOCTOR_OK, CHECK, text, NULL, "fits this machine (%s)",
			   what ? what : "");
	if (ret & SHIM_SETUID)
		doctor_say(doc, DOCTOR_NOTE, CHECK, text, NULL,
			   "is set-uid: reaches set-uid programs as well");
}

/* Only who has 32-bit programs misses it. */
static void check_narrow(struct doctor *doc)
{
	int bits = 32, ret;
	char text[HOST_PROBE_SIZE];

	if (sizeof(void *) == 4 || !host_exists("/lib/ld-linux.so.2"))
		return;
	ret = host_probe("library-32", probe_library, &bits, text);
	text[strcspn(text, "\n")] = '\0';
	if (ret >= 0 && ret & SHIM_FITS)
		doctor_say(doc, DOCTOR_OK, CHECK, text, NULL, "serves 32-bit programs");
	else if (ret != -ENODATA)
		doctor_say(doc, DOCTOR_NOTE, CHECK, NULL, NULL,
			   "32-bit programs stay on TCP: there is no 32-bit " LIBRARY_NAME);
}

/* Our installation has a link of the old name to the new one. */
static bool is_ours(const char *path)
{
	char target[NAME_MAX + 1];

	return host_link(target, sizeof(target), "%s", path) &&
	       !strncmp(target, LIBRARY_NAME, strlen(LIBRARY_NAME));
}

/* smc-tools 1.8.5 and the like: who preloads the old name would get that one. */
static void check_foreign(struct doctor *doc)
{
	static const char *const folders[] = {
		"/usr/lib64",		     "/usr/lib",
		"/usr/lib/x86_64-linux-gnu", "/usr/lib/s390x-linux-gnu",
		"/usr/lib/aarch64-linux-gnu", "/usr/lib/powerpc64le-linux-gnu",
		"/usr/local/lib64",	     "/usr/local/lib",
	};
	char path[128], remedy[320];

	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		snprintf(path, sizeof(path), "%s/" OLD_NAME, folders[i]);
		if (!host_exists("%s", path) || is_ours(path))
			continue;
		snprintf(remedy, sizeof(remedy), "remove the package that it belongs to: dpkg -S %s "
						 "(rpm -qf)", path);
		doctor_say(doc, DOCTOR_WARNING, CHECK, path, remedy,
			   "is of another implementation: LD_PRELOAD=" OLD_NAME " takes it");
	}
}

static void check_entry(struct doctor *doc, const char *entry)
{
	static const char file[] = "/etc/ld.so.preload";
	char remedy[320];

	if (!strstr(entry, LIBRARY_NAME) && !strstr(entry, OLD_NAME))
		return;
	if (*entry == '/' && !strchr(entry, '$') && !host_exists("%s", entry)) {
		snprintf(remedy, sizeof(remedy), "remove %.200s from %s", entry, file);
		doctor_say(doc, DOCTOR_WARNING, CHECK, file, remedy,
			   "names %s, which is not there: every program complains", entry);
	} else {
		doctor_say(doc, DOCTOR_NOTE, CHECK, file, NULL,
			   "names %s: every program that a preload reaches uses SMC", entry);
	}
}

static void check_preload_file(struct doctor *doc)
{
	char text[4096], *save;

	if (!host_text(text, sizeof(text), "/etc/ld.so.preload"))
		return;
	for (char *w = strtok_r(text, ": \t\n", &save); w; w = strtok_r(NULL, ": \t\n", &save))
		check_entry(doc, w);
}

void doctor_shim(struct doctor *doc)
{
	check_own(doc);
	check_narrow(doc);
	check_foreign(doc);
	check_preload_file(doc);
}
