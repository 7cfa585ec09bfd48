// SPDX-License-Identifier: MIT
/* Unit properties as printed by systemctl, unit names, and texts of drop-ins. */
#include "fuzz.h"

#include "process/systemctl.h"
#include "smc_unit/unit.h"

static void read_unit(const struct unit_props *unit)
{
	char word[PATH_MAX];
	const char *value = NULL;

	while ((value = unit_prop(unit, "Environment", value))) {
		const char *rest = value;

		while (unit_next_word(&rest, word))
			MUST(memchr(word, '\0', sizeof(word)));
		unit_has_word(value, "network.target");
	}
	MUST(unit_prop_text(unit, "Id"));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct unit_props all = { fuzz_text(data, size), size }, rest = all, one;
	char name[UNIT_NAME_SIZE], shown[UNIT_NAME_SIZE];
	struct smc_err err = { 0 };

	dropin_is_bpf(all.text);
	if (!unit_name(all.text, name, &err)) {
		unit_shown_name(name, shown);
		unit_file_name(shown, name);
		MUST(!strcmp(shown, name));
	}
	for (size_t i = 0; i < size; i++)
		all.text[i] = (char)(data[i] == '\n' ? '\0' : data[i]);
	while (unit_next_props(&rest, &one))
		read_unit(&one);
	free(all.text);
	return 0;
}
