/* SPDX-License-Identifier: MIT */
/* Numbers of system calls that older headers lack; the same on all machines except alpha. */
#pragma once

#include <sys/syscall.h>

#ifndef SYS_fsopen /* Linux 5.2 */
#define SYS_fsopen 430
#define SYS_fsconfig 431
#define SYS_fsmount 432
#endif
#ifndef SYS_pidfd_open /* 5.3 */
#define SYS_pidfd_open 434
#endif
#ifndef SYS_pidfd_getfd /* 5.6 */
#define SYS_pidfd_getfd 438
#endif
#ifndef SYS_close_range /* 5.9 */
#define SYS_close_range 436
#endif
#ifndef SYS_landlock_create_ruleset /* 5.13 */
#define SYS_landlock_create_ruleset 444
#define SYS_landlock_add_rule 445
#define SYS_landlock_restrict_self 446
#endif
