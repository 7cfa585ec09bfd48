/* SPDX-License-Identifier: MIT */
/* What a command found goes to stdout at once: as text, or as one JSON document. */
#pragma once

#include "out/table.h"

/** chk_print() - write the text, and free it. Return: CHK_OK, or CHK_ERROR after a message */
int chk_print(struct out_text *text);

/** chk_print_json() - the same with a document, whose reference it takes */
int chk_print_json(json_t *json);
