// SPDX-License-Identifier: MIT
/* Doctor: the preload library: is it there, does it fit this machine, does another one hide it? */
#include <errno.h>
#include <string.h>

#include "process/library.h"
#include "smc_chk/doctor/findings.h"

#define CHECK "shim"

static void check_own(struct doctor *doc)
{
	const struct library_facts *library = &doc->facts->shim.own;

	if (library->ret == -ENODATA)
		return;
	if (library->ret < 0)
		doctor_say(doc, DOCTOR_WARNING, CHECK, LIBRARY_NAME,
			   "install the library of smc-tools (make install)",
			   "is not installed: smc_run cannot reach programs");
	else if (!(library->ret & LIBRARY_FITS))
		doctor_say(doc, DOCTOR_PROBLEM, CHECK, library->file,
			   "install the library of smc-tools for this machine (make install)",
			   "no program on this machine can load it: it is %s", library->machine);
	else
		doctor_ok(doc, CHECK, library->file, "fits this machine (%s)", library->machine);
	if (library->ret > 0 && library->ret & LIBRARY_IS_SETUID)
		doctor_note(doc, CHECK, library->file,
			    "is set-uid: reaches set-uid programs as well");
}

static void check_narrow(struct doctor *doc)
{
	const struct library_facts *library = &doc->facts->shim.narrow;

	if (!doc->facts->shim.has_narrow_loader)
		return;
	if (!doc->facts->shim.executes_narrow)
		doctor_note(doc, CHECK, NULL,
			    "32-bit programs cannot run: this kernel does not "
			    "execute them (ia32_emulation=off, or no CONFIG_IA32_EMULATION)");
	else if (library->ret >= 0 && library->ret & LIBRARY_FITS)
		doctor_ok(doc, CHECK, library->file, "serves 32-bit programs");
	else if (library->ret != -ENODATA)
		doctor_note(doc, CHECK, NULL,
			    "32-bit programs stay on TCP: there is no 32-bit " LIBRARY_NAME);
}

/* smc-tools 1.8.5 and the like: a program that preloads the old name would get that one. */
static void check_foreign(struct doctor *doc)
{
	for (size_t i = 0; i < doc->facts->shim.n_foreign; i++) {
		const char *path = doc->facts->shim.foreign[i];

		doctor_say(doc, DOCTOR_WARNING, CHECK, path,
			   doctor_command(doc,
					  "remove the package that it belongs to, by rpm -qf "
					  "or dpkg -S ",
					  path, ""),
			   "belongs to another implementation: LD_PRELOAD=%s loads it",
			   strrchr(path, '/') + 1);
	}
}

static void check_preload(struct doctor *doc, const struct preload_entry *entry)
{
	static const char file[] = "/etc/ld.so.preload";

	if (entry->is_absent)
		doctor_say(doc, DOCTOR_WARNING, CHECK, file,
			   doctor_command(doc, "remove ", entry->path, " from /etc/ld.so.preload"),
			   "names %s, which does not exist: every program prints an error",
			   entry->path);
	else
		doctor_note(doc, CHECK, file,
			    "names %s: every program that a preload reaches uses SMC", entry->path);
}

void doctor_shim(struct doctor *doc)
{
	check_own(doc);
	check_narrow(doc);
	check_foreign(doc);
	for (size_t i = 0; i < doc->facts->shim.n_preloads; i++)
		check_preload(doc, &doc->facts->shim.preloads[i]);
}
