/* SPDX-License-Identifier: MIT */
/* What a bundle and its reader have in common. In the archive all is below one directory. */
#ifndef SMC_CHK_FORMAT_H
#define SMC_CHK_FORMAT_H

#include <endian.h>

#define BUNDLE_DIRECTORY "smc-bundle"
#define BUNDLE_SCHEMA "smc-tools/bundle/1"

#if __BYTE_ORDER == __BIG_ENDIAN
#define BUNDLE_ORDER "big"
#else
#define BUNDLE_ORDER "little"
#endif

#endif
