/* SPDX-License-Identifier: MIT */
/* What a bundle and its reader have in common. In the archive all is below one folder. */
#ifndef SMC_CHK_BUNDLE_H
#define SMC_CHK_BUNDLE_H

#include <endian.h>

#define BUNDLE_FOLDER "smc-bundle"
#define BUNDLE_SCHEMA "smc-tools/bundle/1"

#if __BYTE_ORDER == __BIG_ENDIAN
#define BUNDLE_ORDER "big"
#else
#define BUNDLE_ORDER "little"
#endif

#endif
