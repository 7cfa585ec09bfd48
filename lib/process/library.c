// SPDX-License-Identifier: MIT
#include "process/library.h"

#include <sys/stat.h>

#include "base/array.h"
#include "base/memory.h"
#include "base/read.h"
#include "base/words.h"
#include "process/self.h"

#ifndef SMC_LIBDIR32
#define SMC_LIBDIR32 ""
#endif

/* Minor version of glibc 2 that has everything that the library needs: tests/preload/shim.sh. */
#define GLIBC_LEAST 17
#define LIBC_MAX (16 << 20)

static const int own_bits = (int)sizeof(void *) * CHAR_BIT;

/* Find a readable file below the root of a staged install (make install DESTDIR=ROOT). */
static bool staged_find(const char *name, char path[PATH_MAX])
{
	size_t len = self_directory(path);

	return word_ends_with(path, SMC_BINDIR "/") &&
	       self_has(path, len - strlen(SMC_BINDIR "/"), name, R_OK);
}

/* Try DIR/ld_pre_smc.so. */
static bool library_in(char *file, const char *dir)
{
	int len = snprintf(file, PATH_MAX, "%s/" LIBRARY_NAME, dir);

	return *dir && len > 0 && len < PATH_MAX && !access(file, R_OK);
}

/*
 * musl's loader has no $LIB and ignores entries of missing files. Debian's musl finds a bare name
 * where "make install" puts a link to the library; glibc's loader finds it in its own directories.
 */
static bool serves_bare(void)
{
	static const char gnu[] = "-linux-gnu", libdir[] = SMC_LIBDIR;
	size_t len = strlen(libdir);
	char dir[sizeof(libdir) + 1], file[PATH_MAX];

	if (strncmp(libdir, "/usr/lib/", 9) || !word_ends_with(libdir, gnu))
		return false;
	snprintf(dir, sizeof(dir), "%.*s-linux-musl", (int)(len - strlen(gnu)), libdir);
	return library_in(file, dir);
}

/* True for a program that comes with its own loader, which has other directories. */
static bool has_own_loader(const struct target *target)
{
	const char *loader = target->elf.interp;

	return *loader == '/' && strncmp(loader, "/lib", 4) && strncmp(loader, "/usr/lib", 8);
}

/*
 * ld.so expands $LIB to its own library directory below the prefix, so one entry serves a 64-bit
 * program and the 32-bit children it starts, or vice versa. Used only if both libraries are
 * installed in the loaders' default directories. Otherwise one library's path serves both libcs.
 */
static bool serves_both(const struct target *target, struct library *out)
{
	static const char *const ends[][2] = {
		{ "/lib/x86_64-linux-gnu", "/lib/i386-linux-gnu" },
		{ "/lib64", "/lib" },
	};
	char file[PATH_MAX];
	bool bare;
	size_t i;

	if (has_own_loader(target) || !library_in(file, SMC_LIBDIR) ||
	    !library_in(file, SMC_LIBDIR32))
		return false;
	bare = serves_bare();
	if (!strstr(target->elf.interp, "/ld-linux") &&
	    !(bare && strstr(target->elf.interp, "/ld-musl-")))
		return false;
	for (i = 0; i < ARRAY_SIZE(ends); i++) {
		if (word_ends_with(SMC_LIBDIR, ends[i][0]) &&
		    word_ends_with(SMC_LIBDIR32, ends[i][1])) {
			snprintf(out->entry, PATH_MAX, "%.*s%s" LIBRARY_NAME,
				 bare ? 0 : (int)(strlen(SMC_LIBDIR) - strlen(ends[i][0])),
				 SMC_LIBDIR, bare ? "" : "/$LIB/");
			library_in(out->other, strcmp(file, out->file) ? SMC_LIBDIR32 : SMC_LIBDIR);
			return true;
		}
	}
	return false;
}

static bool find_file(const struct target *target, struct library *out, bool *installed)
{
	bool narrow = own_bits == 64 && target->known && target->elf.bits == 32;

	*installed = false;
	if ((narrow && self_find("32/" LIBRARY_NAME, R_OK, out->file)) ||
	    self_find(LIBRARY_NAME, R_OK, out->file) ||
	    (narrow && *SMC_LIBDIR32 && staged_find(SMC_LIBDIR32 "/" LIBRARY_NAME, out->file)) ||
	    staged_find(SMC_LIBDIR "/" LIBRARY_NAME, out->file))
		return true;
	*installed = true;
	return (narrow && library_in(out->file, SMC_LIBDIR32)) || library_in(out->file, SMC_LIBDIR);
}

