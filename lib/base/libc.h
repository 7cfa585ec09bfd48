/* SPDX-License-Identifier: MIT */
/* The parts of libc that most files use; all others are included where they are used. */
#pragma once

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "base/auto.h"
