// SPDX-License-Identifier: MIT
/* program: find out from its file whether and how smc_run can make a program use SMC. */
#include <elf.h>
#include <pwd.h>
#include <sys/param.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include "base/memory.h"
#include "base/read.h"
#include "host/btf.h"
#include "host/smc.h"
#include "process/library.h"
#include "process/sockcall.h"
#include "process/target.h"
#include "smc_chk/smc_chk.h"

#define NOTES_MAX 10
#define GO_LISTENS_WITH_MPTCP 24
#define PROGRAM_MAX (64 << 20)
#define NOTE_SIZE (PATH_MAX + 256)

/** struct program - the findings */
struct program {
	const char *command; /* as typed */
	struct target target;
	struct library lib; /* that smc_run would preload, with @has_lib */
	bool has_lib;
	const char *why;     /* why the library does not reach it, NULL if it does */
	const char *missing; /* what this kernel lacks for eBPF, the second way; or NULL */
	const char *unseen;  /* why a supervisor, the third way, does not reach it; or NULL */
	const char *lacks;   /* what this kernel lacks for that; or NULL */
	char reason[LIBRARY_WHY_SIZE];	  /* the text of @why */
	char notes[NOTES_MAX][NOTE_SIZE]; /* further facts, a clause each */
	size_t n_notes;
};

static bool is_seccomp(const struct program *prog)
{
	return prog->why && prog->missing && !prog->unseen && !prog->lacks;
}

/* There are fewer than NOTES_MAX. */
#define note(prog, ...) snprintf((prog)->notes[(prog)->n_notes++], NOTE_SIZE, __VA_ARGS__)

/* ---- files that cannot be started ---- */

static int no_command(const char *command)
{
	struct statvfs fs;
	struct stat st;

	if (!strchr(command, '/'))
		return cli_error(&chk_tool, "no command '%s' in PATH%s", command,
				 *command && !access(command, F_OK) ?
					 "; a file in this directory needs ./" :
					 "");
	if (stat(command, &st))
		return cli_error(&chk_tool, "cannot find '%s': %s", command, strerror(errno));
	if (!S_ISREG(st.st_mode))
		return cli_error(&chk_tool, "'%s' is not a program: it is %s", command,
				 S_ISDIR(st.st_mode) ? "a directory" : "not a regular file");
	if (!statvfs(command, &fs) && fs.f_flag & ST_NOEXEC)
		return cli_error(&chk_tool,
				 "'%s' cannot be started: its file system is mounted noexec",
				 command);
	return cli_error(&chk_tool, "'%s' cannot be started: it is not executable", command);
}

/* The loader can be started, and loads a program; other libraries cannot. */
static bool is_library(const struct target *target)
{
	const char *base = basename(target->path);

	return !target->elf.interp[0] && !target->elf.is_static && strncmp(base, "ld-", 3) &&
	       strncmp(base, "ld.so", 5) && strncmp(base, "ld64.so", 7);
}

/* Return: CHK_OK, or CHK_ERROR after a message. */
static int check_startable(const char *command, const struct target *target)
{
	const struct smc_elf *elf = &target->elf;

	if (!target->path[0])
		return no_command(command);
	if (target->is_script)
		return cli_error(&chk_tool,
				 "'%s' cannot be started: its interpreter does not "
				 "exist, or scripts are nested too deeply",
				 target->path);
	if (!target->known && access(target->path, R_OK))
		return cli_error(&chk_tool, "cannot read '%s': %s", target->path, strerror(errno));
	if (!target->known || is_library(target) || (elf->type != ET_EXEC && elf->type != ET_DYN))
		return cli_error(&chk_tool,
				 "'%s' is not a program: neither an ELF program nor a script",
				 target->path);
	if (elf->interp[0] && access(elf->interp, F_OK))
		return cli_error(&chk_tool,
				 "'%s' cannot be started: its loader '%s' does not exist",
				 target->path, elf->interp);
	return CHK_OK;
}

/* ---- notes ---- */

