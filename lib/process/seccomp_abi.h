/* SPDX-License-Identifier: MIT */
/* Seccomp user notification, from <linux/seccomp.h>, as installed headers may be older. */
#pragma once

#include <linux/seccomp.h>
#include <linux/types.h>
#include <sys/ioctl.h>

#ifndef SECCOMP_RET_USER_NOTIF /* Linux 5.0 */
#define SECCOMP_RET_USER_NOTIF 0x7fc00000U
#define SECCOMP_FILTER_FLAG_NEW_LISTENER (1UL << 3)
#define SECCOMP_GET_NOTIF_SIZES 3
#define SECCOMP_IOCTL_NOTIF_RECV _IOWR('!', 0, struct seccomp_notif)
#define SECCOMP_IOCTL_NOTIF_SEND _IOWR('!', 1, struct seccomp_notif_resp)
struct seccomp_notif {
	__u64 id;
	__u32 pid, flags;
	struct seccomp_data data;
};
struct seccomp_notif_resp {
	__u64 id;
	__s64 val;
	__s32 error;
	__u32 flags;
};
#endif
#ifndef SECCOMP_USER_NOTIF_FLAG_CONTINUE /* Linux 5.5 */
#define SECCOMP_USER_NOTIF_FLAG_CONTINUE 1
#endif
#ifndef SECCOMP_IOCTL_NOTIF_ADDFD /* Linux 5.9 */
#define SECCOMP_IOCTL_NOTIF_ADDFD _IOW('!', 3, struct seccomp_notif_addfd)
struct seccomp_notif_addfd {
	__u64 id;
	__u32 flags, srcfd, newfd, newfd_flags;
};
#endif
#ifndef SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV /* Linux 5.14, 5.19 */
#define SECCOMP_ADDFD_FLAG_SEND (1UL << 1)
#define SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV (1UL << 5)
#endif
