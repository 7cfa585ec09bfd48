// SPDX-License-Identifier: MIT
#include "process/elf.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

/* Hostile files must not cost more. Go's build info is near the start of writable data. */
#define SEGMENTS_MAX 256
#define CONTENTS_MAX (1024 * 1024)

/* A file in memory, with its class and byte order. */
struct image {
	const uint8_t *bytes;
	size_t len;
	bool wide;
	bool big_endian;
};

/* A program header, of either class. */
struct segment {
	uint32_t type;
	uint32_t flags;
	uint64_t offset;
	uint64_t size;
};

/* Read a number of @size bytes at @at; 0 past the end of the file. */
static uint64_t number(const struct image *img, uint64_t at, size_t size)
{
	uint64_t value = 0;
	size_t i;

	if (at > img->len || size > img->len - at)
		return 0;
	for (i = 0; i < size; i++)
		value = value << 8 | img->bytes[at + (img->big_endian ? i : size - 1 - i)];
	return value;
}

/* Member of a structure, whose place and size depend on the class. */
#define MEMBER(img, at, kind, member)                                                              \
	((img)->wide ? number(img, (at) + offsetof(Elf64_##kind, member),                          \
			      sizeof(((Elf64_##kind *)0)->member)) :                               \
		       number(img, (at) + offsetof(Elf32_##kind, member),                          \
			      sizeof(((Elf32_##kind *)0)->member)))

/* The part of a segment that is in the file, CONTENTS_MAX at most; may be empty. */
static const uint8_t *contents(const struct image *img, const struct segment *seg, size_t *len)
{
	*len = 0;
	if (seg->offset >= img->len)
		return img->bytes;
	*len = img->len - seg->offset;
	if (seg->size < *len)
		*len = seg->size;
	if (*len > CONTENTS_MAX)
		*len = CONTENTS_MAX;
	return img->bytes + seg->offset;
}

static bool segment_at(const struct image *img, unsigned int i, struct segment *seg)
{
	uint64_t table = MEMBER(img, 0, Ehdr, e_phoff);
	uint64_t entry = MEMBER(img, 0, Ehdr, e_phentsize);
	uint64_t at;

	if (i >= SEGMENTS_MAX || i >= MEMBER(img, 0, Ehdr, e_phnum) || table > img->len)
		return false;
	at = table + i * entry;
	if (entry < (img->wide ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr)) || at > img->len ||
	    entry > img->len - at)
		return false;
	seg->type = (uint32_t)MEMBER(img, at, Phdr, p_type);
	seg->flags = (uint32_t)MEMBER(img, at, Phdr, p_flags);
	seg->offset = MEMBER(img, at, Phdr, p_offset);
	seg->size = MEMBER(img, at, Phdr, p_filesz);
	return true;
}

static void read_string(const struct image *img, const struct segment *seg, char *out, size_t size)
{
	size_t len;
	const uint8_t *text = contents(img, seg, &len);

	len = strnlen((const char *)text, len < size ? len : size - 1);
	memcpy(out, text, len);
	out[len] = '\0';
}

/* True if it has DT_SONAME. Libraries and the loader do, static-pie programs do not. */
static bool has_soname(const struct image *img, const struct segment *seg)
{
	size_t step = img->wide ? sizeof(Elf64_Dyn) : sizeof(Elf32_Dyn), len, at;

	contents(img, seg, &len);
	for (at = 0; at + step <= len; at += step) {
		uint64_t tag = MEMBER(img, seg->offset + at, Dyn, d_tag);

		if (tag == DT_NULL || tag == DT_SONAME)
			return tag == DT_SONAME;
	}
	return false;
}

/*
 * A note consists of the sizes of name and contents, a type, the name, the contents; both padded to
 * 4 bytes. Go's build ID has the name "Go" and the type 4.
 */
static bool has_go_note(const struct image *img, const struct segment *seg)
{
	uint64_t at, end, name_len, desc_len;
	size_t len;

	contents(img, seg, &len);
	end = seg->offset + len;
	for (at = seg->offset; len >= 12 && at <= end - 12; at += desc_len) {
		name_len = number(img, at, 4);
		desc_len = (number(img, at + 4, 4) + 3) & ~3ULL;
		if (name_len == 4 && number(img, at + 8, 4) == 4 && end - at >= 16 &&
		    !memcmp(img->bytes + at + 12, "Go\0", 4))
			return true;
		at += 12 + ((name_len + 3) & ~3ULL);
	}
	return false;
}

/*
 * Marker used by "go version FILE"; it remains if the note is stripped by -buildid=. Since Go 1.18
 * the version follows after 32 bytes, with its length in one byte.
 */
static void read_go_build_info(const struct image *img, const struct segment *seg,
			       struct smc_elf *out)
{
	static const char magic[] = "\xff Go buildinf:";
	size_t len;
	const uint8_t *data = contents(img, seg, &len);
	const uint8_t *info = memmem(data, len, magic, sizeof(magic) - 1);
	char version[16] = "";

	if (!info)
		return;
	out->is_go = true;
	if (len - (size_t)(info - data) > 33 + sizeof(version))
		memcpy(version, info + 33, sizeof(version) - 1);
	sscanf(version, "go1.%5d", &out->go_minor);
}

static void read_segments(const struct image *img, struct smc_elf *out)
{
	bool interp = false, library = false;
	struct segment seg;
	unsigned int i;

	for (i = 0; segment_at(img, i, &seg); i++) {
		if (seg.type == PT_INTERP) {
			interp = true;
			read_string(img, &seg, out->interp, sizeof(out->interp));
		} else if (seg.type == PT_DYNAMIC) {
			library = has_soname(img, &seg);
		} else if (seg.type == PT_NOTE && !out->is_go) {
			out->is_go = has_go_note(img, &seg);
		} else if (seg.type == PT_LOAD && seg.flags & PF_W && !out->go_minor) {
			read_go_build_info(img, &seg, out);
		}
	}
	out->is_static = !interp && !library && (out->type == ET_EXEC || out->type == ET_DYN);
}

int smc_elf_parse(const void *buf, size_t len, struct smc_elf *out)
{
	struct image img = { .bytes = buf, .len = len };

	if (len < sizeof(Elf32_Ehdr) || memcmp(buf, ELFMAG, SELFMAG))
		return -ENOEXEC;
	img.wide = img.bytes[EI_CLASS] == ELFCLASS64;
	img.big_endian = img.bytes[EI_DATA] == ELFDATA2MSB;
	if ((!img.wide && img.bytes[EI_CLASS] != ELFCLASS32) ||
	    (!img.big_endian && img.bytes[EI_DATA] != ELFDATA2LSB) ||
	    (img.wide && len < sizeof(Elf64_Ehdr)))
		return -ENOEXEC;
	*out = (struct smc_elf){
		.bits = img.wide ? 64 : 32,
		.big_endian = img.big_endian,
		.type = (uint16_t)MEMBER(&img, 0, Ehdr, e_type),
		.machine = (uint16_t)MEMBER(&img, 0, Ehdr, e_machine),
	};
	read_segments(&img, out);
	return 0;
}

int smc_elf_inspect(const char *path, struct smc_elf *out)
{
	int fd AUTO_CLOSE = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY), err;
	struct stat st;
	void *map;

	if (fd < 0 || fstat(fd, &st))
		return -errno;
	if (!S_ISREG(st.st_mode) || st.st_size <= 0 || (uintmax_t)st.st_size > SIZE_MAX)
		return -ENOEXEC;
	map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (map == MAP_FAILED)
		return -errno;
	err = smc_elf_parse(map, (size_t)st.st_size, out);
	munmap(map, (size_t)st.st_size);
	return err;
}

const char *smc_elf_machine_name(const struct smc_elf *elf)
{
	switch (elf->machine) {
	case EM_X86_64: return elf->bits == 64 ? "x86-64" : "x32";
	case EM_386: return "i386";
	case EM_S390: return elf->bits == 64 ? "s390x" : "s390";
	case EM_AARCH64: return "aarch64";
	case EM_ARM: return "arm";
	case EM_PPC64: return elf->big_endian ? "ppc64" : "ppc64le";
	case EM_RISCV: return elf->bits == 64 ? "riscv64" : "riscv32";
	default: return NULL;
	}
}

const char *smc_elf_machine_text(const struct smc_elf *elf, char text[SMC_ELF_MACHINE_SIZE])
{
	const char *name = smc_elf_machine_name(elf);

	if (name)
		return name;
	snprintf(text, SMC_ELF_MACHINE_SIZE, "machine %u, %d bits", elf->machine, elf->bits);
	return text;
}