int library_find(const struct target *target, struct library *out)
{
	struct stat st;
	bool installed;

	out->secure_too = false;
	*out->other = '\0';
	if (!find_file(target, out, &installed))
		return -ENOENT;
	memcpy(out->entry, out->file, sizeof(out->entry));
	if (!installed)
		return 0;
	if (target->secure && !stat(out->file, &st) && st.st_mode & S_ISUID) {
		/* For set-uid programs ld.so accepts only bare names, from its own directories. */
		out->secure_too = true;
		strcpy(out->entry, LIBRARY_NAME);
	} else {
		serves_both(target, out);
	}
	return 0;
}

int preload_find(const struct target *target, struct library *lib, struct smc_err *err)
{
	if (library_find(target, lib))
		return smc_err_say(err, ENOENT, "cannot find %s beside this program or in %s",
				   LIBRARY_NAME, SMC_LIBDIR);
	if (lib->entry[strcspn(lib->entry, ": \t\n")])
		return smc_err_say(err, EINVAL,
				   PRELOAD " cannot hold '%s': it has a blank or a colon",
				   lib->entry);
	return 0;
}

static bool is_other_machine(const struct library *lib, const struct smc_elf *elf, char *why)
{
	char theirs[SMC_ELF_MACHINE_SIZE], ours[SMC_ELF_MACHINE_SIZE];
	struct smc_elf own;

	if (smc_elf_inspect(lib->file, &own) ||
	    (elf->machine == own.machine && elf->bits == own.bits &&
	     elf->big_endian == own.big_endian))
		return false;
	snprintf(why, LIBRARY_WHY_SIZE, "the program is for %s, the library for %s",
		 smc_elf_machine_text(elf, theirs), smc_elf_machine_text(&own, ours));
	return true;
}

bool library_is_refused(const struct target *target)
{
	char path[PATH_MAX], *data AUTO_FREE = NULL;
	const char *at, *loader = target->elf.interp;
	size_t len;
	int minor = GLIBC_LEAST;

	if (!has_own_loader(target))
		return false;
	snprintf(path, sizeof(path), "%.*s/libc.so.6", (int)(strrchr(loader, '/') - loader),
		 loader);
	data = smc_read_file(path, 0, LIBC_MAX, &len);
	for (at = data; at && (at = memmem(at, len - (size_t)(at - data), "GLIBC_2.", 8));) {
		at += 8;
		minor = atoi(at);
		if (minor >= GLIBC_LEAST)
			break;
	}
	return minor < GLIBC_LEAST;
}

bool library_misses(const struct library *lib, const struct target *target,
		    char why[LIBRARY_WHY_SIZE])
{
	const char *text = NULL;

	if (target->clears_env)
		text = "it is started by 'env -i', which drops LD_PRELOAD";
	else if (target->known && target->elf.is_go)
		text = "Go programs make their own system calls";
	else if (target->known && target->elf.is_static)
		text = "the program is static, nothing can be preloaded";
	else if (target->secure && !(lib && lib->secure_too))
		text = "set-uid, set-gid or file capabilities, nothing is preloaded";
	else if (library_is_refused(target))
		text = "its glibc is older than 2.17";
	if (text)
		snprintf(why, LIBRARY_WHY_SIZE, "%s", text);
	return text || (target->known && lib && is_other_machine(lib, &target->elf, why));
}

/* Path of the library for --spin: "_spin" is added before the suffix. */
static bool spin_path(const char *path, char out[PATH_MAX])
{
	const char *suffix = strrchr(path, '.');

	return snprintf(out, PATH_MAX, "%.*s_spin%s", (int)(suffix - path), path, suffix) <
	       PATH_MAX;
}

bool library_spin(const struct library *lib, char entry[PATH_MAX])
{
	if (*lib->other && (!spin_path(lib->other, entry) || access(entry, R_OK)))
		return false;
	return spin_path(lib->file, entry) && !access(entry, R_OK) && spin_path(lib->entry, entry);
}

int library_preload(const char *entry)
{
	const char *old = getenv(PRELOAD);
	char *list AUTO_FREE = NULL;

	if (words_among(old, ": ", entry)) /* see ld.so(8) */
		return 0;
	list = xprintf("%s%s%s", old ? old : "", old && *old ? ":" : "", entry);
	return setenv(PRELOAD, list, 1) ? -errno : 0;
}
