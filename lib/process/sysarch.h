/* SPDX-License-Identifier: MIT */
/* This architecture in filters of system calls (seccomp(2)). */
#pragma once

#include <endian.h>
#include <linux/audit.h>
#include <linux/seccomp.h>

#include "base/libc.h"

/* AUDIT_ARCH of this architecture. Not defined if its system call numbers are not known here. */
#if defined(__x86_64__)
#define SYSARCH AUDIT_ARCH_X86_64
#elif defined(__i386__)
#define SYSARCH AUDIT_ARCH_I386
#elif defined(__aarch64__) && __BYTE_ORDER == __LITTLE_ENDIAN
#define SYSARCH AUDIT_ARCH_AARCH64
#elif defined(__s390x__)
#define SYSARCH AUDIT_ARCH_S390X
#elif defined(__powerpc64__) && __BYTE_ORDER == __LITTLE_ENDIAN
#define SYSARCH AUDIT_ARCH_PPC64LE
#elif defined(__powerpc64__)
#define SYSARCH AUDIT_ARCH_PPC64
#elif defined(__riscv) && __riscv_xlen == 64 && defined(AUDIT_ARCH_RISCV64)
#define SYSARCH AUDIT_ARCH_RISCV64
#endif

/* Offset of the lower half of an argument. */
#define SYSARCH_ARG(no)                                                                            \
	(offsetof(struct seccomp_data, args) + 8 * (no) + (__BYTE_ORDER == __BIG_ENDIAN ? 4 : 0))
