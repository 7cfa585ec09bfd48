/* SPDX-License-Identifier: MIT */
/* AppArmor: the profile of a process, and what it denies. Needs libc only. */
#pragma once

#include "base/libc.h"

#define APPARMOR_NAME_SIZE 256

/* Bits of apparmor_denies(). */
#define APPARMOR_NO_SMC 1     /* sockets of AF_SMC, and accepted ones of IPPROTO_SMC */
#define APPARMOR_NO_LIBRARY 2 /* the file, to read and to map for execution */

/**
 * apparmor_profile() - the profile that confines a process
 * @pid: 0 for the caller
 * @name: filled in on success, cut if longer
 *
 * Source: /proc/PID/attr/apparmor/current, "NAME (enforce)", since Linux 5.1.
 * Return: true if it is enforced; false for none, for one that only complains, and without rights.
 */
bool apparmor_profile(pid_t pid, char name[APPARMOR_NAME_SIZE]);

/**
 * apparmor_attached() - the profile that the kernel gives a program when it is started
 * @name: changed, also without one
 *
 * Only profiles in force, for exactly this path; root alone can list them.
 */
bool apparmor_attached(const char *program, char name[APPARMOR_NAME_SIZE]);

/**
 * apparmor_denies() - ask the kernel what a profile denies
 * @name: profile that is loaded
 * @library: a file, or NULL
 *
 * A child process changes to the profile, and tries. That leaves a line in the audit log for each
 * refusal, as the profile's own processes do.
 *
 * Return: bits; 0 for nothing, and where the caller may not change to the profile.
 */
int apparmor_denies(const char *name, const char *library);