static void note_privileges(struct program *prog)
{
	const struct target *target = &prog->target;
	const struct passwd *owner = getpwuid(target->uid);
	const char *what = "has file capabilities";

	if (target->raises & (TARGET_SETUID | TARGET_SETGID))
		what = target->raises & TARGET_SETUID ? "set-uid" : "set-gid";
	if (!target->raises || (prog->why && !target->secure))
		return;
	if (target->is_nosuid)
		note(prog, "%s, but that has no effect on its file system, which is mounted nosuid",
		     what);
	else if (prog->has_lib && prog->lib.secure_too)
		note(prog, "%s; the library is installed set-uid, so it is preloaded there, too",
		     what);
	else if (!target->secure)
		note(prog, "%s: if others start it, nothing is preloaded, and only eBPF reaches it",
		     what);
	else
		note(prog, "%s: if %s starts it, the preload library can reach it", what,
		     target->raises & TARGET_SETUID && owner ? owner->pw_name : "root");
}

static void note_libc(struct program *prog)
{
	if (!prog->why && strstr(prog->target.elf.interp, "/ld-musl-"))
		note(prog, "its C library is musl, which does not read /etc/ld.so.preload: use "
			   "smc_run or LD_PRELOAD");
}

/* eBPF and seccomp treat MPTCP like TCP if only Go's defaults chose it. */
static void note_mptcp(struct program *prog)
{
	if (prog->target.elf.go_minor >= GO_LISTENS_WITH_MPTCP)
		note(prog,
		     "Go 1.%d listens with MPTCP, which becomes SMC, too, except where GODEBUG "
		     "or a scope keeps it; with GODEBUG=multipathtcp=0 it listens with TCP",
		     prog->target.elf.go_minor);
}

/*
 * The name of liburing, to link or to load it, or its code: x86 loads the number of
 * io_uring_setup(2) into eax, and soon makes the system call.
 */
static void note_uring(struct program *prog)
{
	size_t len = 0;
	char *data AUTO_FREE = smc_read_file(prog->target.path, 0, PROGRAM_MAX, &len);
	char *code = data ? memmem(data, len, "\xb8\xa9\1\0", 5) : NULL;

	if (data && (memmem(data, len, "liburing.so", strlen("liburing.so")) ||
		     (code && memmem(code, MIN(len - (size_t)(code - data), 48), "\x0f\x05", 2))))
		note(prog, "has liburing: over SMC, io_uring differs from TCP, see af_smc(7)");
}

static void note_all(struct program *prog)
{
	if (prog->target.scripts)
		note(prog, "a script: this is about its interpreter, not about what it starts");
	note_privileges(prog);
	note_libc(prog);
	note_mptcp(prog);
	note_uring(prog);
	if (!prog->why && !prog->has_lib)
		note(prog, "the library is neither beside smc_chk nor installed");
	if (host_af_smc() == -EACCES) {
		note(prog, "if started here, it uses TCP: " SMC_DENIED);
		return;
	}
	if (prog->why && prog->missing)
		note(prog, "eBPF needs %s, which this kernel does not have", prog->missing);
	if (prog->why && prog->unseen)
		note(prog, "not for smc_run --seccomp: %s", prog->unseen);
	else if (prog->why && !prog->missing && !prog->lacks)
		note(prog, "eBPF needs privileges; without them, smc_run uses --seccomp");
	else if (prog->why && prog->missing && prog->lacks)
		note(prog, "smc_run --seccomp needs %s, which this kernel does not have",
		     prog->lacks);
}

/* ---- output ---- */

static const char *kind_of(const struct smc_elf *elf)
{
	if (elf->is_go)
		return elf->interp[0] ? "Go, dynamic" : "Go";
	if (elf->is_static)
		return elf->type == ET_DYN ? "static-pie" : "static";
	return elf->interp[0] ? "dynamic" : "loader";
}

static bool can_run(const struct program *prog)
{
	return prog->why ? !prog->missing || is_seccomp(prog) : prog->has_lib;
}

enum { NAME, JSON, OPTION };

