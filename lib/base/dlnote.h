/* SPDX-License-Identifier: MIT */
/*
 * ELF note about a library loaded by dlopen(), which dependency scanners do not see; packaging
 * tools read the note. See "ELF dlopen metadata" of the UAPI Group.
 */
#pragma once

#include <elf.h>

#define DLNOTE_TYPE 0x407c0c0a
#define DLNOTE_OWNER "FDO"
#define DLNOTE_JSON(soname, feature, description, priority)                                        \
	"[{\"soname\":[\"" soname "\"],\"feature\":\"" feature "\",\"description\":\"" description \
	"\",\"priority\":\"" priority "\"}]"

/** DLNOTE() - use at file scope, with four string literals; the priority ("recommended") is last */
#define DLNOTE(soname, feature, description, priority)                                             \
	static const struct {                                                                      \
		Elf32_Nhdr header;                                                                 \
		char owner[sizeof(DLNOTE_OWNER)];                                                  \
		char json[sizeof(DLNOTE_JSON(soname, feature, description, priority))]             \
			__attribute__((aligned(4)));                                               \
	} dlopen_note __attribute__((used, aligned(4), section(".note.dlopen"))) = {               \
		{ sizeof(DLNOTE_OWNER),                                                            \
		  sizeof(DLNOTE_JSON(soname, feature, description, priority)), DLNOTE_TYPE },      \
		DLNOTE_OWNER,                                                                      \
		DLNOTE_JSON(soname, feature, description, priority),                               \
	}
