// SPDX-License-Identifier: MIT
/* Symbols of the libraries that come after this one in the search order. */
#include "ld_pre_smc/symbol.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>

/* In the versions of a symbol: not the default one. */
#define HIDDEN 0x8000

/* dlsym() of any library and version: linked normally, it requires glibc 2.34. */
extern __typeof__(dlsym) any_dlsym __attribute__((weak));

/*
 * A table of a library, NULL if it has none. The loader adds the library's address to most of these
 * values, but not on all architectures.
 */
static const void *table(const struct link_map *map, long tag)
{
	const ElfW(Dyn) *entry = map->l_ld;
	ElfW(Addr) value;

	while (entry->d_tag != tag && entry->d_tag != DT_NULL)
		entry++;
	value = entry->d_tag == tag ? entry->d_un.d_ptr : 0;
	return (const void *)(value && value < map->l_addr ? value + map->l_addr : value);
}

static uint32_t hash_of(const char *name)
{
	uint32_t hash = 5381;

	while (*name)
		hash = hash * 33 + (unsigned char)*name++;
	return hash;
}

/* STT_GNU_IFUNC is no function, but one that chooses it. */
static bool is_default(const ElfW(Sym) * symbol, const ElfW(Versym) * version)
{
	return symbol->st_shndx != SHN_UNDEF && ELF64_ST_TYPE(symbol->st_info) != STT_GNU_IFUNC &&
	       !(version && *version & HIDDEN);
}

/*
 * Every glibc since 2.5 has DT_GNU_HASH: four numbers, a filter of addresses, the first symbol of
 * each bucket, and a hash of each symbol, odd at the end of a bucket.
 */
static void *find_in(const struct link_map *map, const char *name, uint32_t hash)
{
	const uint32_t *numbers = table(map, DT_GNU_HASH), *buckets, *hashes;
	const ElfW(Versym) *versions = table(map, DT_VERSYM);
	const ElfW(Sym) *symbols = table(map, DT_SYMTAB);
	const char *names = table(map, DT_STRTAB);
	uint32_t i;

	if (!numbers || !numbers[0])
		return NULL;
	buckets = numbers + 4 + numbers[2] * (sizeof(ElfW(Addr)) / sizeof(*buckets));
	hashes = buckets + numbers[0] - numbers[1];
	i = buckets[hash % numbers[0]];
	if (i < numbers[1])
		return NULL;
	do {
		if ((hashes[i] | 1) == (hash | 1) && !strcmp(names + symbols[i].st_name, name) &&
		    is_default(&symbols[i], versions ? &versions[i] : NULL))
			return (void *)(map->l_addr + symbols[i].st_value);
	} while (!(hashes[i++] & 1));
	return NULL;
}

/* The loader's list, of which the program has the address for debuggers. */
static const struct link_map *first_map(void)
{
	const ElfW(Phdr) *part = (const void *)getauxval(AT_PHDR);
	size_t n = getauxval(AT_PHNUM);
	const ElfW(Dyn) *entry = NULL;
	ElfW(Addr) base = 0;

	for (; n; n--, part++) {
		if (part->p_type == PT_PHDR)
			base = (ElfW(Addr))part - part->p_vaddr;
		else if (part->p_type == PT_DYNAMIC)
			entry = (const void *)(base + part->p_vaddr);
	}
	for (; entry && entry->d_tag != DT_NULL; entry++)
		if (entry->d_tag == DT_DEBUG && entry->d_un.d_ptr)
			return ((const struct r_debug *)entry->d_un.d_ptr)->r_map;
	return NULL;
}

void *shim_symbol(const char *name)
{
	const struct link_map *map;
	uint32_t hash = hash_of(name);
	void *found = NULL;

	__asm__(".symver any_dlsym, dlsym@");
	if (any_dlsym)
		return any_dlsym(RTLD_NEXT, name);
	map = first_map();
	while (map && map->l_ld != _DYNAMIC)
		map = map->l_next;
	while (map && !found && (map = map->l_next))
		found = find_in(map, name, hash);
	return found;
}
