// SPDX-License-Identifier: MIT
/* What the doctor knows of a host: the preload libraries on it. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "host/file.h"
#include "host/probe.h"
#include "smc_chk/doctor/facts.h"
#include "sys/elf.h"
#include "sys/library.h"

#define OLD_NAME "libsmc-preload.so"

/* Whatever was started is for this machine, 32-bit programs are its other class. */
static bool fits(const struct smc_elf *elf, int bits)
{
	struct smc_elf own;

	if (elf->bits != bits || smc_elf_inspect("/proc/self/exe", &own))
		return false;
	return elf->machine == own.machine || own.bits != bits;
}

/* The text is the file's path, a newline, and the machine that it is for. */
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
	ret = fits(&elf, bits) ? LIBRARY_FITS : 0;
	if (!stat(library.file, &st) && st.st_mode & S_ISUID)
		ret |= LIBRARY_IS_SETUID;
	return ret;
}

static void load_library(struct library_facts *library, const char *probe, int bits)
{
	library->ret = host_probe("%s", probe_library, &bits, library->file, probe);
	library->machine = library->file + strcspn(library->file, "\n");
	if (*library->machine)
		*library->machine++ = '\0';
}

/* Our installation has a link of the old name to the new one. */
static bool is_ours(const char *path)
{
	char target[NAME_MAX + 1];

	return host_link(target, sizeof(target), "%s", path) &&
	       !strncmp(target, LIBRARY_NAME, strlen(LIBRARY_NAME));
}

static void load_foreign(struct shim_facts *shim)
{
	static const char *const directories[FACTS_FOREIGN_MAX] = {
		"/usr/lib64",		     "/usr/lib",
		"/usr/lib/x86_64-linux-gnu", "/usr/lib/s390x-linux-gnu",
		"/usr/lib/aarch64-linux-gnu", "/usr/lib/powerpc64le-linux-gnu",
		"/usr/local/lib64",	     "/usr/local/lib",
	};
	for (size_t i = 0; i < FACTS_FOREIGN_MAX; i++) {
		char *path = shim->foreign[shim->n_foreign];

		snprintf(path, sizeof(shim->foreign[0]), "%s/" OLD_NAME, directories[i]);
		shim->n_foreign += host_exists("%s", path) && !is_ours(path);
	}
}

static void load_preloads(struct shim_facts *shim)
{
	char text[4096], *save;

	if (!host_text(text, sizeof(text), "/etc/ld.so.preload"))
		return;
	for (char *word = strtok_r(text, ": \t\n", &save);
	     word && shim->n_preloads < FACTS_PRELOAD_MAX; word = strtok_r(NULL, ": \t\n", &save)) {
		struct preload_entry *entry = &shim->preloads[shim->n_preloads];

		if (!strstr(word, LIBRARY_NAME) && !strstr(word, OLD_NAME))
			continue;
		snprintf(entry->path, sizeof(entry->path), "%s", word);
		entry->is_absent = *word == '/' && !strchr(word, '$') &&
				   !host_exists("%s", word);
		shim->n_preloads++;
	}
}

void facts_load_shim(struct shim_facts *shim)
{
	load_library(&shim->own, "library", (int)sizeof(void *) * CHAR_BIT);
	/* Only who has 32-bit programs misses a library for them. */
	shim->has_narrow_loader = sizeof(void *) > 4 &&
				  host_exists("/lib/ld-linux.so.2");
	if (shim->has_narrow_loader)
		load_library(&shim->narrow, "library-32", 32);
	load_foreign(shim);
	load_preloads(shim);
}