/* Name of the way, for the text, for JSON, or as an option. */
static const char *way_of(const struct program *prog, int use)
{
	static const char *const words[][3] = {
		{ "preload", "preload", "" },
		{ "eBPF", "bpf", "--bpf " },
		{ "seccomp", "seccomp", "--seccomp " },
	};

	if (!prog->why)
		return words[0][use];
	return words[is_seccomp(prog) ? 2 : 1][use];
}

static void append_line(struct out_text *text, const char *label, const char *value)
{
	out_printf(text, "  %-9s", label);
	out_escaped(text, value, NOTE_SIZE);
	out_char(text, '\n');
}

static int print_text(const struct program *prog, size_t width)
{
	const struct target *target = &prog->target;
	char machine[SMC_ELF_MACHINE_SIZE];
	struct out_text text = { 0 };

	out_escaped(&text, prog->command, PATH_MAX);
	out_printf(&text, ": %s\n", way_of(prog, NAME));
	append_line(&text, "program", target->path);
	out_printf(&text, "  kind     %s, %s\n", kind_of(&target->elf),
		   smc_elf_machine_text(&target->elf, machine));
	if (target->elf.interp[0])
		append_line(&text, "loader", target->elf.interp);
	if (prog->why)
		append_line(&text, "why", prog->why);
	else if (prog->has_lib)
		append_line(&text, "library", prog->lib.file);
	for (size_t i = 0; i < prog->n_notes; i++)
		append_line(&text, "note", prog->notes[i]);
	out_printf(&text, "  type     %ssmc_run %s%s", width ? "-> " : "", way_of(prog, OPTION),
		   *prog->command == '-' ? "-- " : "");
	if (!out_shell_word(&text, prog->command))
		out_str(&text, "PROGRAM, whose name cannot be typed");
	out_char(&text, '\n');
	return chk_print(&text, width, 11);
}

static int print_json(const struct program *prog)
{
	const struct target *target = &prog->target;
	const struct smc_elf *elf = &target->elf;
	bool is_preloaded = !prog->why && prog->has_lib;
	json_t *library = is_preloaded ? chk_json_optional(prog->lib.file) : NULL;
	json_t *notes = json_array();

	for (size_t i = 0; i < prog->n_notes; i++)
		json_array_append_new(notes, out_json_string(prog->notes[i], NOTE_SIZE));
	return chk_print_json(json_pack(
		"{s:s, s:o, s:o, s:s, s:s*, s:i, s:o*, s:[s*, s*, s*], s:b, s:s, s:s*, s:b, "
		"s:o*, s:o}",
		"schema", "smc-tools/program/1", "command", chk_json_optional(prog->command),
		"program", chk_json_optional(target->path), "kind", kind_of(elf), "machine",
		smc_elf_machine_name(elf), "bits", elf->bits, "loader",
		chk_json_optional(elf->interp), "raises",
		target->raises & TARGET_SETUID ? "set-uid" : NULL,
		target->raises & TARGET_SETGID ? "set-gid" : NULL,
		target->raises & TARGET_CAPS ? "capabilities" : NULL, "is_secure", target->secure,
		"way", way_of(prog, JSON), "why", prog->why, "is_possible", can_run(prog),
		"library", library, "notes", notes));
}

int chk_program(const struct chk_request *req)
{
	struct program *prog AUTO_FREE = xcalloc(1, sizeof(*prog));
	int status;

	prog->command = req->object;
	target_find(req->object, &prog->target);
	status = check_startable(req->object, &prog->target);
	if (status)
		return status;
	prog->has_lib = !library_find(&prog->target, &prog->lib);
	prog->missing = bpf_convert_missing();
	prog->unseen = sockcall_misses(&prog->target);
	/* A supervisor needs the same as the library: any kind of SMC socket. */
	prog->lacks = host_af_smc() && host_ipproto_smc() ? "SMC" : sockcall_missing();
	if (library_misses(prog->has_lib ? &prog->lib : NULL, &prog->target, prog->reason))
		prog->why = prog->reason;
	note_all(prog);
	status = req->is_json ? print_json(prog) : print_text(prog, req->width);
	if (status || can_run(prog))
		return status;
	return prog->why ? CHK_TCP : CHK_ERROR;
}
